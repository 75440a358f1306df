import * as z from "zod/mini";
import { Question, Severity, Usage } from "./agent.ts";
import { FailureView } from "./api-checks.ts";
import { Assertion } from "./api-passkey.ts";
import { Choice, StartRequest } from "./api-project.ts";
import { ReviewComment } from "./comments.ts";
import { EarlierRedo } from "./api-earlier.ts";
import { CheckResult, Sizing, TestCounts } from "./facts.ts";
import { budgetWait, Mode, PhaseKey, RunId } from "./plan.ts";
import { WaitId } from "./recorded-ids.ts";

/** What surfaces over HTTP are told, and what they may ask for. Texts are as they were found: whoever shows them escapes them. */
const text = (most: number) => z.string().check(z.maxLength(most));

/** Lines and minutes that reading takes; null where nobody could count, which is not nothing. */
export const Attention = z.object({ lines: z.nullable(z.number()), minutes: z.nullable(z.number()) });

/** A failure a person can meet: a stable code, what happened, and what fixes it. */
export const ApiProblem = z.object({ code: z.string(), what: z.string(), fix: z.string() });
export type ApiProblem = z.infer<typeof ApiProblem>;

/** One working tree of the repository; `item` names the item whose analysis has a journal of its own there. */
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

/** A run in a list: enough to choose the next one to look at. */
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
  /** Where it went and who took it there, in words; it goes on there. */
  movedTo: z.optional(z.string()),
  /** Why it could not be begun. */
  notBegun: z.optional(z.string()),
});
export type RunRow = z.infer<typeof RunRow>;

/** What waits for a person comes first and oldest first, then what runs, then what has ended, newest first. */
export const RunList = z.object({
  runs: z.array(RunRow),
  /** Hand it back as `before` to get the ended runs that follow; null when there are none. */
  next: z.nullable(z.string()),
  counts: z.object({ waiting: z.number(), running: z.number(), ended: z.number() }),
  /** Journals that could not be read, each with what fixes it. */
  problems: z.array(z.object({ place: TreeLocation, problem: ApiProblem })),
});
export type RunList = z.infer<typeof RunList>;

/** An answer that is offered now: how it reads on a button, and what it will do. */
export const AnswerOption = z.object({
  option: z.string(),
  label: z.string(),
  /** What will happen, in one sentence. */
  effect: z.string(),
  tone: z.enum(["primary", "plain", "danger"]),
  /** What has to come with it; `confirm` and `reason` are asked for before it is sent. */
  needs: z.enum(["nothing", "guidance", "replies", "amount", "confirm", "reason", "phase"]),
});
export type AnswerOption = z.infer<typeof AnswerOption>;

/** What a run waits for, besides a gate; the gate has a view of its own. */
const open = { id: z.string(), openedAt: z.string(), options: z.array(AnswerOption), shown: z.string() };
export const WaitView = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("gate"), ...open, phase: PhaseKey, isPaused: z.boolean(), toRead: Attention }),
  z.object({ kind: z.literal("questions"), ...open, questions: z.array(Question) }),
  z.object({
    kind: z.literal("escalation"),
    ...open,
    step: z.string(),
    reason: z.string(),
    /** What could not be done, in words. */
    what: z.string(),
    detail: z.string(),
  }),
  z.object({ kind: z.literal("sizing"), ...open, sizing: Sizing }),
  z.object({ kind: z.literal("budget"), ...open, ...budgetWait }),
  z.object({
    kind: z.literal("finish"),
    ...open,
    base: z.nullable(z.string()),
    concerns: z.array(z.object({ phase: PhaseKey, text: z.string() })),
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
  /** False where executions did not tell what they used: then `usage` is the least it can be. */
  isUsageComplete: z.boolean(),
  startedAt: z.nullable(z.string()),
  completedAt: z.nullable(z.string()),
  commit: z.nullable(z.string()),
  summary: z.nullable(z.string()),
  /** Documents of this phase that are there, relative to the working tree. */
  documents: z.array(z.string()),
  reviewer: z.nullable(z.string()),
  hasGate: z.boolean(),
});
export type PhaseView = z.infer<typeof PhaseView>;

