import { decodePath } from "../process/git-path.ts";
import { GONE, type TreeEntry } from "../write/tree-entry.ts";
import { differingEntries, type DifferingEntries } from "./differing-entries.ts";
import type { GitObjects } from "./git-objects.ts";
import { fileIn, malformedTree, treeContent, treeIn } from "./tree-entries.ts";

export type Difference = { readonly path: string; readonly before: TreeEntry; readonly after: TreeEntry };

/**
 * Lists the files that differ between two trees (or the trees of two commits), in the order of git's index. Reads only
 * differing folders; null is an empty tree. A file replaced by a folder is listed as deleted, and the files in the
 * folder as added.
 */
export async function treeDifferences(objects: GitObjects, from: string | null, to: string): Promise<Difference[]> {
  if (from === to) return [];
  const found: { readonly bytes: string; readonly difference: Difference }[] = [];
  await compare({ before: from, after: to }, "");
  return found.toSorted((one, other) => (one.bytes < other.bytes ? -1 : 1)).map(({ difference }) => difference);

  async function compare(ends: TreeEnds, folder: string): Promise<void> {
    const { before, after } = await differingIn(objects, ends);
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [was, is] = [before.get(name), after.get(name)];
      if (was !== undefined && is !== undefined && was.id === is.id && was.mode === is.mode) continue;
      const [wasTree, isTree] = [treeIn(was), treeIn(is)];
      if (wasTree !== null || isTree !== null) await compare({ before: wasTree, after: isTree }, `${folder}${name}/`);
      tell(`${folder}${name}`, fileIn(was), fileIn(is));
    }
  }

  function tell(bytes: string, was: TreeEntry | null, is: TreeEntry | null): void {
    const gone = { mode: GONE, id: "0".repeat((is ?? was)?.id.length ?? 0) };
    if (was === null && is === null) return;
    const path = decodePath(Buffer.from(bytes, "latin1"));
    found.push({ bytes, difference: { path, before: was ?? gone, after: is ?? gone } });
  }
}

type TreeEnds = { readonly before: string | null; readonly after: string | null };

async function differingIn(objects: GitObjects, { before, after }: TreeEnds): Promise<DifferingEntries> {
  const idBytes = (before ?? after ?? "").length / 2;
  const trees = { before: await treeContent(objects, before), after: await treeContent(objects, after), idBytes };
  const differing = differingEntries(trees);
  if (differing === null) throw malformedTree(`${before} or ${after}`);
  return differing;
}
