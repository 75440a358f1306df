import * as z from "zod/mini";
import { AgentChoice } from "./agent-choice.ts";
import { broughtIn } from "./brought-in.ts";
import { Evidence, Issue, Question, Reply, Usage } from "./agent.ts";
import { CommentReply, ReviewComment } from "./comments.ts";
import {
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
import { Person, Initiator } from "./people.ts";
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
} from "./plan.ts";
import { CommitId, ExecutionId, TreeId, WaitId } from "./recorded-ids.ts";
import { IssueSource } from "./issue-source.ts";
import { Step } from "./step.ts";

export { AgentChoice, Step };

/** Why an attempt or a turn begins, and what the agent is told about it. */
export const Brief = z.strictObject({
  why: z.enum(["first", "checks", "findings", "answers", "redo", "retry", "back", "tasks"]),
  text: z.string(),
});
export type Brief = z.infer<typeof Brief>;

export const GateChoice = z.enum(["continue", "review", "redo"]);
export type GateChoice = z.infer<typeof GateChoice>;

const event = <T extends string, S extends z.core.$ZodLooseShape>(type: T, shape: S) =>
  z.strictObject({ type: z.literal(type), ...shape });

/** Everything the journal may hold, without its place in it. Add a variant; never change the meaning of an old one. */
export const EventDraft = z.discriminatedUnion("type", [
  event("run.started", {
    run: RunId,
    /** A run of the working tree, or of one item only: no branch, no commit, writes in the item's folder. */
    scope: z._default(z.enum(["tree", "item"]), "tree"),
    workflow: z.string(),
    title: z.string(),
    /** The issue that the work comes from. */
    issue: z.optional(IssueSource),
    /** Folder of the item's artifacts, relative to the working tree, with forward slashes. */
    item: z.string(),
    plan: z.array(PhaseRule).check(z.minLength(1)),
    /** Every phase of the workflow, where the plan has only some of them; unknown in older journals. */
    workflowPhases: z.optional(z.array(PhaseKey)),
    /** Analysis phases that were done before this run began. */
    analysed: z._default(z.array(PhaseKey), []),
    options: RunOptions,
    supervision: Supervision,
    minimalSummary: z.boolean(),
    /** `supervised_mode` when the run began: what stays as it was has not been loosened. */
    settings: z.optional(SettingsReading),
    agent: AgentChoice,
    reviewer: z.nullable(AgentChoice),
    /** Other agents for some phases and their reviewers, by phase. */
    agents: z.optional(z.record(PhaseKey, AgentChoice)),
    reviewers: z.optional(z.record(PhaseKey, AgentChoice)),
    /** Whether agents are sandboxed, for the whole run; unknown in older journals. */
    sandbox: z.optional(z.boolean()),
    /** Where the programs really are that the run works with, by name. */
    programs: z.optional(z.record(z.string(), z.string())),
    git: z.nullable(StartPoint),
    /** Where the run was begun: a journal belongs to its tree. Unknown in older journals. */
    tree: z.optional(z.strictObject({ root: z.string(), repository: z.nullable(z.string()) })),
    /** Where the processes were visible from which the run was started; unknown in older journals. */
    view: z.optional(ProcessView),
    /** The working tree made for this work, relative to the main one; null or left out: it is done in place. */
    worktree: z.optional(z.nullable(z.string())),
    tests: z.nullable(TestCommand),
    /** Only decisions signed with one of these are taken; left out: any channel that the settings allow. */
    passkeys: z.optional(z.array(PasskeyKey)),
    warnings: z.array(z.string()),
    by: Initiator,
  }),
  /** What the next event records was signed. */
  event("decision.signed", { signature: PasskeySignature }),
  /** A passkey that signs nothing here from now on: without any left, other channels answer again. */
  event("passkey.removed", { passkey: z.string(), reason: z.string(), by: Person }),
  /** A person had the run go on with other agents. */
  event("agents.changed", {
    by: Person,
    agent: AgentChoice,
    reviewer: AgentChoice,
    agents: z.optional(z.record(PhaseKey, AgentChoice)),
    reviewers: z.optional(z.record(PhaseKey, AgentChoice)),
  }),
  event("run.prepared", {}),
  /** The tests are run before anybody writes. */
  event("baseline.started", {}),
  event("baseline.measured", { result: CheckResult }),
  /** Passed, or gone on with: knowing what fails, or without tests. */
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
    /** Of a phase entered again after a return that kept the files. */
    bases: z.optional(ReturnBases),
  }),
  event("execution.started", {
    role: z.enum(["phase", "reviewer"]),
    claim: Claim,
    /** Characters of the prompt, its persona included. */
    prompt: z.optional(z.int()),
  }),
  event("execution.ended", {
    execution: ExecutionId,
    how: z.enum(["done", "failed", "lost"]),
    /** For people; where it failed and no code is there, the code stands before its first colon. */
    reason: z.nullable(z.string()),
    /** Why it failed, for programs. */
    code: z.optional(z.string()),
    usage: z.nullable(Usage),
    /** The cost is worked out from the tokens. */
    estimated: z.optional(z.literal(true)),
    /** It told of a usage that cannot be, which counts as unknown. */
    nonsense: z.optional(z.literal(true)),
    session: z.nullable(z.string()),
  }),
  event("draft.produced", {
    summary: z.string(),
    decisions: z.array(z.string()),
    artifacts: z.array(z.string()),
    /** Written where the phase may not, and not brought back from the copy it worked in. */
    dropped: z.optional(z.array(z.string())),
    /** What the agent wanted to do and was not allowed to, as the rule that would allow it. */
    denied: z.optional(z.array(z.string())),
    /** Why nobody watched over the session that made it. */
    unguarded: z.optional(z.string()),
    /** What the agent says it did about each comment of a person. */
    replies: z.optional(z.array(CommentReply)),
  }),
  event("questions.asked", { questions: z.array(Question) }),
  event("questions.answered", { wait: WaitId, by: Person, replies: z.array(Reply) }),
  event("checks.passed", {
    results: z.array(CheckResult),
    testsChanged: z.nullable(z.string()),
    leadsTo: z.enum(["review", "complete"]),
  }),
  event("checks.failed", { results: z.array(CheckResult), digest: z.string(), testsChanged: z.nullable(z.string()) }),
  event("verdict.given", {
    approved: z.boolean(),
    issues: z.array(Issue),
    summary: z.string(),
    /** Policy, decided once: is the draft done, or does it go back? */
    leadsTo: z.enum(["complete", "produce"]),
    concerns: z.array(z.string()),
    /** Files that the revision before this verdict changed; null where nobody knows. */
    changed: z.optional(z.nullable(z.array(z.string()))),
    /** Files that changed in the working tree while the reviewer ran. */
    written: z.optional(z.array(z.string())),
    /** Where each requirement is fulfilled, as a final reviewer says. */
    evidence: z.optional(z.array(Evidence)),
    /** Why the loop ended here without approval, where it ended before its limit. */
    stopped: z.optional(z.string()),
  }),
  event("phase.completed", { made: PhaseOutput, settings: SettingsReading }),
  /** Summaries are minimal, or full, from this phase on: the setting was changed during the run. */
  event("run.broughtIn", broughtIn),
  event("summaries.changed", { minimal: z.boolean() }),
  event("supervision.tightened", { supervision: Supervision }),
  event("supervision.loosened", { wait: WaitId, supervision: Supervision, by: Person }),
  event("gate.opened", { digest: z.string(), loosened: z.nullable(Supervision), failures: z.array(CheckResult) }),
  event("gate.answered", {
    wait: WaitId,
    choice: GateChoice,
    by: Person,
    /** The comments are told in it too. */
    guidance: z.nullable(z.string()),
    comments: z.optional(z.array(ReviewComment)),
    /** Digest of what the person was shown. */
    shown: z.string(),
  }),
  event("phase.rechecked", {
    edited: z.nullable(z.array(FileChange)),
    tree: z.nullable(TreeId),
    results: z.array(CheckResult),
    /** As in what the phase made, where the look found another. */
    commitTree: z.optional(TreeId),
    plainTree: z.optional(TreeId),
    wholeTree: z.optional(TreeId),
    standing: z.optional(RepositoryStanding),
    notices: z.optional(z.array(z.string())),
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
    /** The files it is about. */
    paths: z.optional(z.array(z.string())),
    /** Names of the checks that failed. */
    checks: z.optional(z.array(z.string())),
    /** The way of running tests that it shows; null where there is none any more. */
    tests: z.optional(z.nullable(TestCommand)),
  }),
  /** A person lets lines of their own be committed with these files. */
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
    /** Phases left out from now on; they come back when a person goes back. */
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
    /** What the person wants otherwise, for the agent of the phase; the comments are told in it too. */
    guidance: z.optional(z.string()),
    comments: z.optional(z.array(ReviewComment)),
  }),
  event("run.rewound", {
    /** Where what came after is kept; null where there is no git. */
    kept: z.nullable(z.string()),
    restored: z.array(z.string()),
    commit: z.nullable(CommitId),
  }),
  /** `partial`: some executions did not tell what they cost. */
  event("budget.spent", { ...budgetWait, partial: z.optional(z.boolean()) }),
  event("budget.raised", { wait: WaitId, budget: Budget, by: Person }),
  event("writes.takenOut", {
    wait: WaitId,
    by: Person,
    paths: z.array(z.string()),
    /** The tree with them, and the tree without. */
    kept: z.nullable(z.string()),
    tree: z.nullable(TreeId),
  }),
  event("finish.asked", {
    options: z.array(Finish),
    /** What has moved since a person was last asked, and where it stands now. */
    moved: z.optional(z.array(z.string())),
    standing: z.optional(RepositoryStanding),
  }),
  event("finish.chosen", { how: Finish, by: z.union([Person, z.literal("engine")]) }),
  event("run.finished", { how: Finish, merged: z.nullable(CommitId) }),
  event("run.cancelled", { by: Person, reason: z.string() }),
]);
export type EventDraft = z.infer<typeof EventDraft>;

/** An event in its place: `seq` counts from 1 without gaps; time is information, order is `seq`. */
export type RunEvent = EventDraft & { readonly seq: number; readonly at: string };