/** One stretch of time: drawn to scale, with what came of it. `to` is null while it lasts. */
export const TimelineSpan = z.object({
  kind: z.enum(["attempt", "execution", "check", "review", "wait"]),
  phase: z.nullable(PhaseKey),
  /** `03-architecture#2`, the name of an execution, or the id of a wait. */
  name: z.string(),
  from: z.string(),
  to: z.nullable(z.string()),
  /** `done`, `failed`, `lost`, `passed`, `approved`, `not approved`, `continue`, …; null while it lasts. */
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
  /** What may be said of the run itself, whatever is open: resume, cancel, back, retry, skip. */
  actions: z.array(AnswerOption),
  /** Phases that the run can go back to. */
  backTo: z.array(z.object({ key: PhaseKey, name: z.string() })),
  end: z.nullable(
    z.object({ how: z.string(), merged: z.nullable(z.string()), reason: z.nullable(z.string()), at: z.string() }),
  ),
  warnings: z.array(z.string()),
  /** Sequence number of the last event it was made from. */
  seq: z.number(),
  /** Asked for and not begun: what was asked for, and what has to be chosen where a worker could not begin it. */
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

/** A document as it is in the tree that is shown; null text: it is not there, or no plain text. */
export const DocumentView = z.object({
  path: z.string(),
  text: z.nullable(z.string()),
  isCut: z.boolean(),
});
export type DocumentView = z.infer<typeof DocumentView>;

/** One changed file with its part of the patch; the browser lays it out. */
export const DiffFile = z.object({
  path: z.string(),
  was: z.nullable(z.string()),
  change: z.enum(["added", "modified", "deleted", "renamed", "typechange"]),
  added: z.number(),
  removed: z.number(),
  isBinary: z.boolean(),
  /** True where the patch was too long and ends early. */
  isCut: z.boolean(),
  /** How much is not in `patch`, and why; empty if all of it is. */
  notShown: z.string(),
  /** What the change does besides its lines: modes, links, submodules, line endings. */
  facts: z.array(z.string()),
  isDocument: z.boolean(),
  /** True for files that isdlc itself writes. */
  isBookkeeping: z.boolean(),
  /** Of the patch: a file that was viewed has to be viewed again when it changes. */
  digest: z.string(),
  patch: z.string(),
});
export type DiffFile = z.infer<typeof DiffFile>;

/** `base`: since the run began. `seen`: since a person last looked in this run. */
export const DiffAgainst = z.enum(["base", "seen"]);
export type DiffAgainst = z.infer<typeof DiffAgainst>;
export const DiffView = z.object({ against: DiffAgainst, files: z.array(DiffFile), isCut: z.boolean() });
export type DiffView = z.infer<typeof DiffView>;

/** Everything a person needs for the decision after a phase. The diff is asked for apart. */
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
  /** Of the tests before any agent wrote; null where they were not counted. */
  testsBefore: z.nullable(TestCounts),
  /** What failed in them, at its lines. */
  failed: z.array(FailureView),
  /** Why a gate that was answered is open again. */
  failures: z.array(CheckResult),
  /** True only when a reviewer approved this very attempt. */
  isApproved: z.boolean(),
  hasReviewer: z.boolean(),
  concerns: z.array(z.string()),
  unexpected: z.array(z.string()),
  denied: z.array(z.string()),
  /** Files that act by themselves, or whose names deceive, with the reason. */
  acting: z._default(z.array(z.string()), []),
  /** What git was kept from seeing, lost edits of the user, and what else of the repository changed. */
  notices: z._default(z.array(z.string()), []),
  unmentioned: z._default(z.array(z.string()), []),
  testNotes: z._default(z.array(z.string()), []),
  testsChanged: z.nullable(z.string()),
  /** What the settings say now, where they were loosened since the run began. */
  loosened: z.nullable(z.string()),
  earlier: z.array(EarlierRedo),
  /** False where nobody has looked before, so that `seen` would show the same as `base`. */
  hasSeen: z.boolean(),
  isGit: z.boolean(),
  options: z.array(AnswerOption),
  /** To one of `backTo`; null where there is none. */
  goBack: z.nullable(AnswerOption),
  backTo: z.array(z.object({ key: PhaseKey, name: z.string() })),
  /** Digest of what this view shows; an answer hands it back. */
  shown: z.string(),
  seq: z.number(),
});
export type GateView = z.infer<typeof GateView>;

/** A person's decision. Nothing else is sent before it; comments are part of it. */
export const AnswerRequest = z.strictObject({
  wait: z.nullable(text(200)),
  shown: text(200),
  option: text(60),
  /** Guidance, a reason or an amount, as the option needs it. */
  text: z._default(text(20_000), ""),
  comments: z._default(z.array(ReviewComment).check(z.maxLength(200)), []),
  replies: z._default(z.array(z.strictObject({ id: text(100), text: z.nullable(text(20_000)) })), []),
  /** For going back: the phase. */
  phase: z.optional(PhaseKey),
  /** For going back and for cancelling: what becomes of the working tree. Left out, it goes back, and stays with a cancel. */
  tree: z.optional(z.enum(["restore", "keep"])),
  isConfirmed: z._default(z.boolean(), false),
  /** The signature of a passkey on all of the above. */
  assertion: z.optional(Assertion),
});
export type AnswerRequest = z.infer<typeof AnswerRequest>;

/** What a cancelled run would leave uncommitted in the working tree; null where nobody can tell. */
export const LeftView = z.object({ paths: z.nullable(z.array(z.string())) });
export type LeftView = z.infer<typeof LeftView>;

/** `isDriving`: somebody goes on with the run now. */
export const AnswerResult = z.object({
  run: RunDetail,
  isDriving: z.boolean(),
  warnings: z.array(z.string()),
});
export type AnswerResult = z.infer<typeof AnswerResult>;
