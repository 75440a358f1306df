/** A Markdown document as HTML elements, in a form that a worker can send. */
export type TreeText = { readonly type: "text"; readonly value: string };
export type TreeElement = {
  readonly type: "element";
  readonly tagName: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly TreeNode[];
  /** First line in the source, or null for an element without source. */
  readonly line: number | null;
};
export type TreeNode = TreeText | TreeElement;

/** `id`: number of the request, because several can wait for one worker. */
export type ParseRequest = { readonly id: number; readonly text: string };
/** `nodes`: null if the page must display the source. */
export type ParseReply = { readonly id: number; readonly nodes: readonly TreeNode[] | null };

export const SOURCE_CLASS = "markdown-source";
export const LANGUAGE_CLASS = "markdown-language";
