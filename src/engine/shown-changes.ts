import {
  hasLookedHere,
  isLastPhase,
  lastAcceptedTree,
  lastReviewedTree,
  runBegan,
} from "../core/changes/last-reviewed-tree.ts";
import { type ActiveRun, currentPhase } from "../core/run.ts";
import type { VcsWrite } from "../ports/vcs.ts";
import type { Workspace } from "../ports/workspace.ts";
import type { FileChange, PhaseOutput } from "../schema/facts.ts";
import { treeAt, type TreeId } from "../schema/ids.ts";
import type { ShownChanges } from "../views/changes-text.ts";
import { type PatchTrees, readMarkFacts, readPatchFacts } from "./review-facts.ts";

/** Everything that Continue would accept, or only changes since the user's last review. */
export type ShownSince = "accepted" | "look";

type PatchPart = ShownChanges["parts"][number];

type PatchSources = {
  readonly workspace: Pick<Workspace, "background" | "diff" | "patch" | "texts">;
  readonly vcs: Pick<VcsWrite, "forkPoint"> | null;
  /** True to read the facts for marks, too: two more processes of git. */
  readonly hasMarks?: boolean;
};

/**
 * Returns the changes that Continue would accept. At the last gate and at the finish question, this is all work
 * against its base; at other gates, everything since the last accepted gate. Null if there is nothing to compare.
 */
export async function shownChanges(
  looking: PatchSources,
  run: ActiveRun,
  since: ShownSince = "accepted",
): Promise<ShownChanges | null> {
  const made = currentPhase(run)?.made ?? null;
  if (since === "look" && made !== null) return sinceLook(looking, run, made);
  if (made === null)
    return run.index < run.phases.length ? null : againstBase(looking, run, { tree: null, to: treeAt(run.tip) });
  const whole = isLastPhase(run)
    ? await againstBase(looking, run, { tree: made.tree, to: made.commitTree ?? null })
    : null;
  return whole ?? sinceAccepted(looking, run, made);
}

/** Reads a patch with the facts that decide what is folded. */
async function readPart(
  { workspace, hasMarks = false }: PatchSources,
  run: ActiveRun,
  trees: PatchTrees,
): Promise<PatchPart> {
  const patch = await workspace.patch(trees.from, trees.to);
  const marks = hasMarks ? { background: await readMarkFacts(workspace, run, patch) } : {};
  return { title: null, patch, facts: { ...(await readPatchFacts(workspace, trees, patch)), ...marks } };
}

type PatchEnds = { readonly tree: TreeId | null; readonly to: TreeId | null };

/** Returns the patch of the work as it would be merged, and a second one of uncommitted files. */
async function againstBase(
  looking: PatchSources,
  run: ActiveRun,
  { tree, to }: PatchEnds,
): Promise<ShownChanges | null> {
  const { workspace, vcs } = looking;
  const { base, branch } = run.run.git ?? { base: null, branch: null };
  if (vcs === null || to === null || base === null || branch === null) return null;
  const fork = await vcs.forkPoint(base, branch);
  if (fork === null) return null;
  const from = treeAt(fork);
  const merged = await readPart(looking, run, { base: from, from, to });
  const known = await workspace.diff(from, to);
  const rest = await uncommitted(workspace, { from: runBegan(run).tree, to: tree, known: known ?? [] });
  return { base: `against ${base} (${fork.slice(0, 7)})`, parts: [merged, { title: "Not committed", patch: rest }] };
}

type Beside = { readonly from: TreeId | null; readonly to: TreeId | null; readonly known: readonly FileChange[] };

async function uncommitted(workspace: PatchSources["workspace"], { from, to, known }: Beside): Promise<string> {
  const committed = new Set(known.map(({ path }) => path));
  const written = (await workspace.diff(from, to)) ?? [];
  const rest = written.map(({ path }) => path).filter((path) => !committed.has(path));
  return rest.length === 0 ? "" : workspace.patch(from, to, rest);
}

async function sinceAccepted(looking: PatchSources, run: ActiveRun, made: PhaseOutput): Promise<ShownChanges> {
  const { tree, phase } = isLastPhase(run) ? runBegan(run) : lastAcceptedTree(run);
  const base = phase === null ? "since the run started" : `since you accepted ${phase}`;
  const changed = await readPart(looking, run, { base: runBegan(run).tree, from: tree, to: made.tree });
  return { base, parts: [changed, ...(await besideTheTree(looking, run, made))] };
}

async function sinceLook(looking: PatchSources, run: ActiveRun, made: PhaseOutput): Promise<ShownChanges> {
  if (!hasLookedHere(run)) return sinceAccepted(looking, run, made);
  const trees = { base: runBegan(run).tree, from: lastReviewedTree(run), to: made.tree };
  return {
    base: "since your last review",
    parts: [await readPart(looking, run, trees), ...(await besideTheTree(looking, run, made))],
  };
}

/** Shows commits by others on the branch, and changes by hooks to the commit. */
async function besideTheTree({ workspace }: PatchSources, run: ActiveRun, made: PhaseOutput): Promise<PatchPart[]> {
  const tip = made.standing?.tip ?? null;
  const { plainTree = null, commitTree = null } = made;
  return [
    {
      title: "Committed on the branch by someone else",
      patch: tip === null || tip === run.tip ? "" : await workspace.patch(treeAt(run.tip), treeAt(tip)),
    },
    {
      title: "Changed in the commit by hooks of the repository",
      patch: plainTree === null ? "" : await workspace.patch(plainTree, commitTree),
    },
  ];
}
