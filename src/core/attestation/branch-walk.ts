import type { CommitId, TreeId } from "../../schema/ids.ts";
import { type QuestionSequence, askMerge } from "./question.ts";
import type { RunIndex, UsableRun } from "./usable-runs.ts";

type Point = { readonly commit: CommitId; readonly tree: TreeId };

/** Commits reachable from `tip`, but not from `base`. */
type BranchWalk = {
  readonly visited: readonly CommitId[];
  /** Commits of `base` at which the walk stops. */
  readonly forks: readonly CommitId[];
  /** False if the parents of a visited commit are unknown. */
  readonly isComplete: boolean;
};

export type BranchWalks = {
  walk(tip: CommitId, base: CommitId): BranchWalk;
  /** True if every commit of the walk is a state of a sound run or a merge that adds nothing; null if unknown. */
  isClosed(tip: CommitId, base: CommitId): QuestionSequence<boolean | null>;
  /** Returns the tree of `onto` after a merge of `tip`. Null if the merge conflicts or is unknown. */
  resultOf(onto: CommitId, tip: Point): QuestionSequence<TreeId | null>;
  /** Returns sound runs with a state among the visited commits. */
  runsIn(tip: CommitId, base: CommitId): readonly UsableRun[];
  /** Returns the number of visited commits with one parent. */
  countSingle(tip: CommitId, base: CommitId): number;
};

export function createBranchWalks(index: RunIndex): BranchWalks {
  const walks = new Map<string, BranchWalk>();
  const results = new Map<string, TreeId | null>();
  const walk: BranchWalks["walk"] = (tip, base) => {
    const name = `${tip} ${base}`;
    const known = walks.get(name) ?? walkBranch(index, tip, base);
    walks.set(name, known);
    return known;
  };
  return {
    walk,
    isClosed: (tip, base) => isClosed(index, tip, walk(tip, base)),
    *resultOf(onto, tip) {
      const name = `${onto} ${tip.commit}`;
      const known = results.get(name);
      if (known !== undefined) return known;
      const result = yield* mergeResult(index, walk(tip.commit, onto), { onto, tip });
      results.set(name, result);
      return result;
    },
    runsIn: (tip, base) => [...new Set(walk(tip, base).visited.flatMap((commit) => index.soundRuns(commit, tip)))],
    countSingle: (tip, base) =>
      walk(tip, base).visited.filter((commit) => index.history.find(commit)?.parents.length === 1).length,
  };
}

function walkBranch({ history }: RunIndex, tip: CommitId, base: CommitId): BranchWalk {
  const visited = new Set<CommitId>();
  const forks = new Set<CommitId>();
  let isComplete = true;
  const stack = [tip];
  for (let commit = stack.pop(); commit !== undefined; commit = stack.pop()) {
    if (visited.has(commit)) continue;
    if (history.isAncestor(commit, base)) {
      forks.add(commit);
      continue;
    }
    visited.add(commit);
    const found = history.find(commit);
    if (found === undefined) isComplete = false;
    stack.push(...(found?.parents ?? []));
  }
  return { visited: [...visited], forks: [...forks], isComplete };
}

function* isClosed(
  index: RunIndex,
  tip: CommitId,
  { visited, isComplete }: BranchWalk,
): QuestionSequence<boolean | null> {
  let isEvery = true;
  let isKnown = isComplete;
  for (const commit of visited) {
    if (index.soundRuns(commit, tip).length > 0) continue;
    const found = index.history.find(commit);
    if (found === undefined) continue;
    const [first, second, ...more] = found.parents;
    if (first === undefined || second === undefined || more.length > 0) {
      isEvery = false;
      continue;
    }
    const answer = yield* askMerge(first, second, found.tree);
    if (answer.is === "unknown") isKnown = false;
    else if (answer.is === "conflict" || answer.tree !== found.tree) isEvery = false;
  }
  return isKnown ? isEvery : null;
}

function* mergeResult(
  { history }: RunIndex,
  { forks, isComplete }: BranchWalk,
  { onto, tip }: { onto: CommitId; tip: Point },
): QuestionSequence<TreeId | null> {
  const tree = history.find(onto)?.tree;
  const [fork, ...more] = forks;
  const isForkTree = isComplete && fork !== undefined && more.length === 0 && history.find(fork)?.tree === tree;
  if (tree === tip.tree || (tree !== undefined && isForkTree)) return tip.tree;
  const answer = yield* askMerge(onto, tip.commit);
  return answer.is === "tree" ? answer.tree : null;
}
