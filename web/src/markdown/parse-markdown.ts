import ReactMarkdown from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { showDropped } from "./show-dropped.ts";
import { LANGUAGE_CLASS, SOURCE_CLASS, type TreeNode } from "./tree.ts";

/**
 * Allows text, lists, tables, code, and links to web and email addresses. Images are not loaded, and HTML of a
 * document is not rendered.
 */
const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => !["img", "input", "picture"].includes(name)),
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"] },
  attributes: {
    ...defaultSchema.attributes,
    code: [["className", /^language-./, SOURCE_CLASS] as [string, RegExp, string]],
    div: [["className", LANGUAGE_CLASS] as [string, string]],
  },
};

/** Maximum number of elements per document. More would block the page for seconds. */
const MAX_ELEMENTS = 5_000;
const MAX_DEPTH = 100;

type HtmlNode = {
  readonly type: string;
  readonly value?: string;
  readonly tagName?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly children?: readonly HtmlNode[];
  readonly position?: { readonly start: { readonly line: number } };
};

/** Returns the elements of a Markdown document, or null if they are too many or nested too deeply. */
export function parseMarkdown(text: string): readonly TreeNode[] | null {
  let root: HtmlNode = { type: "root" };
  const keepTree = () => (tree: unknown) => {
    root = tree as HtmlNode; // rehype passes the sanitizer's tree
  };
  ReactMarkdown({
    children: text,
    remarkPlugins: [remarkGfm, showDropped],
    rehypePlugins: [[rehypeSanitize, schema], keepTree],
  });
  let elements = 0;
  const convert = (nodes: readonly HtmlNode[], depth: number): TreeNode[] => {
    if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) throw new RangeError("too many elements");
    return nodes.flatMap((node): TreeNode[] => {
      if (node.type === "text") return [{ type: "text", value: node.value ?? "" }];
      if (node.type !== "element") return [];
      elements++;
      const { tagName = "span", properties = {}, children = [], position } = node;
      return [
        {
          type: "element",
          tagName,
          properties,
          children: convert(children, depth + 1),
          line: position?.start.line ?? null,
        },
      ];
    });
  };
  try {
    return convert(root.children ?? [], 0);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
