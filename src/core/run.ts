import type { Brought } from "./brought-answers.ts";
import type { Issue, Question, Reply, Usage } from "../schema/agent.ts";
import type { Brief, EventDraft, GateChoice, Step } from "../schema/event.ts";
import type { CheckResult, Claim, RepositoryStanding, Sizing, TestCommand } from "../schema/facts.ts";
import type { CommitId, PhaseKey, TreeId, WaitId } from "../schema/ids.ts";
import type { Person } from "../schema/people.ts";
import type { Budget, Finish, Supervision } from "../schema/plan.ts";
import type { PhaseRecord } from "./phase-record.ts";

export type { EarlierWork, PhaseRecord } from "./phase-record.ts";

/** The state of a run: a fold of its journal. A state that cannot be written down cannot happen. */
export type RunState = { readonly is: "none" } | ActiveRun | EndedRun;

type RunStarted = Extract<EventDraft, { type: "run.started" }>;

/** What was resolved when the run opened; later only the agents change, by a person, and the form of summaries. */
export type RunFacts = Readonly<Omit<RunStarted, "type" | "plan" | "supervision" | "tests">> & {
  /** Parts of the journal that a team took in from users' machines. */
  readonly brought?: readonly Brought[];
  readonly startedAt: string;
};

type Common = {
  readonly run: RunFacts;
  readonly phases: readonly PhaseRecord[];
  readonly answers: readonly Answer[];
  /** Sequence number of the last event folded. */
  readonly seq: number;
  readonly supervision: Supervision;
  /** How large the work was found to be; unproven again when going back to or before the phase that told. */
  readonly sizing: SizingDecision | null;
  /** When the finish was chosen as pull request after the last gate: nothing is taken back from then on. Null: not sealed. */
  readonly sealedAt: string | null;
};

export type SizingDecision = Readonly<Omit<Extract<EventDraft, { type: "sizing.decided" }>, "type">> & {
  readonly at: string;
  readonly phase: PhaseKey;
};

export type ActiveRun = Common & {
  readonly is: "active";
  /** Index of the current phase; equals `phases.length` once every phase was left. */
  readonly index: number;
  readonly stage: Stage;
  /** Sequence number of the event that opened the stage; outcomes must name it. */
  readonly since: number;
  /** At most one: a wait freezes the stage, its answer moves it. */
  readonly wait: Wait | null;
  readonly tests: TestCommand | null;
  /** How the tests were before anybody wrote; null where they were not run. */
  readonly baseline: Baseline | null;
  /** What the run may use before a person is asked; as it stands now. */
  readonly budget: Budget | null;
  /** True after an agent reported an impossible usage, until a person has said how to go on. */
  readonly unknownUsage: boolean;
  /** The cost of an execution that was stopped is worked out from its tokens. */
  readonly estimatedCost: boolean;
  /** The least that an execution which came to its end used; null before there was one. */
  readonly leastUsage: Usage | null;
  /** The last commit that the run made or was shown on its branch; null where it works without git. */
  readonly tip: CommitId | null;
  /** Where the base stood when a person last looked; null where there is none. */
  readonly base: CommitId | null;
  /** Files that a person lets be committed with lines of their own in them. */
  readonly together: readonly string[];
  /** True once the tasks of the accepted design were refined; unproven again when going back to or before it. */
  readonly refined: boolean;
  /** Changes of the user that no gate has accepted yet, oldest first. */
  readonly userEdits: readonly UserEdit[];
  /** Tree of the last gate since the agents stopped: what differs from it was changed by the user. Null while agents work. */
  readonly untouched: { readonly tree: TreeId; readonly phase: number } | null;
};

/** What a user changed between two trees, at the gate of a phase. */
export type UserEdit = {
  /** Index of the phase. */
  readonly phase: number;
  readonly from: TreeId;
  readonly to: TreeId;
};

/** `isAccepted`: they failed, and a person goes on knowing that. */
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
  /** The current phase at that time; null once every phase was left. */
  readonly cancelledAt: PhaseKey | null;
};

/** The commit of the merge; null where nothing was merged. */
export const mergedAs = (run: EndedRun): CommitId | null => (run.how === "finished" ? run.merged : null);

/** How it was finished; null where it was not. */
export const chosenFinish = (run: EndedRun): Finish | null => (run.how === "finished" ? run.finish : null);

/** Why it was cancelled; null where it was not. */
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
      /** Failures that the person saw and continued over, as digests. */
      readonly overruled: readonly string[];
      readonly loosened: Supervision | null;
      readonly pausedAt: string | null;
      readonly resumedAt: string;
    }
  | { readonly is: "accepting"; readonly pausedAt: string | null; readonly resumedAt: string | null }
  | { readonly is: "measuring" }
  | { readonly is: "refining"; readonly work: AttemptState; readonly brief: Brief; readonly claim: Claim | null }
  | { readonly is: "rewinding"; readonly to: PhaseKey; readonly brief: Brief }
  /** `seenAt`: where HEAD was when the person was last asked; null where nothing was told about it. */
  | { readonly is: "finishing"; readonly how: Finish | null; readonly seenAt: string | null };

