import { parseTree, treeIn } from "./tree-entries.ts";
import { decodePath } from "../process/git-path.ts";
import type { TreeId } from "../../../schema/ids.ts";
import { hardenedGit } from "../process/git.ts";
import { isObjectId } from "../process/ref-name.ts";

/** Lists the names of the folders in a tree object; none if it is malformed. */
export const foldersOfTree = (tree: Buffer, idBytes: number): string[] =>
  [...(parseTree(tree, idBytes) ?? [])]
    .filter(([, entry]) => treeIn(entry) !== null)
    .map(([name]) => decodePath(Buffer.from(name, "latin1")));

export type BatchObject = { readonly id: string; readonly type: string; readonly content: Buffer };

/** Parses the objects printed by `cat-file --batch`. Missing objects are omitted. */
export function* objectsOfBatch(output: Buffer): Generator<BatchObject> {
  let start = 0;
  while (start < output.length) {
    const lineEnd = output.indexOf(0x0a, start);
    if (lineEnd === -1) return;
    const [id = "", type = "", size = ""] = output.toString("utf8", start, lineEnd).split(" ");
    start = lineEnd + 1;
    if (!/^[0-9a-f]{40,64}$/.test(id) || !/^\d+$/.test(size)) continue;
    const end = start + Number(size);
    yield { id, type, content: output.subarray(start, end) };
    start = end + 1;
  }
}

type TreeFile = { readonly tree: TreeId; readonly path: string };

/** Reads a file in a snapshot; null if it is missing or too large for git's output. Filters of the repository do not run. */
export async function readTreeFile(root: string, at: TreeFile, env: NodeJS.ProcessEnv): Promise<Buffer | null> {
  if (!isObjectId(at.tree) || at.path === "" || at.path.startsWith("/")) return null;
  const result = await hardenedGit(root, env)(["cat-file", "blob", `${at.tree}:${at.path}`]).catch(() => null);
  return result?.status === 0 ? result.stdout : null;
}
