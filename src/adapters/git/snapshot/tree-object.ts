import { parseTree, treeIn } from "../objects/tree-entries.ts";
import { decodePath } from "../process/git-path.ts";

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
