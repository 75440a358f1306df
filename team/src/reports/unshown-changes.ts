import { must } from "../../../src/adapters/git/process/git.ts";
import { isObjectId } from "../../../src/adapters/git/process/ref-name.ts";
import { changesBetween } from "../../../src/adapters/git/snapshot/tree-diff.ts";
import { evolve } from "../../../src/core/evolve/evolve.ts";
import { lastAcceptedTree } from "../../../src/core/changes/last-reviewed-tree.ts";
import { type ActiveRun, currentPhase, noRun, type RunState } from "../../../src/core/run.ts";
import { recordDocuments } from "../../../src/engine/steps/item-record.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import type { FileChange, PhaseOutput } from "../../../src/schema/facts.ts";
import type { TreeId } from "../../../src/schema/ids.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { refusedField } from "./refused-field.ts";

/** Trees of a report: the one shown at the gate, and the one that accepting it would commit. */
export type ReportedTrees = Pick<PhaseOutput, "tree"> & {
  readonly [K in "commitTree" | "wholeTree"]?: TreeId | undefined;
};

export type UnshownQuery = {
  readonly trees: ReportedTrees;
  /** All events of the run. */
  readonly events: () => Promise<readonly RunEvent[]>;
};

export type UnshownChanges = {
  readonly paths: readonly string[];
  /** Ends of the comparison that shows them. */
  readonly from: TreeId;
  readonly to: TreeId;
};

/** Returns the tree that accepting the phase would commit. Null if it commits nothing. */
export const committedTree = ({ commitTree, wholeTree }: ReportedTrees): TreeId | null =>
  wholeTree ?? commitTree ?? null;

/**
 * Compares the commit of a phase with the diff at its gate, in the server's own copy: the worker chooses both trees of
 * that diff and the committed one. A changed file counts as shown if the commit contains it as in the shown tree, and
 * the diff starts from an accepted tree or from the same file as the commit. @throws ProblemError NOT_ALLOWED if a tree
 * is missing at the remote
 */
export async function findUnshownChanges(
  copy: RepositoryCopy,
  run: ActiveRun,
  { trees, events }: UnshownQuery,
): Promise<UnshownChanges | null> {
  const to = committedTree(trees);
  if (to === null || run.run.git === null) return null;
  if (trees.tree === null) throw refusedField("tree", "the commit has no tree to show");
  const base = lastAcceptedTree(run).tree;
  const known = findAccepted(run);
  const { commit } = run.run.git;
  const from = known.at(-1)?.committed ?? (await findStart(copy, run, commit));
  const shown = { tree: trees.tree, base: base ?? from };
  await fetchTrees(copy, run, [shown.tree, shown.base, from, to]);
  const paths = async (one: TreeId, other: TreeId): Promise<readonly string[]> => {
    const changes = await compareInCopy(copy, run, { from: one, to: other });
    if (changes === null) throw refusedField("tree", `the remote does not have ${one} or ${other}`);
    return changes.map(({ path }) => path);
  };
  const own = new Set(recordDocuments(run));
  const isKnownBase = known.some(({ tree }) => tree === shown.base);
  const hidden = isKnownBase ? [] : await paths(from, shown.base);
  const others = new Set([...(await paths(shown.tree, to)), ...hidden]);
  const found = (await paths(from, to)).filter((path) => others.has(path) && !own.has(path));
  if (found.length === 0 || (currentPhase(run)?.bases ?? null) === null) return { paths: found, from, to };
  // After a return that kept files, the commit also contains accepted work of later phases.
  const accepted = listAcceptedCommits(await events());
  await fetchTrees(copy, run, accepted);
  const different = await Promise.all(accepted.map(async (tree) => new Set(await paths(tree, to))));
  return { paths: found.filter((path) => different.every((set) => set.has(path))), from, to };
}

type AcceptedTree = { readonly tree: TreeId; readonly committed: TreeId };

