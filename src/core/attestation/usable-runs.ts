import type { CommitId, RunId, AttemptId, TreeId } from "../../schema/ids.ts";
import { type CommitMap, createHistory, type History, type HistoryCommit } from "./history.ts";
import { type QuestionSequence, askRecordOnly } from "./question.ts";
import type { SignedStatement } from "./signed-statement.ts";
import type { AttestedState, RunPredicate, RunStatement } from "../../schema/attestation.ts";

export type UsableRun = {
  readonly run: RunId;
  readonly signed: SignedStatement;
  readonly states: readonly RunStateCommit[];
  readonly last: RunStateCommit;
  /** True if the last state is approved; null if unknown. */
  readonly isSound: boolean | null;
};

/** Usable runs in order of their start, and the history with their commits. */
export type RunIndex = {
  readonly runs: readonly UsableRun[];
  readonly history: History;
  /** Returns sound runs that have the commit as a state and whose last state is `tip` or an ancestor of it. */
  soundRuns(commit: CommitId, tip: CommitId): readonly UsableRun[];
  /** Returns usable runs, sound or not, that have the commit as a state. */
  withState(commit: CommitId): readonly UsableRun[];
};

export function* indexRuns(usable: readonly SignedStatement[], repository: CommitMap): QuestionSequence<RunIndex> {
  const runs: UsableRun[] = [];
  const commits = new Map<CommitId, HistoryCommit>(repository);
  const byState = new Map<CommitId, UsableRun[]>();
  for (const signed of usable) {
    const run = yield* toUsableRun(signed);
    runs.push(run);
    for (const { commit, tree, parents } of run.states) {
      if (!commits.has(commit)) commits.set(commit, { tree, parents, committedAt: 0 });
      byState.set(commit, [...(byState.get(commit) ?? []), run]);
    }
  }
  const history = createHistory(commits);
  const withState = (commit: CommitId): readonly UsableRun[] => byState.get(commit) ?? [];
  return {
    runs,
    history,
    withState,
    soundRuns: (commit, tip) =>
      withState(commit).filter(({ isSound, last }) => isSound === true && history.isAncestor(last.commit, tip)),
  };
}

function* toUsableRun(signed: SignedStatement): QuestionSequence<UsableRun> {
  const { statement } = signed;
  const { run, item } = statement.predicate;
  const states = statesIn(statement);
  const last = states.at(-1) ?? { name: "", commit: "", tree: "", is: "phase" as const, parents: [] };
  const approved = lastAccepted(statement.predicate)?.tree;
  const isSound = approved === undefined ? false : yield* askRecordOnly(approved, last.tree, item);
  return { run, signed, states, last, isSound };
}

/** Returns sound runs whose last state the second parent of a merge has, but not the first parent. */
export function runsBroughtIn(
  { runs, history }: RunIndex,
  [first = "", second = ""]: readonly CommitId[],
): readonly UsableRun[] {
  return runs.filter(
    ({ isSound, last }) =>
      isSound === true && history.isAncestor(last.commit, second) && !history.isAncestor(last.commit, first),
  );
}

/** A commit of a run, other than a merge. */
type RunStateCommit = {
  readonly name: AttemptId;
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly is: AttestedState["is"];
  readonly parents: readonly CommitId[];
};

export function statesIn({ subject, predicate }: RunStatement): RunStateCommit[] {
  return subject.flatMap(({ name, digest }, index) => {
    const state = predicate.states[index];
    if (state === undefined || state.is === "merge") return [];
    return [{ name, commit: digest.gitCommit, tree: digest.gitTree, is: state.is, parents: state.parents }];
  });
}

/** Returns the state that lands. */
export function lastState(statement: RunStatement): RunStateCommit {
  return statesIn(statement).at(-1) ?? { name: "", commit: "", tree: "", is: "phase", parents: [] };
}

type StatePhase = RunPredicate["phases"][number];

/** Returns the last accepted phase in plan order. */
export function lastAccepted({ phases }: RunPredicate): (StatePhase & { readonly tree: TreeId }) | undefined {
  return phases
    .flatMap((phase) => {
      const { status, accepted, tree } = phase;
      return status === "completed" && accepted !== null && tree !== null ? [{ ...phase, tree }] : [];
    })
    .at(-1);
}
