import type { AttestedState, RunPredicate, RunStatement } from "../../schema/attestation.ts";
import type { AttemptId, CommitId, TreeId } from "../../schema/ids.ts";

/** A commit of a run that is no merge. */
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

/** The state that lands. */
export function lastState(statement: RunStatement): RunStateCommit {
  return statesIn(statement).at(-1) ?? { name: "", commit: "", tree: "", is: "phase", parents: [] };
}

type StatePhase = RunPredicate["phases"][number];

/** The last accepted phase in the order of the plan. */
export function lastAccepted({ phases }: RunPredicate): (StatePhase & { readonly tree: TreeId }) | undefined {
  return phases
    .flatMap((phase) => {
      const { status, accepted, tree } = phase;
      return status === "completed" && accepted !== null && tree !== null ? [{ ...phase, tree }] : [];
    })
    .at(-1);
}
