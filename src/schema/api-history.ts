import * as z from "zod/mini";
import { Evidence, Issue } from "./agent.ts";
import type { RunEvent } from "./event.ts";
import { RunId, PhaseKey } from "./plan.ts";
import { CommentReply, ReviewComment } from "./comments.ts";

/** Runs in the format of `history --json`. Keys may be added, but never removed or renamed. */
const measured = z.nullable(z.number());

/** Metrics of a run. Null is unknown, not zero. */
export const RunMetrics = z.object({
  minutes: measured,
  attempts: measured,
  redos: measured,
  /**
   * `gates`: phases that were completed and accepted. `firstTry`: how many of them needed one attempt and no fix after
   * a failed check.
   */
  gates: measured,
  firstTry: measured,
  tokens: measured,
  usd: measured,
});
export type RunMetrics = Readonly<z.infer<typeof RunMetrics>>;

export const FinishedRun = z.object({
  id: RunId,
  /** Folder of the analysed item, or null for a run of the working tree. */
  item: z.nullable(z.string()),
  workflow: z.nullable(z.string()),
  title: z.nullable(z.string()),
  endedAt: z.nullable(z.string()),
  /** `kept`: the run ended with an unmerged branch. `unreadable`: isdlc did not write the content of the entry. */
  how: z.enum(["merged", "kept", "finished", "cancelled", "unreadable"]),
  metrics: RunMetrics,
});
export type FinishedRun = Readonly<z.infer<typeof FinishedRun>>;

/** Sum over the runs with a known value, and the number of these runs. */
const total = z.object({ sum: measured, of: z.number() });

export const Totals = z.object({
  runs: z.number(),
  minutes: total,
  attempts: total,
  redos: total,
  gates: total,
  firstTry: total,
  tokens: total,
  usd: total,
});
export type Totals = Readonly<z.infer<typeof Totals>>;

/** One verdict and its effect. */
export const Review = z.object({
  phase: z.string(),
  /** Counted across all attempts at the phase. */
  iteration: z.number(),
  at: z.string(),
  approved: z.boolean(),
  summary: z.string(),
  issues: z.readonly(z.array(Issue)),
  evidence: z.readonly(z.array(Evidence)),
  /** Why the loop ended here before its limit. Null if it did not. */
  stopped: z.nullable(z.string()),
  /** Changes made because of the verdict, as reported by the agent. Null if the agent did not work again. */
  changesMade: z.nullable(z.string()),
});
export type Review = Readonly<z.infer<typeof Review>>;

/** Finished runs of a working tree and its items, in the order of their start. */
export const FinishedRuns = z.object({ runs: z.readonly(z.array(FinishedRun)), totals: Totals });
export type FinishedRuns = Readonly<z.infer<typeof FinishedRuns>>;

/** Events of one run, in order. */
export type EventHistory = { readonly events: readonly RunEvent[] };

/** All verdicts, oldest first. */
export const ReviewHistory = z.object({ reviews: z.readonly(z.array(Review)) });
export type ReviewHistory = Readonly<z.infer<typeof ReviewHistory>>;

/** One event of the journal, described in a sentence. */
export const StoryEntry = z.object({
  seq: z.number(),
  at: z.string(),
  type: z.string(),
  phase: z.nullable(PhaseKey),
  text: z.string(),
  by: z.nullable(z.object({ name: z.string(), channel: z.string(), suspicious: z.nullable(z.string()) })),
});
export type StoryEntry = z.infer<typeof StoryEntry>;
/** `next`: first sequence number of the next request. Null on the last page. */
export const Story = z.object({ entries: z.array(StoryEntry), next: z.nullable(z.number()) });
export type Story = z.infer<typeof Story>;

/** Request at an earlier gate of the phase, with the agent's reply to each comment. */
export const EarlierRedo = z.object({
  at: z.string(),
  by: z.string(),
  guidance: z.nullable(z.string()),
  comments: z.array(z.object({ comment: ReviewComment, reply: z.nullable(CommentReply) })),
});
