import type { Brought } from "./brought-answers.ts";
import type { Issue, Question, Reply, Usage } from "../schema/agent.ts";
import type { Brief, EventDraft, GateChoice, Step } from "../schema/event.ts";
import type { CheckResult, Claim, RepositoryStanding, Sizing, TestCommand } from "../schema/facts.ts";
import type { CommitId, PhaseKey, TreeId, WaitId } from "../schema/ids.ts";
import type { Person } from "../schema/people.ts";
import type { Budget, Finish, Supervision } from "../schema/plan.ts";
import type { PhaseRecord } from "./phase-record.ts";

export type { EarlierWork, PhaseRecord } from "./phase-record.ts";

/** State of a run: a fold of its journal. Its type has no invalid states. */
export type RunState = { readonly is: "none" } | ActiveRun | EndedRun;

type RunStartEvent = Extract<EventDraft, { type: "run.started" }>;

/**
 * Facts resolved when the run opened. Later events change only the agents, execution limits, the form of summaries,
 * removed passkeys, and options of a run brought to a team.
 */
export type RunFacts = Readonly<Omit<RunStartEvent, "type" | "plan" | "supervision" | "tests">> & {
  /** Parts of the journal recorded on users' machines and brought to a team. */
  readonly brought?: readonly Brought[];
  readonly startedAt: string;
};

type Common = {
  readonly run: RunFacts;
  readonly phases: readonly PhaseRecord[];
  readonly answers: readonly Answer[];
  /** Sequence number of the last folded event. */
  readonly seq: number;
  readonly supervision: Supervision;
  /** Size of the work; reset by a return to the phase that determined it, or an earlier one. */
  readonly sizing: SizingDecision | null;
  /** Time when a pull request was chosen as the way to finish: nothing is undone after it. Null: not sealed. */
  readonly sealedAt: string | null;
};

export type SizingDecision = Readonly<Omit<Extract<EventDraft, { type: "sizing.decided" }>, "type">> & {
  readonly at: string;
  readonly phase: PhaseKey;
};

export type ActiveRun = Common & {
  readonly is: "active";
  /** Index of the current phase; `phases.length` after the last one. */
  readonly index: number;
  readonly stage: Stage;
  /** Sequence number of the event that opened the stage; outcomes must name it. */
  readonly since: number;
  /** Time of that event. Commits of the stage have it, to be the same when the step is repeated. */
  readonly sinceAt: string;
  /** At most one wait, which freezes the stage until its answer. */
  readonly wait: Wait | null;
  readonly tests: TestCommand | null;
  /** Test result from before the first phase; null if the tests were not run. */
  readonly baseline: Baseline | null;
  /** Current budget of the run, after which the user is asked. */
  readonly budget: Budget | null;
  /** True after an agent reported impossible usage, until the user decides how to continue. */
  readonly unknownUsage: boolean;
  /** True if the cost of a stopped execution was estimated from its tokens. */
  readonly estimatedCost: boolean;
  /** Least usage of a completed execution; null before the first one. */
  readonly leastUsage: Usage | null;
  /** Last commit on the run's branch made by the run or shown to the user; null without git. */
  readonly tip: CommitId | null;
  /** Position of the base when last shown to the user; null without a base. */
  readonly base: CommitId | null;
  /** Files that the user allows to commit with their own uncommitted changes. */
  readonly together: readonly string[];
  /** True once the tasks of the accepted design were refined; reset by a return to that phase or an earlier one. */
  readonly refined: boolean;
  /** User edits that no gate has accepted yet, oldest first. */
  readonly userEdits: readonly UserEdit[];
  /** Last recorded tree since agents stopped; differences from it are user edits. Null while agents work. */
  readonly untouched: { readonly tree: TreeId; readonly phase: number } | null;
};

/** A user's change between two trees, at the gate of a phase. */
export type UserEdit = {
  /** Index of the phase. */
  readonly phase: number;
  readonly from: TreeId;
  readonly to: TreeId;
};

/** `isAccepted`: tests failed, and a user accepted the failures. */
export type Baseline = { readonly result: CheckResult; readonly isAccepted: boolean };

export type EndedRun = FinishedRun | CancelledRun;

