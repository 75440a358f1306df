/** A Markdown document as HTML elements, in the form in which a worker can send it. */
export type TreeText = { readonly type: "text"; readonly value: string };
export type TreeElement = {
  readonly type: "element";
  readonly tagName: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly children: readonly TreeNode[];
  /** First line in the source; null for elements that the source does not have. */
  readonly line: number | null;
};
export type TreeNode = TreeText | TreeElement;

/** `id`: of the request, as several can wait for one worker. */
export type ParseRequest = { readonly id: number; readonly text: string };
/** Null if the text cannot be drawn: then its source is shown. */
export type ParseReply = { readonly id: number; readonly nodes: readonly TreeNode[] | null };

export const SOURCE_CLASS = "markdown-source";
export const LANGUAGE_CLASS = "markdown-language";
