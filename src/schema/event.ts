import * as z from "zod/mini";
import { Evidence, Issue, Question, Reply, Usage } from "./agent.ts";
import { CommentReply, ReviewComment } from "./comments.ts";
import {
  checked,
  CheckResult,
  Claim,
  FileChange,
  PhaseOutput,
  ProcessView,
  RepositoryStanding,
  ReturnBases,
  SettingsReading,
  Sizing,
  StartPoint,
  TestCommand,
} from "./facts.ts";
import { PasskeyKey, PasskeySignature } from "./passkey.ts";
import { Person, Initiator, broughtIn } from "./people.ts";
import {
  AfterStep,
  Budget,
  budgetWait,
  ExecutionLimits,
  Finish,
  PhaseKey,
  PhaseRule,
  RunId,
  RunOptions,
  Supervision,
  IssueSource,
} from "./plan.ts";
import { CommitId, ExecutionId, TreeId, WaitId } from "./recorded-ids.ts";
import { Brief, GateChoice, Step } from "./step.ts";
import { AgentChoice, SandboxNetwork } from "./run-agents.ts";

export { AgentChoice, Brief, GateChoice, Step };

const event = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), ...shape });

/**
 * Every possible event of the journal, without sequence number and time. Add variants; never change the meaning of an
 * old one.
 */
const { commitTree, proposedCommit, plainTree, wholeTree, standing, notices } = PhaseOutput.shape;
const gateFacts = { commitTree, proposedCommit, plainTree, wholeTree, standing, notices };

