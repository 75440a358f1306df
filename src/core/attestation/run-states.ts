import type { AttestedState, RunPredicate, RunStatement } from "../../schema/attestation.ts";
import type { AttemptId, CommitId, TreeId } from "../../schema/ids.ts";

/** A commit of a run, other than a merge. */
export type RunStateCommit = {
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
