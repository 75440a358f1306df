import * as z from "zod/mini";
import { Question, Severity, Usage } from "./agent.ts";
import { FailureView } from "./api-checks.ts";
import { DocumentView } from "./api-documents.ts";
import { Assertion } from "./api-passkey.ts";
import { Choice, StartRequest } from "./api-project.ts";
import { ReviewComment } from "./comments.ts";
import { CheckResult, Sizing, TestCounts } from "./facts.ts";
import { budgetWait, Mode, PhaseKey, RunId } from "./plan.ts";
import { WaitId } from "./recorded-ids.ts";
import { EarlierRedo } from "./api-history.ts";

/** Responses and requests of interfaces over HTTP. Texts are not escaped: the code that displays them must do it. */
const text = (most: number) => z.string().check(z.maxLength(most));

/** Lines to read, and minutes needed for them. Null is unknown, not zero. */
export const Attention = z.object({ lines: z.nullable(z.number()), minutes: z.nullable(z.number()) });

/** An error that a user can meet: a stable code, what happened, and how to fix it. */
export const ApiProblem = z.object({ code: z.string(), what: z.string(), fix: z.string() });
export type ApiProblem = z.infer<typeof ApiProblem>;

/** One working tree of the repository. `item`: the item whose analysis has a separate journal there. */
export const TreeLocation = z.object({
  tree: z.string(),
  path: z.string(),
  item: z.nullable(z.string()),
  isHere: z.boolean(),
});
export type TreeLocation = z.infer<typeof TreeLocation>;

export const RunStatus = z.enum(["running", "interrupted", "waiting", "completed", "cancelled"]);
export type RunStatus = z.infer<typeof RunStatus>;
export const WaitKind = z.enum(["gate", "questions", "escalation", "sizing", "budget", "finish"]);
export type WaitKind = z.infer<typeof WaitKind>;

/** A run in a list, with enough data to choose the next run. */
export const RunRow = z.object({
  id: RunId,
  workflow: z.string(),
  title: z.string(),
  /** Folder of the item, relative to the working tree. */
  item: z.string(),
  place: TreeLocation,
  status: RunStatus,
  branch: z.nullable(z.string()),
  phase: z.nullable(z.object({ key: PhaseKey, name: z.string() })),
  progress: z.object({ done: z.number(), total: z.number() }),
  startedAt: z.string(),
  endedAt: z.nullable(z.string()),
  wait: z.nullable(z.object({ id: WaitId, kind: WaitKind, since: z.string(), toRead: Attention })),
  usage: Usage,
  redos: z.number(),
  /** Description of the place to which the run moved, and of the user who moved it. The run continues there. */
  movedTo: z.optional(z.string()),
  /** Why the run failed to start. */
  notBegun: z.optional(z.string()),
});
export type RunRow = z.infer<typeof RunRow>;

/** Waiting runs, oldest first, then running ones, then ended ones, newest first. */
export const RunList = z.object({
  runs: z.array(RunRow),
  /** Value of `before` to request more ended runs. Null on the last page. */
  next: z.nullable(z.string()),
  counts: z.object({ waiting: z.number(), running: z.number(), ended: z.number() }),
  /** Journals that could not be read, each with a fix. */
  problems: z.array(z.object({ place: TreeLocation, problem: ApiProblem })),
});
export type RunList = z.infer<typeof RunList>;

/** A currently possible answer, with its button label and effect. */
export const AnswerOption = z.object({
  option: z.string(),
  label: z.string(),
  /** Effect of the answer, in one sentence. */
  effect: z.string(),
  tone: z.enum(["primary", "plain", "danger"]),
  /** Input required with the answer. The interface asks for `confirm` and `reason` before it sends the answer. */
  needs: z.enum(["nothing", "guidance", "replies", "amount", "confirm", "reason", "phase"]),
});
export type AnswerOption = z.infer<typeof AnswerOption>;

/** The wait of a run. Gates also have a separate view. */
const open = { id: z.string(), openedAt: z.string(), options: z.array(AnswerOption), shown: z.string() };
export const WaitView = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("gate"), ...open, phase: PhaseKey, isPaused: z.boolean(), toRead: Attention }),
  z.object({ kind: z.literal("questions"), ...open, questions: z.array(Question) }),
  z.object({
    kind: z.literal("escalation"),
    ...open,
    step: z.string(),
    reason: z.string(),
    /** Description of the failed step. */
    what: z.string(),
    detail: z.string(),
  }),
  z.object({ kind: z.literal("sizing"), ...open, sizing: Sizing }),
  z.object({ kind: z.literal("budget"), ...open, ...budgetWait }),
  z.object({
    kind: z.literal("finish"),
    ...open,
    base: z.nullable(z.string()),
    /** `phase`: name of the phase. */
    concerns: z.array(z.object({ phase: z.string(), text: z.string() })),
  }),
]);
export type WaitView = z.infer<typeof WaitView>;

export const PhaseView = z.object({
  key: PhaseKey,
  name: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "skipped", "dropped"]),
  attempts: z.number(),
  redos: z.number(),
  iterations: z.number(),
  checkFailures: z.number(),
  concerns: z.array(z.string()),
  usage: Usage,
  /** False if some executions did not report their usage. `usage` is then a lower bound. */
  isUsageComplete: z.boolean(),
  startedAt: z.nullable(z.string()),
  completedAt: z.nullable(z.string()),
  commit: z.nullable(z.string()),
  summary: z.nullable(z.string()),
  /** Existing documents of this phase, relative to the working tree. */
  documents: z.array(z.string()),
  reviewer: z.nullable(z.string()),
  hasGate: z.boolean(),
});
export type PhaseView = z.infer<typeof PhaseView>;

