import type { GateFacts } from "../../core/command.ts";
import type { ActiveRun, PhaseRecord } from "../../core/run.ts";
import type { FileChange, RepositoryStanding } from "../../schema/facts.ts";
import type { CommitId, TreeId } from "../../schema/ids.ts";
import type { ComposedTree } from "../../ports/vcs.ts";
import type { Engine } from "../engine.ts";
import { isBookkeeping } from "../../core/items/item-meta.ts";
import { adoptedNotices } from "./adopted-work.ts";
import { lostEditNotices } from "./assignments.ts";
import { composeProposal, prepareProposal } from "./proposal.ts";

type RepositoryReader = Pick<Engine, "vcs">;

/** Reads the repository state; undefined without git, and in the analysis of an item. */
export async function readRepositoryStanding(
  { vcs }: RepositoryReader,
  { run }: ActiveRun,
): Promise<RepositoryStanding | undefined> {
  return vcs === null ? undefined : vcs.standing(run.git?.branch ?? null, run.git?.base ?? null);
}

type ChangedTree = {
  readonly from: TreeId | null;
  readonly tree: TreeId | null;
  readonly changed: readonly FileChange[] | null;
};

/** @throws ProblemError if the content of a new object has another id. */
export async function verifyObjects({ workspace }: Engine, { from, tree, changed }: ChangedTree): Promise<void> {
  if (tree !== null && changed !== null && changed.length > 0) await workspace.verify(from, tree);
}

/** Facts of a gate apart from files; `mixed` as in a composed tree. */
type Beside = Partial<GateFacts> & { readonly mixed?: readonly string[] };

/** Snapshot to show, and the run once it is accepted. */
type Preview = { readonly tree: TreeId | null; readonly accepted: ActiveRun };

/**
 * Reads the repository state, and creates the commit that accepting the phase moves the branch to. Creates none if the
 * user has to decide about mixed files first.
 */
async function previewCommit(engine: Engine, run: ActiveRun, { tree, accepted }: Preview): Promise<Beside> {
  const { vcs } = engine;
  const [standing, lost] = await Promise.all([readRepositoryStanding(engine, run), lostEditNotices(engine, run, tree)]);
  if (standing === undefined || vcs === null) return lost.length === 0 ? {} : { notices: lost };
  const proposal = tree === null ? null : { tree, onto: standing.tip, accepted };
  const [others, composed] = await Promise.all([
    noticesOfOthers(engine, run, standing),
    proposal === null ? null : composeProposal(engine, proposal),
  ]);
  if (composed === null || proposal === null) return { standing, notices: [...lost, ...others] };
  const { notices, mixed } = composedNotices(run, standing, composed);
  const found = { standing, notices: [...lost, ...others, ...notices], ...(mixed.length === 0 ? {} : { mixed }) };
  if (run.run.options.commits === "end") return { ...found, wholeTree: composed.tree };
  if (mixed.some((path) => !run.together.includes(path))) return { ...found, commitTree: composed.tree };
  const prepared = await prepareProposal(vcs, proposal, composed.tree);
  const commit = { commitTree: prepared.tree, proposedCommit: prepared.commit };
  if (prepared.tree === composed.tree) return { ...found, ...commit };
  return { ...found, ...commit, plainTree: composed.tree, notices: [...found.notices, hookedLine(prepared.changes)] };
}

type Scan = { readonly name: string; readonly accepted: ActiveRun };

/** Takes a snapshot and previews its commit. If hooks changed the commit, takes the snapshot again after them. */
export async function scanForGate(engine: Engine, run: ActiveRun, { name, accepted }: Scan) {
  const include = [run.run.item];
  const tree = await engine.workspace.snapshot(name, include);
  const beside = await previewCommit(engine, run, { tree, accepted });
  return { ...beside, tree: beside.plainTree === undefined ? tree : await engine.workspace.snapshot(name, include) };
}

const hookedLine = (changes: readonly FileChange[]): string =>
  `Hooks of the repository changed the commit: ${changes.map(({ path, change }) => `${path} (${change})`).join(", ")}`;

/**
 * Lists gaps of the run's commits: commits by others, changes outside of any diff, files hidden from git, and untrusted
 * repository commands.
 */
