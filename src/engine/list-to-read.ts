import { runBegan } from "../core/changes/last-reviewed-tree.ts";
import { isBookkeeping } from "../core/items/item-meta.ts";
import { isSource } from "../core/review-order/file-kind.ts";
import { foldReason, isMarkedGenerated } from "../core/review-order/fold-reason.ts";
import type { ActiveRun } from "../core/run.ts";
import type { FileChange } from "../schema/facts.ts";
import type { TreeId } from "../schema/ids.ts";
import type { Engine } from "./engine.ts";
import { readDeclared } from "./review-facts.ts";

type WrittenTree = { readonly changes: readonly FileChange[]; readonly tree: TreeId | null };

/** Lists the files that a person has to read: without folded files, and those written by isdlc. */
export async function listToRead(
  { workspace }: Engine,
  run: ActiveRun,
  { changes, tree }: WrittenTree,
): Promise<string[]> {
  const paths = changes.map(({ path }) => path).filter((path) => !isBookkeeping(path));
  const declared = await readDeclared(workspace, runBegan(run).tree, paths);
  const isOpen = (path: string): boolean =>
    foldReason({ path, isBinary: false, generated: declared.get(path) ?? null }) === null;
  const open = paths.filter(isOpen);
  const added = new Set(changes.filter(({ change }) => change === "added").map(({ path }) => path));
  const texts = await workspace.texts(
    tree,
    open.filter((path) => added.has(path) && isSource(path)),
  );
  const isMarked = (path: string): boolean => isMarkedGenerated(path, (texts.get(path) ?? "").split("\n", FIRST_LINES));
  return open.filter((path) => !isMarked(path) || foldReason({ path, isBinary: false, generated: "marked" }) === null);
}

const FIRST_LINES = 5;