export type FinishedRun = EndedBase & {
  readonly how: "finished";
  readonly finish: Finish;
  readonly merged: CommitId | null;
};

export type CancelledRun = EndedBase & {
  readonly how: "cancelled";
  readonly reason: string;
  /** Current phase at the time of the cancel; null after the last phase. */
  readonly cancelledAt: PhaseKey | null;
};

/** Returns the merge commit, if anything was merged. */
export const mergedAs = (run: EndedRun): CommitId | null => (run.how === "finished" ? run.merged : null);

/** Returns how the run was finished, if it was. */
export const chosenFinish = (run: EndedRun): Finish | null => (run.how === "finished" ? run.finish : null);

/** Returns why the run was cancelled, if it was. */
export const cancelReason = (run: EndedRun): string | null => (run.how === "cancelled" ? run.reason : null);

type EndedBase = Common & { readonly is: "ended"; readonly endedAt: string };

export type Stage =
  | { readonly is: "preparing" }
  | { readonly is: "baselining" }
  | { readonly is: "entering"; readonly brief: Brief }
  | { readonly is: "producing"; readonly work: AttemptState; readonly brief: Brief; readonly claim: Claim | null }
  | { readonly is: "checking"; readonly work: AttemptState; readonly draft: Draft }
  | { readonly is: "reviewing"; readonly work: AttemptState; readonly draft: Draft; readonly claim: Claim | null }
  | { readonly is: "completing"; readonly work: AttemptState; readonly draft: Draft }
  | { readonly is: "produced"; readonly pausedAt: string | null }
  | {
      readonly is: "rechecking";
      readonly by: Person;
      /** Digests of failures shown at the gate that the user continued despite. */
      readonly overruled: readonly string[];
      readonly loosened: Supervision | null;
      readonly pausedAt: string | null;
      readonly resumedAt: string;
    }
  | { readonly is: "accepting"; readonly pausedAt: string | null; readonly resumedAt: string | null }
  | { readonly is: "measuring" }
  | { readonly is: "refining"; readonly work: AttemptState; readonly brief: Brief; readonly claim: Claim | null }
  | { readonly is: "rewinding"; readonly to: PhaseKey; readonly brief: Brief }
  /** `seenAt`: position of HEAD when the user was last asked; null if it was not recorded. */
  | { readonly is: "finishing"; readonly how: Finish | null; readonly seenAt: string | null };

/** State of one attempt. A redo, retry or return starts without it. */
export type AttemptState = {
  readonly turns: number;
  readonly verdicts: number;
  readonly failures: number;
  readonly sameFailure: { readonly digest: string; readonly times: number } | null;
  /** Drafts without the required code changes. */
  readonly idle: number;
  /** Executions in a row without a usable result. */
  readonly broken: number;
  /** Failure code of the last execution, if it failed. */
  readonly trouble: string | null;
  readonly replies: readonly (Question & { readonly reply: Reply["text"] })[];
  readonly session: string | null;
};

/** The agent's reported result, with facts found by checks and reviews so far. */
export type Draft = {
  readonly summary: string;
  readonly decisions: readonly string[];
  readonly artifacts: readonly string[];
  readonly checks: readonly CheckResult[];
  readonly testsChanged: string | null;
  readonly issues: readonly Issue[];
  readonly approved: boolean;
  /** Files that changed while the reviewer ran. */
  readonly written: readonly string[];
  readonly concerns: readonly string[];
  readonly denied: readonly string[];
  /** Set for existing work that no agent of the run made. */
  readonly adopted?: true;
};

