import { LANGUAGE_CLASS, SOURCE_CLASS } from "./tree.ts";

/** Used properties of a Markdown syntax tree. */
type Node = {
  type: string;
  children?: Node[];
  value?: string;
  checked?: boolean | null;
  lang?: string | null;
  meta?: string | null;
  url?: string;
  title?: string | null;
  identifier?: string;
  align?: readonly unknown[];
  data?: { hName?: string; hProperties?: Record<string, unknown> };
  position?: { start: { offset?: number }; end: { offset?: number } };
};

const NOT_DRAWN = new Set(["html", "image", "imageReference", "definition"]);
const PHRASING = new Set([
  "paragraph",
  "heading",
  "emphasis",
  "strong",
  "delete",
  "link",
  "linkReference",
  "tableCell",
]);

/**
 * Replaces content that HTML output would drop with its source: HTML, images, link targets, definitions, states of
 * task boxes.
 */
export function showDropped(): (tree: unknown, file: unknown) => void {
  return (tree, file) => {
    const source = String(file);
    const root = tree as Node; // remark passes the tree of its parser
    const referenced = new Set<string>();
    visit(root, (node) => {
      if (node.type === "footnoteReference" && node.identifier !== undefined) referenced.add(node.identifier);
    });
    replaceIn(root, { source, referenced });
  };
}

type DropContext = { readonly source: string; readonly referenced: ReadonlySet<string> };

function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const child of node.children ?? []) visit(child, see);
}

function replaceIn(parent: Node, context: DropContext): void {
  if (parent.children === undefined) return;
  const isPhrasing = PHRASING.has(parent.type);
  parent.children = parent.children.flatMap((node) => {
    const shown = replaced(node, { ...context, isPhrasing });
    for (const one of shown) if (one === node) replaceIn(node, context);
    return shown;
  });
}

function replaced(
  node: Node,
  { source, referenced, isPhrasing }: DropContext & { readonly isPhrasing: boolean },
): Node[] {
  const own = readSource(node, source);
  if (NOT_DRAWN.has(node.type)) return [isPhrasing ? inlineSource(own, node) : blockSource(own, node)];
  switch (node.type) {
    case "footnoteDefinition":
      return isReferenced(node, referenced) ? [node] : [blockSource(own, node)];
    case "table":
      return hasExtraCells(node) ? [blockSource(own, node)] : [node];
    case "listItem":
      markState(node);
      return [node];
    case "code":
      return [...language(node), node];
    case "link":
      return [node, ...target(node)];
    default:
      return [node];
  }
}

const readSource = ({ position }: Node, source: string): string =>
  position === undefined ? "" : source.slice(position.start.offset, position.end.offset);

const isReferenced = ({ identifier }: Node, referenced: ReadonlySet<string>): boolean =>
  identifier !== undefined && referenced.has(identifier);

const withPosition = (node: Node, { position }: Node): Node => (position === undefined ? node : { ...node, position });

const inlineSource = (value: string, from: Node): Node =>
  withPosition({ type: "inlineCode", value, data: { hProperties: { className: [SOURCE_CLASS] } } }, from);

const blockSource = (value: string, from: Node): Node =>
  withPosition({ type: "code", value, lang: null, data: { hProperties: { className: [SOURCE_CLASS] } } }, from);

/** Returns true if a row has more cells than the table's head. HTML output would drop them. */
const hasExtraCells = ({ align, children = [] }: Node): boolean =>
  children.some((row) => (row.children ?? []).length > (align ?? []).length);

/** Writes the state of a task box as text, not as a control. */
function markState(item: Node): void {
  if (typeof item.checked !== "boolean") return;
  const box: Node = { type: "text", value: item.checked ? "☑ " : "☐ " };
  const first = item.children?.[0];
  if (first?.type === "paragraph") first.children = [box, ...(first.children ?? [])];
  else item.children = [{ type: "paragraph", children: [box] }, ...(item.children ?? [])];
  item.checked = null;
}

/** Returns the text after the opening fence. */
function language({ lang, meta }: Node): Node[] {
  const value = [lang, meta].filter((part) => typeof part === "string" && part !== "").join(" ");
  if (value === "") return [];
  const data = { hName: "div", hProperties: { className: [LANGUAGE_CLASS] } };
  return [{ type: "paragraph", data, children: [{ type: "text", value }] }];
}

/** Returns the title of a link, and its target unless the link text is the target. */
function target(node: Node): Node[] {
  const text: string[] = [];
  visit(node, ({ type, value }) => {
    if (type === "text" && value !== undefined) text.push(value);
  });
  const { url = "", title } = node;
  const isSaid = url === text.join("") || url.replace(/^(?:https?:\/\/|mailto:)/, "") === text.join("");
  const shown = [isSaid ? "" : url, title ?? ""].filter((part) => part !== "").join(" ");
  return shown === "" ? [] : [{ type: "text", value: " " }, inlineSource(shown, node)];
}
