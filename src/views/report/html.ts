import { plainText } from "../plain-text.ts";

/** A piece of HTML that is safe to put into a page. Only `html` and `joined` make one. */
export type Html = { readonly safe: string };

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text of agents, people and repositories as it may meet a page: escaped, and without what cannot be seen. */
const escaped = (text: string): string => plainText(text).replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");

type HtmlPart = string | number | Html | readonly Html[];

/** Everything put into the template is escaped, unless it is HTML already. */
export function html(template: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  const filled = template.map((text, index) => text + (index < parts.length ? render(parts[index] ?? "") : ""));
  return { safe: filled.join("") };
}

function render(part: HtmlPart): string {
  if (typeof part === "string") return escaped(part);
  if (typeof part === "number") return String(part);
  return isList(part) ? part.map(({ safe }) => safe).join("") : part.safe;
}

const isList = (part: Html | readonly Html[]): part is readonly Html[] => Array.isArray(part);
