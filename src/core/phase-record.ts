import type { Usage } from "../schema/agent.ts";
import type { PhaseOutput, RepositoryStanding, ReturnBases } from "../schema/facts.ts";
import type { CommitId, TreeId } from "../schema/ids.ts";
import type { PhaseRule } from "../schema/plan.ts";
import type { Iteration } from "./findings/ledger.ts";

/** Facts about one phase across its attempts. `attempts` and `redos` are never reset. */
export type PhaseRecord = {
  readonly rule: PhaseRule;
  /** Dropped by sizing. The record stays: a return restores it with its counts. */
  readonly dropped: boolean;
  readonly status: "pending" | "in_progress" | "completed" | "skipped";
  readonly attempts: number;
  readonly redos: number;
  /** Sent back at a gate and not completed since. */
  readonly redoing: boolean;
  /** Redo guidance of this run, oldest first. */
  readonly guidance: readonly string[];
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  /**
   * Tree and commit when the phase was first entered. After a return that kept the files, the tree is their `own`
   * base.
   */
  readonly firstTree: TreeId | null;
  readonly firstCommit: CommitId | null;
  readonly firstStanding: RepositoryStanding | null;
  /** Tree when the phase was last returned to. */
  readonly returnTree: TreeId | null;
  /** Set after a return that kept the files; `firstTree` is then `own`. */
  readonly bases: ReturnBases | null;
  /** Work left in the working tree by a return; null once the phase is entered again. */
  readonly earlierWork: EarlierWork | null;
  /** Tree left by a skipped phase: the first one when the next phase was entered. */
  readonly leftTree: TreeId | null;
  /** Tree last shown at this phase's gate. */
  readonly seenTree: TreeId | null;
  /** Tree accepted by a user at this phase's gate. */
  readonly acceptedTree: TreeId | null;
  readonly made: PhaseOutput | null;
  /** Verdicts of all attempts. */
  readonly iterations: readonly Iteration[];
  readonly checkFailures: number;
  readonly executions: number;
  /** True if an agent session did part of the work. Absent otherwise, as in states of older versions. */
  readonly bySession?: boolean | undefined;
  readonly usage: Usage;
  /** Ended executions without complete token usage. */
  readonly missingUsage: number;
  /** Ended executions without a cost. */
  readonly missingCost: number;
  /** Input tokens of all executions but the first: the cost of reading the same again. */
  readonly repeatedInput: number;
  /** Session of the last attempt, for a redo to continue. */
  readonly session: string | null;
  readonly commit: CommitId | null;
};

/** Changes made by a phase, between two trees, before the run returned to an earlier phase and kept the files. */
export type EarlierWork = {
  readonly from: TreeId;
  /** Null until the next phase is entered; then everything up to the return counts. */
  readonly to: TreeId | null;
  /** Tree that a return to the phase restored at that time. */
  readonly start: TreeId;
  /** Tree at the return; null until the next phase is entered. */
  readonly returnedAt: TreeId | null;
};