async function noticesOfOthers(engine: Engine, run: ActiveRun, standing: RepositoryStanding): Promise<string[]> {
  const found = await Promise.all([
    commitsOfOthers(engine, run, standing),
    engine.traces.left(),
    engine.workspace.hidden(),
    run.run.options.commits === "none" ? [] : engine.gitPrograms.leftOut(),
  ]);
  return [...adoptedNotices(run), ...found.flat()];
}

/** Overlapping lines belong to the user only if no one else committed to the branch. */
function composedNotices({ tip, together }: ActiveRun, standing: RepositoryStanding, composed: ComposedTree) {
  const mixed = composed.mixed.filter((path) => !isBookkeeping(path)); // without the engine's own documents, which it writes into the commit
  const unfiltered = composed.unfiltered.map(unfilteredLine);
  if (standing.tip !== tip) return { mixed: [], notices: [...mixed.map(overtakenLine), ...unfiltered] };
  return { mixed, notices: [...mixed.map((path) => mixedLine(path, together)), ...unfiltered] };
}

const mixedLine = (path: string, together: readonly string[]): string =>
  `${path} contains your uncommitted edits, which cannot be separated from the phase's changes: ${
    together.includes(path) ? "the edits are committed with it, as you chose" : "the file is not committed"
  }`;

const overtakenLine = (path: string): string =>
  `${path} was also changed by a commit on the branch: the file is not committed`;

const unfilteredLine = (path: string): string =>
  `${path} has a filter that only this repository's settings name: it is committed as it is, unfiltered`;

async function commitsOfOthers(
  { vcs }: RepositoryReader,
  { tip }: ActiveRun,
  standing: RepositoryStanding,
): Promise<string[]> {
  if (vcs === null || standing.tip === tip || standing.tip === null) return [];
  const subjects = await vcs.commitsBetween(tip, standing.tip);
  return subjects.length === 0
    ? [`the branch no longer has ${short(tip)}, which was committed to it`]
    : subjects.map((subject) => `committed on the branch by someone else: ${subject}`);
}

/** Describes differences between two repository states for the user. */
export function movedSince(before: RepositoryStanding, now: RepositoryStanding, { run }: ActiveRun): string[] {
  const settings = new Set([...Object.keys(before.settings), ...Object.keys(now.settings)]);
  const changed = [...settings].filter((name) => before.settings[name] !== now.settings[name]);
  return [
    ...(before.at === now.at ? [] : [headLine(before.at, now.at, run.git?.branch ?? null)]),
    ...(before.tip === now.tip
      ? []
      : [`${run.git?.branch ?? "the branch"} moved from ${short(before.tip)} to ${short(now.tip)}`]),
    ...(before.base === now.base
      ? []
      : [`${run.git?.base ?? "the base"} moved from ${short(before.base)} to ${short(now.base)}`]),
    ...changed.toSorted().map((name) => `${name} was changed`),
  ];
}

/** Names the branch the user switched to; the run continues on its own. */
function headLine(before: string, now: string, own: string | null): string {
  const isLeft = own !== null && before === `refs/heads/${own}`;
  return isLeft
    ? `${named(now)} is checked out instead of the run's branch ${own}; Continue goes back to ${own}`
    : `HEAD moved from ${named(before)} to ${named(now)}`;
}

/** Lists moves of HEAD and base, and changed settings, during an attempt. Only the engine may commit for a run. */
export function movedPaths(run: ActiveRun, phase: PhaseRecord, now: RepositoryStanding | undefined): string[] {
  if (now === undefined) return [];
  const { at, tip, base, settings } = phase.firstStanding ?? { ...now, tip: phase.firstCommit, base: run.base };
  const names = new Set([...Object.keys(settings), ...Object.keys(now.settings)]);
  const baseName = run.run.git?.branch === null ? null : (run.run.git?.base ?? null);
  return [
    ...(now.tip === tip && now.at === at ? [] : [".git/HEAD"]),
    ...(baseName === null || (now.base === base && now.base === run.base) ? [] : [`.git/refs/heads/${baseName}`]),
    ...[...names].filter((name) => settings[name] !== now.settings[name]).toSorted(),
  ];
}

const named = (at: string): string => (at.startsWith("refs/heads/") ? at.slice("refs/heads/".length) : short(at));
export const short = (commit: CommitId | null): string => commit?.slice(0, 12) ?? "nothing";
