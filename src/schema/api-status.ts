import * as z from "zod/mini";
import { Question, Usage } from "./agent.ts";
import { EarlierRedo } from "./api-history.ts";
import { ReviewGroup } from "./api-diff.ts";
import { Attention, FindingView, RunStatus } from "./api.ts";
import { CheckResult, FileChange, Intensity, SizingMetrics } from "./facts.ts";
import { budgetWait, Finish, Mode, PhaseKey, RunId, Supervision } from "./plan.ts";
import { CommitId, ExecutionId, TreeId } from "./recorded-ids.ts";

/** State of a run in the format of `--json`. Keys may be added, but never removed or renamed. */
const wait = { id: z.string(), options: z.readonly(z.array(z.string())) };

export const StatusWait = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("gate"),
    ...wait,
    paused: z.boolean(),
    /** Path of the summary, relative to the working tree. */
    summary: z.nullable(z.string()),
    loosened: z.nullable(Supervision),
    failures: z.readonly(z.array(CheckResult)),
    ...Attention.shape,
  }),
  z.object({ kind: z.literal("questions"), ...wait, questions: z.readonly(z.array(Question)) }),
  z.object({ kind: z.literal("escalation"), ...wait, step: z.string(), reason: z.string(), detail: z.string() }),
  z.object({
    kind: z.literal("sizing"),
    ...wait,
    recommended: Intensity,
    rationale: z.string(),
    metrics: z.nullable(SizingMetrics),
    source: z.nullable(z.string()),
  }),
  z.object({ kind: z.literal("budget"), ...wait, ...budgetWait }),
  z.object({
    kind: z.literal("finish"),
    ...wait,
    base: z.nullable(z.string()),
    /** Description of branches that moved since the last review, one entry per line. */
    moved: z.optional(z.readonly(z.array(z.string()))),
  }),
]);
export type StatusWait = z.infer<typeof StatusWait>;

/** One changed file in a displayed diff. Its content is in the patch. */
const ShownFile = z.object({
  path: z.string(),
  /** Previous path of a renamed file, or else null. */
  was: z.nullable(z.string()),
  change: FileChange.shape.change,
  kind: z.enum(["code", "document", "bookkeeping"]),
  added: z.number(),
  removed: z.number(),
  isBinary: z.boolean(),
  /** Group in the review order, and the fact that put the file into it. */
  group: ReviewGroup,
  reason: z.string(),
});

/** Complete patches, including bookkeeping files, and the base of the comparison. */
export const ShownDiff = z.object({
  base: z.string(),
  files: z.readonly(z.array(ShownFile)),
  patch: z.string(),
});
export type ShownDiff = z.infer<typeof ShownDiff>;

/** Facts of an open gate, for programs that show it elsewhere. */
export const OpenGate = z.object({
  wait: z.string(),
  /** Digest of everything shown. An answer must contain it. */
  digest: z.string(),
  openedAt: z.string(),
  /** Commit that Continue moves the branch to, its parent and its tree. Null if the phase commits nothing. */
  commit: z.nullable(CommitId),
  parent: z.nullable(CommitId),
  tree: z.nullable(TreeId),
  /** `index` counts from 1. */
  phase: z.object({ key: PhaseKey, name: z.string(), index: z.number(), of: z.number() }),
  redos: z.object({ used: z.number(), limit: z.number() }),
  /** Checks of the phase, and failures found after an earlier Continue. */
  checks: z.readonly(z.array(CheckResult)),
  /** Null without a reviewer. */
  verdict: z.nullable(z.object({ reviewer: z.string(), approved: z.boolean() })),
  findings: z.readonly(z.array(FindingView)),
  /** Comments of the last redo, each with the agent's reply. Missing if the journal is not at hand. */
  replies: z.optional(EarlierRedo.shape.comments),
});
export type OpenGate = z.infer<typeof OpenGate>;

/**
 * The open wait in the format of `gate --json`. `shown`, `summary` and `gate` are set at a gate, the other fields with
 * `--diff`.
 */
export const OpenWait = z.object({
  waiting: z.nullable(StatusWait),
  /** Summary digest. An answer must contain it. */
  shown: z.optional(z.string()),
  summary: z.optional(z.string()),
  gate: z.optional(OpenGate),
  ...z.partial(ShownDiff).shape,
});
export type OpenWait = z.infer<typeof OpenWait>;

export const StatusPhase = z.object({
  key: PhaseKey,
  name: z.string(),
  status: z.enum(["pending", "in_progress", "completed", "skipped"]),
  attempt: z.number(),
  iterations: z.number(),
  redos: z.number(),
  concerns: z.readonly(z.array(z.string())),
  usage: Usage,
});
export type StatusPhase = z.infer<typeof StatusPhase>;

export const StatusView = z.object({
  id: RunId,
  workflow: z.string(),
  item: z.string(),
  description: z.string(),
  status: RunStatus,
  supervised: z.boolean(),
  mode: Mode,
  branch: z.nullable(z.string()),
  agent: z.string(),
  /** True if isdlc ran every agent so far in its sandbox. Null if unknown, as for agent sessions and adopted work. */
  sandbox: z.nullable(z.boolean()),
  current: z.nullable(PhaseKey),
  /** Agent session that works on the current phase. Null if there is no session. */
  session: z.nullable(z.string()),
  phases: z.readonly(z.array(StatusPhase)),
  sizing: z.nullable(z.object({ recommended: Intensity, effective: z.string() })),
  waiting: z.nullable(StatusWait),
  finish: z.optional(z.nullable(Finish)),
  merged: z.optional(z.nullable(z.string())),
  reason: z.optional(z.nullable(z.string())),
});
export type StatusView = z.infer<typeof StatusView>;

/** Messages pushed by the server, one JSON object each. */
export const LiveMessage = z.discriminatedUnion("is", [
  z.object({ is: z.literal("hello"), version: z.string() }),
  z.object({ is: z.literal("changed"), run: RunId, seq: z.number() }),
  /** Output lines of an agent. Not part of the journal; lost without a listener. */
  z.object({ is: z.literal("activity"), run: RunId, execution: ExecutionId, lines: z.array(z.string()) }),
  z.object({ is: z.literal("waiting"), count: z.number() }),
]);
export type LiveMessage = z.infer<typeof LiveMessage>;

export const ActivityView = z.object({
  executions: z.array(z.object({ name: z.string(), lines: z.array(z.string()), isCut: z.boolean() })),
});
export type ActivityView = z.infer<typeof ActivityView>;
