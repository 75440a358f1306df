import { decodePath } from "../process/git-path.ts";

/** Names of the folders in a tree object: entries are `<mode> <name> NUL <id>`, the id as raw bytes. */
export function foldersOfTree(tree: Buffer, idBytes: number): string[] {
  const names: string[] = [];
  let start = 0;
  while (start < tree.length) {
    const space = tree.indexOf(0x20, start);
    const end = tree.indexOf(0, space);
    if (space === -1 || end === -1) break;
    if (tree.toString("latin1", start, space) === "40000") names.push(decodePath(tree.subarray(space + 1, end)));
    start = end + 1 + idBytes;
  }
  return names;
}

export type BatchObject = { readonly id: string; readonly type: string; readonly content: Buffer };

/** The objects `cat-file --batch` printed; names it did not find are left out. */
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