/** A period of the timeline, drawn to scale, with its outcome. `to` is null while it lasts. */
export const TimelineSpan = z.object({
  kind: z.enum(["attempt", "execution", "check", "review", "wait"]),
  phase: z.nullable(PhaseKey),
  /** Attempt (`03-architecture#2`), name of an execution, or id of a wait. */
  name: z.string(),
  from: z.string(),
  to: z.nullable(z.string()),
  /** `done`, `failed`, `lost`, `passed`, `approved`, `not approved`, `continue`, …. Null while it lasts. */
  outcome: z.nullable(z.string()),
  usage: z.nullable(Usage),
  seq: z.number(),
});
export type TimelineSpan = z.infer<typeof TimelineSpan>;

export const RunDetail = z.object({
  row: RunRow,
  mode: Mode,
  isSupervised: z.boolean(),
  agent: z.string(),
  reviewer: z.nullable(z.string()),
  isSandboxed: z.nullable(z.boolean()),
  phases: z.array(PhaseView),
  timeline: z.array(TimelineSpan),
  wait: z.nullable(WaitView),
  /** Commands for the run itself, independent of the open wait: resume, cancel, back, retry, skip. */
  actions: z.array(AnswerOption),
  /** Phases to which the run can return. */
  backTo: z.array(z.object({ key: PhaseKey, name: z.string() })),
  end: z.nullable(
    z.object({ how: z.string(), merged: z.nullable(z.string()), reason: z.nullable(z.string()), at: z.string() }),
  ),
  warnings: z.array(z.string()),
  /** Sequence number of the last event included in this view. */
  seq: z.number(),
  /** For a requested run that has not started: the request, and choices to make if a worker could not start it. */
  asked: z.optional(z.object({ start: StartRequest, choices: z.array(Choice) })),
});
export type RunDetail = z.infer<typeof RunDetail>;

export const FindingView = z.object({
  id: z.string(),
  severity: Severity,
  description: z.string(),
  location: z.nullable(z.string()),
  file: z.nullable(z.string()),
  line: z.nullable(z.number()),
  state: z.enum(["new", "caused", "recurring", "returned", "resolved"]),
});
export type FindingView = z.infer<typeof FindingView>;

/** Everything needed for the decision after a phase, except the diff, which is requested separately. */
export const GateView = z.object({
  run: RunId,
  title: z.string(),
  workflow: z.string(),
  wait: WaitId,
  phase: z.object({ key: PhaseKey, name: z.string(), attempt: z.number(), redos: z.number(), redosLeft: z.number() }),
  openedAt: z.string(),
  isPaused: z.boolean(),
  toRead: Attention,
  /** Markdown. */
  summary: z.string(),
  documents: z.array(DocumentView),
  findings: z.array(FindingView),
  checks: z.array(CheckResult),
  /** Counts of the tests before any agent wrote. Null if they were not counted. */
  testsBefore: z.nullable(TestCounts),
  /** Failures in the checks, with file and line. */
  failed: z.array(FailureView),
  /** Why an answered gate opened again. */
  failures: z.array(CheckResult),
  /** True only if a reviewer approved exactly this attempt. */
  isApproved: z.boolean(),
  hasReviewer: z.boolean(),
  concerns: z.array(z.string()),
  unexpected: z.array(z.string()),
  denied: z.array(z.string()),
  /** Files that take effect without being called, or have deceptive names, with the reason. */
  acting: z._default(z.array(z.string()), []),
  /** Files hidden from git, lost user edits, and other changes in the repository. */
  notices: z._default(z.array(z.string()), []),
  unmentioned: z._default(z.array(z.string()), []),
  testNotes: z._default(z.array(z.string()), []),
  testsChanged: z.nullable(z.string()),
  /** Current settings, if they were relaxed since the start of the run. */
  loosened: z.nullable(z.string()),
  earlier: z.array(EarlierRedo),
  /** False if there was no earlier review. `seen` would then equal `base`. */
  hasSeen: z.boolean(),
  isGit: z.boolean(),
  options: z.array(AnswerOption),
  /** Option to return to one of `backTo`. Null if there is no such phase. */
  goBack: z.nullable(AnswerOption),
  backTo: z.array(z.object({ key: PhaseKey, name: z.string() })),
  /** Digest of the data in this view. An answer must contain it. */
  shown: z.string(),
  seq: z.number(),
});
export type GateView = z.infer<typeof GateView>;

/** A user's decision, including all comments. Nothing is sent before it. */
export const AnswerRequest = z.strictObject({
  wait: z.nullable(text(200)),
  shown: text(200),
  option: text(60),
  /** Guidance, reason or amount, depending on the option. */
  text: z._default(text(20_000), ""),
  comments: z._default(z.array(ReviewComment).check(z.maxLength(200)), []),
  replies: z._default(z.array(z.strictObject({ id: text(100), text: z.nullable(text(20_000)) })), []),
  /** Phase to return to. */
  phase: z.optional(PhaseKey),
  /** Action on the working tree for a return or a cancel. Default: `restore` for a return, `keep` for a cancel. */
  tree: z.optional(z.enum(["restore", "keep"])),
  isConfirmed: z._default(z.boolean(), false),
  /** Signature of a passkey on all fields above. */
  assertion: z.optional(Assertion),
});
export type AnswerRequest = z.infer<typeof AnswerRequest>;

/** Uncommitted files that a cancelled run would leave in the working tree. Null if unknown. */
export const LeftView = z.object({ paths: z.nullable(z.array(z.string())) });
export type LeftView = z.infer<typeof LeftView>;

/** `isDriving`: true if a process continues the run now. */
export const AnswerResult = z.object({
  run: RunDetail,
  isDriving: z.boolean(),
  warnings: z.array(z.string()),
});
export type AnswerResult = z.infer<typeof AnswerResult>;
