import type { Usage } from "../schema/agent.ts";
import type { PhaseOutput, RepositoryStanding, ReturnBases } from "../schema/facts.ts";
import type { CommitId, TreeId } from "../schema/ids.ts";
import type { PhaseRule } from "../schema/plan.ts";
import type { Iteration } from "./findings/ledger.ts";

/** What is known about one phase across its attempts. `attempts` and `redos` are never reset. */
export type PhaseRecord = {
  readonly rule: PhaseRule;
  /** Left out by sizing; the record stays, so that going back restores it with its counts. */
  readonly dropped: boolean;
  readonly status: "pending" | "in_progress" | "completed" | "skipped";
  readonly attempts: number;
  readonly redos: number;
  /** Sent back by a person and not completed since. */
  readonly redoing: boolean;
  /** Redo guidance of this run, oldest first. */
  readonly guidance: readonly string[];
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /** Tree (after a return that kept the files: its `own` base) and commit when the phase was first entered. */
  readonly firstTree: TreeId | null;
  readonly firstCommit: CommitId | null;
  readonly firstStanding: RepositoryStanding | null;
  /** The tree when the phase was last returned to. */
  readonly returnTree: TreeId | null;
  /** Set after a return that kept the files; `firstTree` is their `own`. */
  readonly bases: ReturnBases | null;
  /** Work of the phase that a return left in the working tree; null once the phase is entered again. */
  readonly earlierWork: EarlierWork | null;
  /** The tree that a skipped phase left: the first one when the next phase was entered. */
  readonly leftTree: TreeId | null;
  /** Tree last shown to a person at this phase's gate. */
  readonly seenTree: TreeId | null;
  /** Tree that a person accepted at this phase's gate. */
  readonly acceptedTree: TreeId | null;
  readonly made: PhaseOutput | null;
  /** What reviewers said, over all attempts. */
  readonly iterations: readonly Iteration[];
  readonly checkFailures: number;
  readonly executions: number;
  /** True if an agent session did some of its work. Left out otherwise, as in states of older versions. */
  readonly bySession?: boolean | undefined;
  readonly usage: Usage;
  /** Ended executions that did not tell what they used. */
  readonly missingUsage: number;
  /** Those that did not tell what they cost. */
  readonly missingCost: number;
  /** Input tokens of all executions but the first: what reading the same again cost. */
  readonly repeatedInput: number;
  /** The conversation of the last attempt, for a redo to go on with. */
  readonly session: string | null;
  readonly commit: CommitId | null;
};

/** The changes between two trees that a phase made before the run returned to an earlier phase and kept the files. */
export type EarlierWork = {
  readonly from: TreeId;
  /** Null until the next phase is entered: everything up to the return. */
  readonly to: TreeId | null;
  /** The tree that a return to the phase restored at that time. */
  readonly start: TreeId;
  /** The tree at the return; null until the next phase is entered. */
  readonly returnedAt: TreeId | null;
};
