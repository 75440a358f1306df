import { createElement, Fragment, type ReactNode } from "react";
import { Diagram } from "../parts/diagram.tsx";
import { LANGUAGE_CLASS, SOURCE_CLASS, type TreeElement, type TreeNode } from "./tree.ts";

/** A block with its first line in the source and its content. */
export type BlockProps = { readonly tag: BlockTag; readonly line: number; readonly children: ReactNode };
export type DrawBlock = (block: BlockProps) => ReactNode;

const BLOCKS = ["p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "table"] as const;
export type BlockTag = (typeof BLOCKS)[number];
const isBlock = (tag: string): tag is BlockTag => BLOCKS.some((block) => block === tag);

/** Rendered elements. Of any other element, only its children are rendered. */
const TAGS = new Set(
  "p li h1 h2 h3 h4 h5 h6 pre table ul ol blockquote code em strong del thead tbody tr th td hr br sup section div".split(
    " ",
  ),
);

export const drawTree = (nodes: readonly TreeNode[], drawBlock: DrawBlock | null): ReactNode[] =>
  nodes.map((node, index) =>
    node.type === "text" ? node.value : <Fragment key={index}>{drawElement(node, drawBlock)}</Fragment>,
  );

function drawElement(element: TreeElement, drawBlock: DrawBlock | null): ReactNode {
  const { tagName, children, line } = element;
  if (tagName === "a") return <WebLink element={element}>{drawTree(children, drawBlock)}</WebLink>;
  if (!TAGS.has(tagName)) return drawTree(children, drawBlock);
  const content = drawContent(element, drawBlock);
  if (drawBlock === null || line === null || !isBlock(tagName)) return draw(element, content);
  if (tagName === "li") return drawBlock({ tag: tagName, line, children: content });
  return drawBlock({ tag: tagName, line, children: draw(element, content) });
}

function drawContent({ tagName, children }: TreeElement, drawBlock: DrawBlock | null): ReactNode {
  if (tagName === "hr" || tagName === "br") return undefined;
  return drawTree(children, drawBlock);
}

function draw(element: TreeElement, content: ReactNode): ReactNode {
  const { tagName, properties, children } = element;
  if (tagName === "table") return tableFrame(content);
  if (tagName === "pre") return codeBlock(children, content);
  const className = classNames(properties)
    .filter((name) => name === SOURCE_CLASS || name === LANGUAGE_CLASS)
    .join(" ");
  const align = properties["align"];
  const start = properties["start"];
  return createElement(
    tagName,
    {
      ...(className === "" ? {} : { className }),
      ...(align === "left" || align === "right" || align === "center" ? { style: { textAlign: align } } : {}),
      ...(tagName === "ol" && typeof start === "number" ? { start } : {}),
    },
    content,
  );
}

const tableFrame = (content: ReactNode): ReactNode => (
  <div className="table-frame" tabIndex={0} role="region" aria-label="Table">
    <table>{content}</table>
  </div>
);

function codeBlock(children: readonly TreeNode[], content: ReactNode): ReactNode {
  const [code] = children;
  const [text] = code?.type === "element" ? code.children : [];
  const isDiagram = code?.type === "element" && classNames(code.properties).includes("language-mermaid");
  return isDiagram && text?.type === "text" ? <Diagram source={text.value} /> : <pre tabIndex={0}>{content}</pre>;
}

const classNames = ({ className }: TreeElement["properties"]): readonly unknown[] =>
  Array.isArray(className) ? className : [];

function WebLink({ element, children }: { readonly element: TreeElement; readonly children: ReactNode }) {
  const { href } = element.properties;
  if (typeof href !== "string" || !/^(?:https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
