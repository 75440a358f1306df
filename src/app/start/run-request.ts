import type { IssueLink } from "../../core/items/issue-link.ts";
import type { MetaFields } from "../../core/items/item-meta.ts";
import type { CommitId } from "../../schema/ids.ts";
import type { Initiator } from "../../schema/people.ts";
import type { Budget, Commits, ExecutionLimits, Mode, PhaseRule, RunOptions } from "../../schema/plan.ts";
import type { RememberedAgent, RunAgents } from "../../schema/run-agents.ts";
import type { Choice } from "../choice.ts";
import type { Decisions } from "./choices.ts";

/** What somebody wants done, as any surface asks for it. */
export type RunRequest = {
  readonly workflow: string;
  /** What to do, or the item that is meant. */
  readonly title: string;
  /** How it is asked for here, for who asked in vain. */
  readonly usage: string;
  /** The issue that the work comes from. */
  readonly issue?: IssueLink | null;
  /** Who asks; identified once, by the surface. */
  readonly by: Initiator;
  readonly decisions: Decisions;
  readonly wishes: RunWishes;
  /** Where this is part of the work on a feature, which may have been begun by an earlier run. */
  readonly feature?: FeatureWork;
  /** An item that is there already, with the phases that are to be run; found out where it is left out. */
  readonly target?: BuildTarget;
  /** True for an item that has its line in the backlog already. */
  readonly isListed?: boolean;
  /** True while a place for the run is still to be made: what is not committed here does not concern it. */
  readonly isElsewhere?: boolean;
  /** What was found to be open before. */
  readonly choices?: readonly Choice[];
};

export type RunWishes = {
  readonly mode?: Mode | undefined;
  readonly light?: boolean;
  /** False: no review gates in this run, whatever the project's settings say. */
  readonly isSupervised?: boolean | undefined;
  /** Phases with a review gate, by key or number. */
  readonly review?: readonly string[] | undefined;
  /** All agents of the run; found out from the others where it is left out. */
  readonly agents?: RunAgents;
  readonly agent?: RememberedAgent | null;
  readonly reviewer?: RememberedAgent | null;
  readonly budget?: Partial<Budget>;
  readonly limits?: Partial<ExecutionLimits>;
  readonly session?: RunOptions["session"];
  readonly sandbox?: string | undefined;
  /** False: works in place, whatever there is. */
  readonly git?: boolean;
  readonly merges?: boolean;
  readonly commits?: Commits | undefined;
  /** Takes the size that the analysis recommends without asking. */
  readonly acceptsSize?: boolean;
  /** Goes on where tests fail before the run; only new failures count then. */
  readonly acceptsRedTests?: boolean;
  /** Begins at this phase; what comes before it is left out. */
  readonly startPhase?: string | undefined;
};

/** Where a build starts, and what it builds on. */
export type BuildTarget = {
  /** Folder of an item that has one, or is to have one of this name; null where a number is drawn. */
  readonly folder: string | null;
  /** Phases to run, in order. */
  readonly phases: readonly string[];
  /** Analysis phases that were done before. */
  readonly analysed: readonly string[];
  /** To be kept in the item's record once the run is open. */
  readonly record: MetaFields;
};

export type FeatureWork = {
  readonly mode: Mode;
  /** The feature's own branch where there is one already. */
  readonly branch: FeatureBranch | null;
  readonly worktree: string | null;
  /** To be shown, and recorded. */
  readonly warnings: readonly string[];
  /** What is different in this run about the phases it has. */
  readonly adapt: (plan: PhaseRule[]) => PhaseRule[];
};

export type FeatureBranch = {
  readonly branch: string;
  readonly base: string | null;
  readonly commit: CommitId;
  readonly baseTip?: CommitId;
};
