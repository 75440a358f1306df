import { common, createLowlight } from "lowlight";
import type { ReactNode } from "react";

export type Highlighter = (path: string, text: string) => ReactNode | null;

const lowlight = createLowlight(common);

const LANGUAGES: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  mts: "typescript",
  cts: "typescript",
  js: "javascript",
  jsx: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  json: "json",
  css: "css",
  scss: "scss",
  less: "less",
  html: "xml",
  xml: "xml",
  svg: "xml",
  vue: "xml",
  md: "markdown",
  py: "python",
  rb: "ruby",
  rs: "rust",
  go: "go",
  java: "java",
  kt: "kotlin",
  swift: "swift",
  c: "c",
  h: "c",
  cpp: "cpp",
  cc: "cpp",
  hpp: "cpp",
  cs: "csharp",
  php: "php",
  sh: "bash",
  bash: "bash",
  sql: "sql",
  yml: "yaml",
  yaml: "yaml",
  toml: "ini",
  ini: "ini",
  lua: "lua",
  pl: "perl",
  r: "r",
};

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

export const highlighter: Highlighter = (path, text) => {
  const language = LANGUAGES[path.slice(path.lastIndexOf(".") + 1).toLowerCase()];
  if (language === undefined) return null;
  return lowlight.highlight(language, text).children.map((node, index) => draw(node, index));
};

function draw(node: Node, key: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const names = node.properties["className"];
  return (
    <span key={key} className={Array.isArray(names) ? names.join(" ") : undefined}>
      {node.children.map((child, index) => draw(child, index))}
    </span>
  );
}
