import { plainText } from "../plain-text.ts";

/** HTML that is safe to insert into a page. Use `html` to create it. */
export type Html = { readonly safe: string };

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escapes text of agents, users and repositories for HTML, and makes invisible characters visible. */
const escaped = (text: string): string => plainText(text).replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");

type HtmlPart = string | number | Html | readonly Html[];

/** Escapes all strings in the template, except parts that are HTML already. */
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
