import { isBookkeeping } from "../../core/items/bookkeeping.ts";
import { lostLines, type LostLines } from "../../core/lost-edits.ts";
import type { ActiveRun, UserEdit } from "../../core/run.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { Engine } from "../engine.ts";

type TreeReader = Pick<Engine, "workspace">;

/** Lists files edited by the user at gates and not accepted yet. */
export async function userEditedFiles(engine: TreeReader, { userEdits }: ActiveRun): Promise<string[]> {
  const paths = await Promise.all(userEdits.map((edit) => editedFiles(engine, edit)));
  return [...new Set(paths.flat())];
}

/** Names the files in which user edits were undone before a gate accepted them. */
export async function lostEditNotices(
  engine: TreeReader,
  { userEdits }: ActiveRun,
  tree: TreeId | null,
): Promise<string[]> {
  if (tree === null) return [];
  const notices: string[] = [];
  for (const [at, edit] of userEdits.entries())
    for (const path of await editedFiles(engine, edit)) {
      const found = await lostIn(engine, { edits: userEdits.slice(at), path, tree });
      if (found.lost > 0) notices.push(lostLine(path, found));
    }
  return [...new Set(notices)];
}

async function editedFiles({ workspace }: TreeReader, { from, to }: UserEdit): Promise<string[]> {
  const changes = await workspace.diff(from, to);
  return (changes ?? []).map(({ path }) => path).filter((path) => !isBookkeeping(path));
}

type EditedPath = { readonly edits: readonly UserEdit[]; readonly path: string; readonly tree: TreeId };

async function lostIn({ workspace }: TreeReader, { edits, path, tree }: EditedPath): Promise<LostLines> {
  const patches = await Promise.all(edits.map(({ from, to }) => workspace.patch(from, to, [path])));
  const [edit = "", ...later] = patches;
  const since = await workspace.patch(edits[0]?.to ?? null, tree, [path]);
  return lostLines({ edit, since, later });
}

const lostLine = (path: string, { lost, lines }: LostLines): string =>
  `Your edit of ${path} is lost: ${lost} of the ${lines} lines that you changed are changed back`;