export type Wait = { readonly id: WaitId; readonly openedAt: string } & (
  | {
      readonly kind: "gate";
      /** Identifies everything shown at the gate; other content has another digest. */
      readonly digest: string;
      readonly loosened: Supervision | null;
      readonly failures: readonly CheckResult[];
    }
  | { readonly kind: "questions"; readonly questions: readonly Question[] }
  | {
      readonly kind: "escalation";
      readonly from: Step;
      readonly reason: string;
      readonly detail: string;
      /** How often checks failed in the attempt; absent if never. */
      readonly failures?: number;
      readonly offered: readonly EscalationOption[];
      /** Files the escalation is about. */
      readonly paths: readonly string[];
      /** Names of failed checks; absent for other reasons, and in older journals. */
      readonly checks?: readonly string[];
      /** Test command shown to the user; absent for other reasons. */
      readonly tests?: TestCommand | null;
    }
  | { readonly kind: "sizing"; readonly sizing: Sizing }
  | {
      readonly kind: "budget";
      readonly spent: Usage;
      readonly budget: Budget;
      readonly unknown?: true;
      readonly partial?: boolean;
      /** Expected usage that would exceed the budget, if the budget is not spent yet. */
      readonly ahead?: Usage;
    }
  | {
      readonly kind: "finish";
      readonly offered: readonly Finish[];
      /** Changes since the user was last asked. */
      readonly moved: readonly string[];
      readonly standing: RepositoryStanding | null;
    }
);

const ESCALATION_OPTIONS = ["retry", "skip", "accept"] as const;
export type EscalationOption = (typeof ESCALATION_OPTIONS)[number];

export const isEscalationOption = (text: string): text is EscalationOption =>
  ESCALATION_OPTIONS.some((option) => option === text);

/** Possible answers to a wait. */
export type WaitOption =
  | GateChoice
  | "back"
  | "loosen"
  | "revert"
  | "answer"
  | EscalationOption
  | "light"
  | "standard"
  | "raise"
  | "cancel"
  | Finish;

/** One answer at a gate. A pause and the `continue` that ends it are two answers; a skip is an answer, too. */
export type Answer = {
  /** Number of the event. */
  readonly seq: number;
  readonly phase: PhaseKey;
  readonly choice: GateChoice | "skip";
  readonly at: string;
  readonly by: Person;
  readonly guidance: string | null;
  readonly redo: number;
  /** Start of the pause that this `continue` ends. */
  readonly pausedAt: string | null;
};

/** Default, unless the run was started with another limit. */
export const MAX_REDOS = 3;

/** Returns how often a user may redo a phase of this run. */
export const redoLimit = ({ run }: Pick<ActiveRun, "run">): number => run.options.redos ?? MAX_REDOS;

/** Reason of an escalation: the test command differs from the trusted one. */
export const TESTS_CHANGED = "tests_changed";

/** Reason of an escalation: the tests of a phase could not start. */
export const TESTS_NOT_STARTED = "tests_not_started";

/** Reason of an escalation: tests fail only at the limits of their sandbox. */
export const TESTS_SANDBOXED = "tests_sandboxed";

/** Reasons after which a retry repeats the checks, but not the work. */
export const CHECK_REASONS: ReadonlySet<string> = new Set([TESTS_NOT_STARTED, TESTS_SANDBOXED]);

/** Reason of an escalation: uncommitted user changes cannot be separated from the phase's changes. */
export const OWN_LINES = "own_lines";

/** Reason for the end of an execution: the model service was busy or unreachable. */
export const UNAVAILABLE = "unavailable";

export const noRun: RunState = { is: "none" };

/** Returns the current phase; undefined after the last one. */
export const currentPhase = (run: ActiveRun): PhaseRecord | undefined => run.phases[run.index];

/** Returns if a phase ran in isdlc's sandbox; null if unknown: for a session's work, and for adopted work. */
export const observedSandbox = (run: RunFacts, phase: PhaseRecord): boolean | null =>
  phase.bySession === true || run.git?.adopts !== undefined ? null : (run.sandbox ?? null);

/** True if a redo of the current phase has not completed yet. */
export const isRedoing = (run: ActiveRun): boolean => currentPhase(run)?.redoing ?? false;

/** Returns the index of the next phase not dropped by sizing; `phases.length` after the last one. */
export function indexAfter(phases: readonly PhaseRecord[], index: number): number {
  const next = phases.findIndex((phase, at) => at > index && !phase.dropped);
  return next === -1 ? phases.length : next;
}

/** Stages in which an agent works. */
export type ExecutingStage = Extract<Stage, { claim: Claim | null }>;

export const isExecuting = (stage: Stage): stage is ExecutingStage =>
  stage.is === "producing" || stage.is === "reviewing" || stage.is === "refining";