export const EventDraft = z.discriminatedUnion("type", [
  event("run.started", {
    run: RunId,
    /** `item`: the run analyses one item, with no branch and no commits, and writes only in the item's folder. */
    scope: z._default(z.enum(["tree", "item"]), "tree"),
    workflow: z.string(),
    title: z.string(),
    issue: z.optional(IssueSource),
    /** Folder of the item's artifacts, relative to the working tree, with forward slashes. */
    item: z.string(),
    plan: z.array(PhaseRule).check(z.minLength(1)),
    /** Every phase of the workflow, if the plan has only some of them. Missing in older journals. */
    workflowPhases: z.optional(z.array(PhaseKey)),
    /** Analysis phases completed before the start of this run. */
    analysed: z._default(z.array(PhaseKey), []),
    options: RunOptions,
    supervision: Supervision,
    minimalSummary: z.boolean(),
    /** `supervised_mode` at the start of the run. A value that stays the same has not been relaxed. */
    settings: z.optional(SettingsReading),
    agent: AgentChoice,
    reviewer: z.nullable(AgentChoice),
    /** Different agents for some phases and their reviewers, by phase. */
    agents: z.optional(z.record(PhaseKey, AgentChoice)),
    reviewers: z.optional(z.record(PhaseKey, AgentChoice)),
    /** Sandbox and network of the agents, for the whole run. Missing in older journals. */
    sandbox: z.optional(z.boolean()),
    network: z.optional(SandboxNetwork),
    /** Real paths of the programs used by the run, by name. */
    programs: z.optional(z.record(z.string(), z.string())),
    git: z.nullable(StartPoint),
    /** Working tree of the run, because a journal belongs to one working tree. Missing in older journals. */
    tree: z.optional(z.strictObject({ root: z.string(), repository: z.nullable(z.string()) })),
    /** Process view of the process that started the run. Missing in older journals. */
    view: z.optional(ProcessView),
    /** Working tree created for this work, relative to the main one. Null or missing: no separate worktree. */
    worktree: z.optional(z.nullable(z.string())),
    tests: z.nullable(TestCommand),
    /** Only decisions signed with one of these passkeys are accepted. Missing: any channel allowed by the settings. */
    passkeys: z.optional(z.array(PasskeyKey)),
    warnings: z.array(z.string()),
    by: Initiator,
  }),
  /** Signature of the decision recorded by the next event. */
  event("decision.signed", { signature: PasskeySignature }),
  /**
   * The passkey can no longer sign decisions of this run. Without any remaining passkey, other channels can answer
   * again.
   */
  event("passkey.removed", { passkey: z.string(), reason: z.string(), by: Person }),
  /** A user chose other agents for the rest of the run. */
  event("agents.changed", {
    by: Person,
    agent: AgentChoice,
    reviewer: AgentChoice,
    agents: z.optional(z.record(PhaseKey, AgentChoice)),
    reviewers: z.optional(z.record(PhaseKey, AgentChoice)),
  }),
  event("run.prepared", {}),
  /** The tests run before any agent writes. */
  event("baseline.started", {}),
  event("baseline.measured", { result: CheckResult }),
  /** The tests passed, or the run continues with known failures or without tests. */
  event("baseline.settled", {
    how: z.enum(["passed", "known", "without"]),
    by: z.union([Person, z.literal("engine")]),
    wait: z.optional(WaitId),
  }),
  event("attempt.started", {
    phase: PhaseKey,
    attempt: z.int(),
    brief: Brief,
    commit: z.nullable(CommitId),
    tree: z.nullable(TreeId),
    standing: z.optional(RepositoryStanding),
    /** Set if the phase is entered again after a return that kept the files. */
    bases: z.optional(ReturnBases),
  }),
  event("execution.started", {
    role: z.enum(["phase", "reviewer"]),
    claim: Claim,
    /** Length of the prompt in characters, including the persona. */
    prompt: z.optional(z.int()),
    /** Files before the execution, if a user could edit them since the last one. */
    tree: z.optional(TreeId),
  }),
  event("execution.ended", {
    execution: ExecutionId,
    how: z.enum(["done", "failed", "lost"]),
    /** Description for users. In a failure without `code`, the code precedes the first colon. */
    reason: z.nullable(z.string()),
    /** Why it failed, for programs. */
    code: z.optional(z.string()),
    usage: z.nullable(Usage),
    /** The cost was computed from the tokens. */
    estimated: z.optional(z.literal(true)),
    /** The agent reported an impossible usage, which counts as unknown. */
    nonsense: z.optional(z.literal(true)),
    session: z.nullable(z.string()),
    /** Files left by an execution: differences before the next one are user edits. */
    tree: z.optional(TreeId),
  }),
  event("draft.produced", {
    summary: z.string(),
    decisions: z.array(z.string()),
    artifacts: z.array(z.string()),
    /** Files written outside of the paths allowed to the phase. They were not copied back from the scratch copy. */
    dropped: z.optional(z.array(z.string())),
    /** Actions refused to the agent, each as the rule that would allow it. */
    denied: z.optional(z.array(z.string())),
    /** Why no hook guarded the session that produced the draft. */
    unguarded: z.optional(z.string()),
    /** Replies of the agent to each comment of a user. */
    replies: z.optional(z.array(CommentReply)),
    adopted: z.optional(z.literal(true)), // existing work; no agent of the run made it
  }),
  event("questions.asked", { questions: z.array(Question) }),
  event("questions.answered", { wait: WaitId, by: Person, replies: z.array(Reply) }),
  event("checks.passed", { ...checked, checkedBy: z.optional(z.array(z.string())) }), // workers, under a team's policy
  event("checks.recorded", checked), // of adopted work, also if they failed: its gate shows them
  event("checks.failed", {
    results: z.array(CheckResult),
    digest: z.string(),
    testsChanged: z.nullable(z.string()),
    /** Files after the checks: differences before the next execution are user edits. */
    tree: z.optional(TreeId),
  }),
  event("verdict.given", {
    approved: z.boolean(),
    issues: z.array(Issue),
    summary: z.string(),
    /** Policy result, decided only once: `complete` if the draft is done, `produce` if it goes back to the agent. */
    leadsTo: z.enum(["complete", "produce"]),
    concerns: z.array(z.string()),
    /** Files changed by the revision before this verdict. Null if unknown. */
    changed: z.optional(z.nullable(z.array(z.string()))),
    /** Files that changed in the working tree while the reviewer ran. */
    written: z.optional(z.array(z.string())),
    /** Location of each fulfilled requirement, as reported by a final reviewer. */
    evidence: z.optional(z.array(Evidence)),
    /** Why the loop ended here without approval and before its limit. */
    stopped: z.optional(z.string()),
  }),
  event("phase.completed", { made: PhaseOutput, settings: SettingsReading }),
  event("run.broughtIn", broughtIn),
  /** Summaries are minimal or full from this phase on, because the setting changed during the run. */
  event("summaries.changed", { minimal: z.boolean() }),
  event("supervision.tightened", { supervision: Supervision }),
  event("supervision.loosened", { wait: WaitId, supervision: Supervision, by: Person }),
  event("gate.opened", { digest: z.string(), loosened: z.nullable(Supervision), failures: z.array(CheckResult) }),
  event("gate.answered", {
    wait: WaitId,
    choice: GateChoice,
    by: Person,
    /** Includes the comments. */
    guidance: z.nullable(z.string()),
    comments: z.optional(z.array(ReviewComment)),
    /** Digest of the summary seen by the approver. */
    shown: z.string(),
  }),
  event("phase.rechecked", {
    edited: z.nullable(z.array(FileChange)),
    tree: z.nullable(TreeId),
    results: z.array(CheckResult),
    /** These fields replace those of the phase output, if the recheck found other values. */
    ...gateFacts,
  }),
  event("phase.accepted", { by: z.union([Person, z.literal("engine")]) }),
  event("phase.skipped", { by: Person }),
  event("phase.committed", { commit: z.nullable(CommitId) }),
  event("phase.left", {}),
  event("step.escalated", {
    from: Step,
    reason: z.string(),
    detail: z.string(),
    options: z.array(z.string()),
    /** Affected files. */
    paths: z.optional(z.array(z.string())),
    /** Names of the failed checks. */
    checks: z.optional(z.array(z.string())),
    /** Displayed test setup. Null if the tests were removed. */
    tests: z.optional(z.nullable(TestCommand)),
  }),
  /** A user allows these files to be committed with their uncommitted user changes. */
  event("lines.included", { wait: WaitId, by: Person, paths: z.array(z.string()) }),
  event("step.retried", {
    wait: WaitId,
    from: Step,
    by: Person,
    limits: z.optional(ExecutionLimits),
    guidance: z.optional(z.string()),
  }),
  event("step.skipped", { wait: WaitId, from: Step, by: Person }),
  event("tests.accepted", { wait: WaitId, tests: z.nullable(TestCommand), by: Person }),
  event("after.started", { step: AfterStep }),
  event("sizing.asked", { sizing: Sizing }),
  event("sizing.decided", {
    sizing: Sizing,
    effective: z.enum(["light", "standard"]),
    /** Phases skipped from here on. They return if a user returns to an earlier phase. */
    drop: z.array(PhaseKey),
    by: z.union([Person, z.enum(["flag", "options", "engine"])]),
  }),
  event("tasks.refined", {
    artifact: z.nullable(z.string()),
    tasks: z.int(),
    commit: z.optional(z.nullable(CommitId)),
  }),
  event("tasks.rejected", { problems: z.array(z.string()) }),
  event("phase.restarted", { by: Person }),
  event("run.wentBack", {
    to: PhaseKey,
    by: Person,
    tree: z.enum(["restore", "keep"]),
    /** Guidance for the agent of the phase, including the comments. */
    guidance: z.optional(z.string()),
    comments: z.optional(z.array(ReviewComment)),
  }),
  event("run.rewound", {
    /** Ref with the discarded later work. Null without git. */
    kept: z.nullable(z.string()),
    restored: z.array(z.string()),
    commit: z.nullable(CommitId),
  }),
  /** `partial`: some executions did not report their cost. */
  event("budget.spent", { ...budgetWait, partial: z.optional(z.boolean()) }),
  event("budget.raised", { wait: WaitId, budget: Budget, by: Person }),
  event("writes.takenOut", {
    wait: WaitId,
    by: Person,
    paths: z.array(z.string()),
    /** `kept`: snapshot that still contains these files. `tree`: snapshot without them. */
    kept: z.nullable(z.string()),
    tree: z.nullable(TreeId),
  }),
  event("finish.asked", {
    options: z.array(Finish),
    /** Description of changes since the last question (one entry per line), and the current repository state. */
    moved: z.optional(z.array(z.string())),
    standing: z.optional(RepositoryStanding),
  }),
  event("finish.chosen", { how: Finish, by: z.union([Person, z.literal("engine")]) }),
  event("run.finished", { how: Finish, merged: z.nullable(CommitId) }),
  event("run.cancelled", { by: Person, reason: z.string() }),
]);
export type EventDraft = z.infer<typeof EventDraft>;

/** A recorded event. `seq` counts from 1 without gaps and defines the order; time is only information. */
export type RunEvent = EventDraft & { readonly seq: number; readonly at: string };
