/** One file of a tree, as `update-index --index-info` takes it. */
export type TreeEntry = { readonly mode: string; readonly id: string };

/** Mode of a file that a tree does not have. */
export const GONE = "000000";

/** Mode of a repository inside the tree: only its commit is in it. */
export const SUBMODULE = "160000";
