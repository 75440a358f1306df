import type { CommitId, RunId, TreeId } from "../schema/ids.ts";
import { approvedTree } from "./attestation/evidence.ts";
import { currentPhase, type RunState } from "./run.ts";

/** Facts in every signed decision besides the answer: a signature for other files or another run is invalid. */
export type SignedFacts = {
  readonly run: RunId;
  /** Commit at which the run started; null without git. */
  readonly start: CommitId | null;
  /** Tree that accepting the current phase would commit. */
  readonly tree: TreeId | null;
};

export function signedFacts(run: RunId, state: RunState): SignedFacts {
  const phase = state.is === "active" ? currentPhase(state) : undefined;
  return {
    run,
    start: state.is === "none" ? null : (state.run.git?.commit ?? null),
    tree: approvedTree(phase?.made ?? null),
  };
}
