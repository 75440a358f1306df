import { fileKind, isSource } from "../core/review-order/file-kind.ts";
import { fileWord, type MarkFacts } from "../core/review-order/file-marks.ts";
import { attributeFolders, declaredFiles } from "../core/review-order/linguist-attributes.ts";
import { lockChanges } from "../core/review-order/locked-versions.ts";
import { type ActiveRun, currentPhase } from "../core/run.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { TreeId } from "../schema/ids.ts";
import { type PatchFile, patchFiles } from "../views/patch-files.ts";
import type { PatchFacts } from "../views/review-patch.ts";

/** Trees of a patch. `base`: the tree from before the run, whose attributes decide what is folded. */
export type PatchTrees = {
  readonly base: TreeId | null;
  readonly from: TreeId | null;
  readonly to: TreeId | null;
};

type TextReader = Pick<Workspace, "texts">;

/** More folders are not searched for attributes: their files stay unfolded. */
const MAX_ATTRIBUTE_FOLDERS = 500;

/** Returns the files that attributes of the base declare as generated or vendored, each with the reason. */
export async function readDeclared(
  workspace: TextReader,
  base: TreeId | null,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const folders = [...new Set(paths.flatMap(attributeFolders))].slice(0, MAX_ATTRIBUTE_FOLDERS);
  const fileIn = (folder: string): string => `${folder === "" ? "" : `${folder}/`}.gitattributes`;
  const texts = await workspace.texts(base, folders.map(fileIn));
  const attributes = folders.flatMap((folder): [string, string][] => {
    const text = texts.get(fileIn(folder));
    return text === undefined ? [] : [[folder, text]];
  });
  return declaredFiles(paths, new Map(attributes));
}

/** Collects facts about a patch that are in its trees: attributes, and the dependencies in lock files. */
export async function readPatchFacts(
  workspace: TextReader,
  { base, from, to }: PatchTrees,
  patch: string,
): Promise<PatchFacts> {
  const files = patchFiles(patch);
  const declared = await readDeclared(
    workspace,
    base,
    files.flatMap(({ path, was }) => (was === null ? [path] : [path, was])),
  );
  return { declared, dependencies: await readDependencies(workspace, { from, to }, files) };
}

async function readDependencies(
  workspace: TextReader,
  { from, to }: Pick<PatchTrees, "from" | "to">,
  files: readonly PatchFile[],
): Promise<PatchFacts["dependencies"]> {
  const locks = files.filter(({ path }) => fileKind(path) === "lock");
  if (locks.length === 0) return new Map();
  const before = await workspace.texts(
    from,
    locks.map(({ path, was }) => was ?? path),
  );
  const after = await workspace.texts(
    to,
    locks.map(({ path }) => path),
  );
  return new Map(
    locks.map(({ path, was }) => [path, lockChanges(path, before.get(was ?? path) ?? null, after.get(path) ?? null)]),
  );
}

/** Reads the facts for marks: the history of the base, tests that name a file, and where the phase may write. */
export async function readMarkFacts(
  workspace: Pick<Workspace, "background" | "diff">,
  run: ActiveRun,
  patch: string,
): Promise<MarkFacts> {
  const commit = run.run.git?.commit ?? null;
  const code = patchFiles(patch).flatMap(({ path }) => (isSource(path) && fileKind(path) !== "test" ? [path] : []));
  const words = [...new Set(code.map(fileWord))];
  const known = commit === null ? { commits: [], tests: new Map() } : await workspace.background(commit, words);
  const edits = await Promise.all(run.userEdits.map(({ from, to }) => workspace.diff(from, to)));
  return {
    outside: new Set(currentPhase(run)?.made?.unexpected ?? []),
    byHand: new Set(edits.flatMap((changes) => (changes ?? []).map(({ path }) => path))),
    history: known.commits,
    namedBy: known.tests,
  };
}
