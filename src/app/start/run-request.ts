import type { MetaFields } from "../../core/items/item-meta.ts";
import type { CommitId } from "../../schema/ids.ts";
import type { Initiator } from "../../schema/people.ts";
import type { Budget, Commits, ExecutionLimits, Mode, PhaseRule, RunOptions } from "../../schema/plan.ts";
import type { RememberedAgent, RunAgents } from "../../schema/run-agents.ts";
import type { Choice } from "../choice.ts";
import type { Decisions } from "./choices.ts";
import type { IssueLink } from "../../core/items/item-source.ts";
import { ProblemError } from "../../core/problem.ts";

/** Request for a run, from any interface. */
export type RunRequest = {
  readonly workflow: string;
  /** Description of the work, or reference to an item. */
  readonly title: string;
  /** Usage line for error messages. */
  readonly usage: string;
  /** Issue behind the work. */
  readonly issue?: IssueLink | null;
  /** Initiator, identified once by the interface. */
  readonly by: Initiator;
  readonly decisions: Decisions;
  readonly wishes: RunWishes;
  /** Set if the run is part of the work on a feature, possibly started by an earlier run. */
  readonly feature?: FeatureWork;
  /** Existing item with the phases to run. Determined by planning if missing. */
  readonly target?: BuildTarget;
  /** True if the item already has a line in the backlog. */
  readonly isListed?: boolean;
  /** True if the run's working tree is still to be created. Uncommitted changes here do not affect it. */
  readonly isElsewhere?: boolean;
  /** Work to adopt. Set for workflows that adopt, and only for them. */
  readonly adopts?: AdoptedRange;
  /** Choices already found to be open. */
  readonly choices?: readonly Choice[];
};

/** Commits made outside of isdlc. Uncommitted changes of the working tree are part of the work. */
export type AdoptedRange = {
  /** Last commit before the work. */
  readonly from: CommitId;
  readonly head: CommitId;
  readonly commits: number;
  /** Branch into which the work is merged, and its commit. Null: it cannot be merged. */
  readonly base: { readonly branch: string; readonly commit: CommitId } | null;
  /** Known limits of the range, recorded and displayed. */
  readonly warnings: readonly string[];
  /** False if the user wants no review. */
  readonly isReviewed: boolean;
};

export type RunWishes = {
  readonly mode?: Mode | undefined;
  readonly light?: boolean;
  /** False for no review gates in this run, overriding the project's settings. */
  readonly isSupervised?: boolean | undefined;
  /** Phases with a review gate, by key or number. */
  readonly review?: readonly string[] | undefined;
  /** All agents of the run. Chosen from the other fields if missing. */
  readonly agents?: RunAgents;
  readonly agent?: RememberedAgent | null;
  readonly reviewer?: RememberedAgent | null;
  readonly budget?: Partial<Budget>;
  readonly limits?: Partial<ExecutionLimits>;
  readonly session?: RunOptions["session"];
  readonly sandbox?: string | undefined;
  /** False to work without git. */
  readonly git?: boolean;
  readonly merges?: boolean;
  readonly commits?: Commits | undefined;
  /** Accepts the size recommended by the analysis without asking. */
  readonly acceptsSize?: boolean;
  /** Continues if tests fail before the run. Then only new failures count. */
  readonly acceptsRedTests?: boolean;
  /** Starts at this phase and skips earlier ones. */
  readonly startPhase?: string | undefined;
};

/** Item to build, the phases to run, and the analysis phases completed before. */
export type BuildTarget = {
  /** Existing or new folder of the item; null to draw a number. */
  readonly folder: string | null;
  /** Phases to run, in order. */
  readonly phases: readonly string[];
  /** Analysis phases completed before. */
  readonly analysed: readonly string[];
  /** Fields for the item's record once the run is open. */
  readonly record: MetaFields;
};

export type FeatureWork = {
  readonly mode: Mode;
  /** The feature's existing branch, if any. */
  readonly branch: FeatureBranch | null;
  readonly worktree: string | null;
  /** Folder already reserved for the documents; determined when the run is opened if missing. */
  readonly folder?: string;
  /** Warnings to display and record. */
  readonly warnings: readonly string[];
  /** Adapts the workflow's phases to this run. */
  readonly adapt: (plan: PhaseRule[]) => PhaseRule[];
};

export type FeatureBranch = {
  readonly branch: string;
  readonly base: string | null;
  readonly commit: CommitId;
  readonly baseTip?: CommitId;
};

const MAX_TITLE_LENGTH = 500; // characters

/**
 * Returns the title of a run: the request in one line.
 * @throws ProblemError USAGE.
 */
export function runTitle({ title, usage }: { readonly title: string; readonly usage: string }): string {
  const trimmed = title.replaceAll(/\s+/g, " ").trim();
  if (trimmed !== "" && trimmed.length <= MAX_TITLE_LENGTH) return trimmed;
  const detail = trimmed === "" ? "Describe the change." : `The title is longer than ${MAX_TITLE_LENGTH} characters.`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}