/** One attempt's memory. A redo, retry or back starts without it: that is "unproven again". */
export type AttemptState = {
  readonly turns: number;
  readonly verdicts: number;
  readonly failures: number;
  readonly sameFailure: { readonly digest: string; readonly times: number } | null;
  /** Drafts that should have changed code and did not. */
  readonly idle: number;
  /** Executions in a row that ended without a usable result. */
  readonly broken: number;
  /** Why the last of them ended like that. */
  readonly trouble: string | null;
  readonly replies: readonly (Question & { readonly reply: Reply["text"] })[];
  readonly session: string | null;
};

/** What the agent says it made, with what has been found out about it so far. */
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
};

export type Wait = { readonly id: WaitId; readonly openedAt: string } & (
  | {
      readonly kind: "gate";
      /** Stands for everything that is shown here: another one, and something else is shown. */
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
      /** How often the checks of the attempt have failed; missing where none did. */
      readonly failures?: number;
      readonly offered: readonly EscalationOption[];
      /** The files it is about. */
      readonly paths: readonly string[];
      /** Names of the checks that failed; left out where it is about something else, and in older journals. */
      readonly checks?: readonly string[];
      /** The way of running tests that it shows; left out where it is about something else. */
      readonly tests?: TestCommand | null;
    }
  | { readonly kind: "sizing"; readonly sizing: Sizing }
  | {
      readonly kind: "budget";
      readonly spent: Usage;
      readonly budget: Budget;
      readonly unknown?: true;
      readonly partial?: boolean;
      /** The budget is not spent, but what comes next would exceed it. */
      readonly ahead?: Usage;
    }
  | {
      readonly kind: "finish";
      readonly offered: readonly Finish[];
      /** What has moved since the person was last asked. */
      readonly moved: readonly string[];
      readonly standing: RepositoryStanding | null;
    }
);

const ESCALATION_OPTIONS = ["retry", "skip", "accept"] as const;
export type EscalationOption = (typeof ESCALATION_OPTIONS)[number];

export const isEscalationOption = (text: string): text is EscalationOption =>
  ESCALATION_OPTIONS.some((option) => option === text);

/** What a person may answer a wait with. */
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

/** One choice of a person at a gate. A pause and its end are two answers; a phase that is skipped leaves its gate too. */
export type Answer = {
  /** Number of the event. */
  readonly seq: number;
  readonly phase: PhaseKey;
  readonly choice: GateChoice | "skip";
  readonly at: string;
  readonly by: Person;
  readonly guidance: string | null;
  readonly redo: number;
  /** On the continue that ends a pause: when the pause began. */
  readonly pausedAt: string | null;
};

/** Unless the run was started with another limit. */
export const MAX_REDOS = 3;

/** How often a person may send a phase of this run back. */
export const redoLimit = ({ run }: Pick<ActiveRun, "run">): number => run.options.redos ?? MAX_REDOS;

/** Why a person is asked when tests are no longer run the way they trusted. */
export const TESTS_CHANGED = "tests_changed";

/** Why the user is asked if the tests of a phase could not be started. */
export const TESTS_NOT_STARTED = "tests_not_started";

/** Why the user is asked if tests fail only at the limits of their sandbox. */
export const TESTS_SANDBOXED = "tests_sandboxed";

/** Reasons after which a retry repeats the checks, and not the work. */
export const CHECK_REASONS: ReadonlySet<string> = new Set([TESTS_NOT_STARTED, TESTS_SANDBOXED]);

/** Why a person is asked when their own lines cannot be told apart from what was changed. */
export const OWN_LINES = "own_lines";

/** Why an execution ended when the model service was busy or out of reach. */
export const UNAVAILABLE = "unavailable";

export const noRun: RunState = { is: "none" };

/** The current phase; undefined once every phase was left. */
export const currentPhase = (run: ActiveRun): PhaseRecord | undefined => run.phases[run.index];

/** Whether a phase ran in isdlc's sandbox; null if unknown: isdlc does not see what surrounds a session. */
export const observedSandbox = (run: RunFacts, phase: PhaseRecord): boolean | null =>
  phase.bySession === true ? null : (run.sandbox ?? null);

/** The current phase was sent back by a person and not produced again since. */
export const isRedoing = (run: ActiveRun): boolean => currentPhase(run)?.redoing ?? false;

/** The phase after one, passing over those that sizing left out; the number of phases when it was the last. */
export function indexAfter(phases: readonly PhaseRecord[], index: number): number {
  const next = phases.findIndex((phase, at) => at > index && !phase.dropped);
  return next === -1 ? phases.length : next;
}

/** Stages in which an agent works. */
export type ExecutingStage = Extract<Stage, { claim: Claim | null }>;

export const isExecuting = (stage: Stage): stage is ExecutingStage =>
  stage.is === "producing" || stage.is === "reviewing" || stage.is === "refining";