/** Trees accepted by approvers in earlier phases, oldest first. */
const findAccepted = ({ phases, index }: ActiveRun): readonly AcceptedTree[] =>
  phases.slice(0, index).flatMap(({ acceptedTree, made }) => {
    const committed = made === null ? null : committedTree(made);
    return acceptedTree === null || committed === null ? [] : [{ tree: acceptedTree, committed }];
  });

/** Lists the commits accepted by approvers in the whole run. */
function listAcceptedCommits(events: readonly RunEvent[]): readonly TreeId[] {
  const accepted: TreeId[] = [];
  let state: RunState = noRun;
  for (const event of events) {
    const made = state.is === "active" ? (currentPhase(state)?.made ?? null) : null;
    const tree = made === null ? null : committedTree(made);
    if (event.type === "phase.accepted" && event.by !== "engine" && tree !== null) accepted.push(tree);
    state = evolve(state, event);
  }
  return [...new Set(accepted)];
}

/** The commit of a brought run is the user's word: the part of it that the base has is the start. */
async function findStart(copy: RepositoryCopy, run: ActiveRun, commit: string): Promise<string> {
  const { brought, git } = run.run;
  if (brought === undefined || git === null || git.base === null) return commit;
  await fetchTrees(copy, run, [commit]);
  const ref = `refs/heads/${git.base}`;
  const tip = (await copy.fetch([ref])).get(ref);
  if (tip === undefined) throw refusedField("commit", `the remote has no ${git.base}`);
  const found = await copy.git(["merge-base", commit, tip]);
  const [id = ""] = found.stdout.toString("latin1").split("\n");
  if (found.status !== 0 || !isObjectId(id)) throw refusedField("commit", `${commit} is not based on ${git.base}`);
  return id;
}

/** Fetches the trees and commits of a run that the copy does not have. */
export async function fetchTrees(copy: RepositoryCopy, run: ActiveRun, wanted: readonly TreeId[]): Promise<void> {
  if (!wanted.every(isObjectId)) throw refusedField("tree", "it is not an object id");
  const ids = [...new Set(wanted)];
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(""));
  const listed = await must(copy.git(["cat-file", "--batch-check"], { input }), "cat-file");
  const lines = listed.toString("latin1").split("\n");
  const missing = ids.filter((_, at) => lines[at]?.endsWith(" missing") === true);
  if (missing.length > 0) await fetchObjects(copy, run, missing);
}

/** Lists the changes between two trees. A fetch that failed can have left a tree without its files: fetches again. */
export async function compareInCopy(
  copy: RepositoryCopy,
  run: ActiveRun,
  pair: { readonly from: TreeId; readonly to: TreeId },
): Promise<FileChange[] | null> {
  const changes = await changesBetween(copy.git, pair);
  if (changes !== null) return changes;
  await fetchObjects(copy, run, [pair.from, pair.to]);
  return changesBetween(copy.git, pair);
}

async function fetchObjects(copy: RepositoryCopy, { run }: ActiveRun, ids: readonly string[]): Promise<void> {
  const branches = [run.git?.base ?? null, run.git?.branch ?? null].filter((name) => name !== null);
  await fetchOnce(copy, [
    ...ids.map((id) => `refs/isdlc/${run.run}/${id}`),
    ...branches.map((name) => `refs/heads/${name}`),
  ]);
}

const fetching = new WeakMap<RepositoryCopy, Map<string, Promise<unknown>>>();

/** A repeated report waits for the fetch of the earlier one, instead of starting another. */
async function fetchOnce(copy: RepositoryCopy, names: readonly string[]): Promise<void> {
  const running = fetching.get(copy) ?? new Map<string, Promise<unknown>>();
  fetching.set(copy, running);
  const key = names.join(" ");
  const fetched = running.get(key) ?? copy.fetch(names).finally(() => running.delete(key));
  running.set(key, fetched);
  await fetched;
}
