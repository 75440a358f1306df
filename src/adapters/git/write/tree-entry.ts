/** One file of a tree, in the form of `update-index --index-info`. */
export type TreeEntry = { readonly mode: string; readonly id: string };

/** Mode of a file that is not in a tree. */
export const GONE = "000000";

/** Mode of a repository inside the tree, which contains only its commit id. */
export const SUBMODULE = "160000";
