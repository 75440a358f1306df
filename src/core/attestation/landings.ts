import type { CommitId } from "../../schema/ids.ts";
import type { BranchWalks } from "./branch-walk.ts";
import type { QuestionSequence } from "./question.ts";
import type { RunIndex, UsableRun } from "./usable-runs.ts";

/** Last state of a run on another base: squashed, or rebased as several commits. */
export type Landing = {
  readonly run: UsableRun;
  /** All runs brought in by the landing. */
  readonly runs: readonly UsableRun[];
  readonly commits: readonly CommitId[];
  readonly base: CommitId;
  /** True if its tree differs from that of the last state. */
  readonly isMoved: boolean;
};

type Outcome =
  | { readonly is: "landing"; readonly landing: Landing }
  | { readonly is: "refused"; readonly code: "FOREIGN_COMMITS" | "LANDED_BEFORE"; readonly run: UsableRun }
  | { readonly is: "none" };

export type LandingSearch = {
  readonly index: RunIndex;
  readonly walks: BranchWalks;
  /**
   * False for commits that a landing cannot contain: commits outside the range, states, merges, parts of earlier
   * landings.
   */
  readonly mayLand: (commit: CommitId) => boolean;
};

/** Finds the run whose landing ends with a commit. */
export function* findLanding(search: LandingSearch, commit: CommitId): QuestionSequence<Outcome> {
  const chain = chainTo(search, commit);
  const [oldest = commit] = chain.map(({ base }) => base).slice(-1);
  let refused: Outcome = { is: "none" };
  for (const run of search.index.runs) {
    if (run.isSound !== true) continue;
    const most = Math.min(chain.length, search.walks.countSingle(run.last.commit, oldest));
    // Longest first: the last commit of a rebase is also a landing on the commit before it.
    for (const { base, commits } of chain.slice(0, most).toReversed()) {
      const outcome = yield* matchRun(search, run, { base, commits });
      if (outcome.is === "landing") return outcome;
      if (refused.is === "none") refused = outcome;
    }
  }
  return refused;
}

type Candidate = {
  readonly base: CommitId;
  /** Commits after the base, oldest first; the last one is the commit in question. */
  readonly commits: readonly CommitId[];
};

/** Returns candidates with the last one, two, three and more commits, up to one that may not land. */
function chainTo({ index, mayLand }: LandingSearch, commit: CommitId): Candidate[] {
  const found: Candidate[] = [];
  let commits: CommitId[] = [];
  for (let at = commit; mayLand(at);) {
    const base: CommitId | undefined = index.history.find(at)?.parents[0];
    if (base === undefined) break;
    commits = [at, ...commits];
    found.push({ base, commits });
    at = base;
  }
  return found;
}

function* matchRun(
  { index, walks }: LandingSearch,
  run: UsableRun,
  { base, commits }: Candidate,
): QuestionSequence<Outcome> {
  const { history } = index;
  const { last } = run;
  if (history.isAncestor(last.commit, base)) return { is: "none" };
  if (commits.length > walks.countSingle(last.commit, base)) return { is: "none" };
  const tree = history.find(commits.at(-1) ?? "")?.tree;
  if (tree === undefined || (yield* walks.resultOf(base, last)) !== tree) return { is: "none" };
  if (!(yield* areStates({ index, walks }, run, { base, commits: commits.slice(0, -1) }))) return { is: "none" };
  const isClosed = yield* walks.isClosed(last.commit, base);
  if (isClosed === null) return { is: "none" };
  if (!isClosed) return { is: "refused", code: "FOREIGN_COMMITS", run };
  if (yield* hasLanded({ index, walks }, run, { base, tip: last.commit }))
    return { is: "refused", code: "LANDED_BEFORE", run };
  const runs = [...new Set([run, ...walks.runsIn(last.commit, base)])];
  return { is: "landing", landing: { run, runs, commits, base, isMoved: tree !== last.tree } };
}

type LandingTrees = Pick<LandingSearch, "index" | "walks">;

/** True if each commit has the tree of a state on the new base, with later commits at later states. */
function* areStates(
  { index, walks }: LandingTrees,
  run: UsableRun,
  { base, commits }: Candidate,
): QuestionSequence<boolean> {
  const { history } = index;
  const visited = new Set(walks.walk(run.last.commit, base).visited);
  const states = oldestFirst(index, visited).filter((commit) => index.soundRuns(commit, run.last.commit).length > 0);
  let next = 0;
  for (const commit of commits) {
    const tree = history.find(commit)?.tree;
    let isFound = false;
    for (; next < states.length && !isFound; next++) {
      const state = states[next] ?? "";
      isFound = (yield* walks.resultOf(base, { commit: state, tree: history.find(state)?.tree ?? "" })) === tree;
    }
    if (!isFound) return false;
  }
  return true;
}

/** Sorts commits parents first, and by id among commits whose parents are done. */
export function oldestFirst({ history }: Pick<RunIndex, "history">, commits: ReadonlySet<CommitId>): CommitId[] {
  const children = new Map<CommitId, CommitId[]>();
  const waiting = new Map<CommitId, number>();
  for (const commit of commits) {
    const parents = [...new Set(history.find(commit)?.parents ?? [])].filter((parent) => commits.has(parent));
    waiting.set(commit, parents.length);
    for (const parent of parents) children.set(parent, [...(children.get(parent) ?? []), commit]);
  }
  const ready = [...commits]
    .filter((commit) => waiting.get(commit) === 0)
    .toSorted(byId)
    .toReversed();
  const done: CommitId[] = [];
  for (let commit = ready.pop(); commit !== undefined; commit = ready.pop()) {
    done.push(commit);
    for (const child of children.get(commit) ?? []) {
      const left = (waiting.get(child) ?? 0) - 1;
      waiting.set(child, left);
      if (left === 0) insert(ready, child);
    }
  }
  return done;
}

const byId = (one: CommitId, other: CommitId): number => (one < other ? -1 : 1);

/** Inserts a commit into a list that ends with the smallest id. */
function insert(ready: CommitId[], commit: CommitId): void {
  const at = ready.findIndex((other) => other < commit);
  ready.splice(at === -1 ? ready.length : at, 0, commit);
}

type Sides = {
  readonly base: CommitId;
  /** Commit that brings the run to the base. */
  readonly tip: CommitId;
};

/** True if the base had the run's result at some commit since the tip left it: an approved change lands once. */
export function* hasLanded(
  { index, walks }: LandingTrees,
  { last }: UsableRun,
  { base, tip }: Sides,
): QuestionSequence<boolean> {
  const { history } = index;
  const { forks } = walks.walk(tip, base);
  for (let commit: CommitId | undefined = base; commit !== undefined;) {
    const at: CommitId = commit;
    if (forks.some((fork) => history.isAncestor(at, fork))) return false;
    const tree = history.find(at)?.tree;
    if (tree !== undefined && (yield* walks.resultOf(at, last)) === tree) return true;
    [commit] = history.find(at)?.parents ?? [];
  }
  return false;
}

/** True if the run landed on the base, which no longer has it: the tip would bring it back. */
export function* bringsBack(trees: LandingTrees, run: UsableRun, sides: Sides): QuestionSequence<boolean> {
  const { history } = trees.index;
  if (history.isAncestor(run.last.commit, sides.base)) return false;
  if ((yield* trees.walks.resultOf(sides.base, run.last)) === history.find(sides.base)?.tree) return false;
  return yield* hasLanded(trees, run, sides);
}
