import { memo } from "react";
import ReactMarkdown, { type Components, type ExtraProps } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { Diagram } from "./diagram.tsx";

/** Text, lists, tables, code, and links that lead to the web. No image is fetched, and no HTML of a document gets through. */
const schema = {
  ...defaultSchema,
  tagNames: (defaultSchema.tagNames ?? []).filter((name) => name !== "img" && name !== "input" && name !== "picture"),
  protocols: { ...defaultSchema.protocols, href: ["http", "https", "mailto"] },
};

const plain: Components = {
  a({ href, children }) {
    const isWeb = href !== undefined && /^(?:https?:|mailto:)/i.test(href);
    return isWeb ? (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </a>
    ) : (
      <span>{children}</span>
    );
  },
  pre({ children, node }) {
    const source = mermaidIn(node);
    return source === null ? <pre tabIndex={0}>{children}</pre> : <Diagram source={source} />;
  },
  table: ({ children }) => (
    <div className="table-frame" tabIndex={0} role="region" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
};

/** The text of a code block that is a diagram; null for any other. */
function mermaidIn(node: ExtraProps["node"]): string | null {
  const [code] = node?.children ?? [];
  if (code?.type !== "element") return null;
  const names = code.properties["className"];
  const [text] = code.children;
  const isDiagram = Array.isArray(names) && names.includes("language-mermaid");
  return isDiagram && text?.type === "text" ? text.value : null;
}

type MarkdownProps = { readonly text: string; readonly components?: Components };

/** A document of an agent: shown, never believed. */
export const Markdown = memo(function Markdown({ text, components }: MarkdownProps) {
  return (
    <div className="markdown">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[[rehypeSanitize, schema]]}
        components={components === undefined ? plain : { ...plain, ...components }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
});
