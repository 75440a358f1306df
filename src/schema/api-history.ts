import * as z from "zod/mini";
import { Evidence, Issue } from "./agent.ts";
import type { RunEvent } from "./event.ts";
import { RunId } from "./plan.ts";

/** Runs as `history --json` tells them. Keys are only ever added. */
const measured = z.nullable(z.number());

/** What a run took. Null is unknown, which is never nothing. */
export const RunMetrics = z.object({
  minutes: measured,
  attempts: measured,
  redos: measured,
  /** Phases that were completed and accepted, and those of them that were accepted as first made. */
  gates: measured,
  firstTry: measured,
  tokens: measured,
  usd: measured,
});
export type RunMetrics = Readonly<z.infer<typeof RunMetrics>>;

export const FinishedRun = z.object({
  id: RunId,
  /** Folder of the item whose analysis it was; null for a run of the working tree. */
  item: z.nullable(z.string()),
  workflow: z.nullable(z.string()),
  title: z.nullable(z.string()),
  endedAt: z.nullable(z.string()),
  /** Kept: with a branch that was not merged. Unreadable: what stands in the entry is not ours. */
  how: z.enum(["merged", "kept", "finished", "cancelled", "unreadable"]),
  metrics: RunMetrics,
});
export type FinishedRun = Readonly<z.infer<typeof FinishedRun>>;

/** The sum over the runs of which it is known, and how many those are. */
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

/** What one verdict said, and what came of it. */
export const Review = z.object({
  phase: z.string(),
  /** Counted over all attempts at the phase. */
  iteration: z.number(),
  at: z.string(),
  approved: z.boolean(),
  summary: z.string(),
  issues: z.readonly(z.array(Issue)),
  evidence: z.readonly(z.array(Evidence)),
  /** Why the loop ended here before its limit; null where it did not. */
  stopped: z.nullable(z.string()),
  /** What the agent says it changed because of the verdict; null where it did not work again. */
  changesMade: z.nullable(z.string()),
});
export type Review = Readonly<z.infer<typeof Review>>;

/** The finished runs of a working tree and of its items, in the order they were started. */
export const FinishedRuns = z.object({ runs: z.readonly(z.array(FinishedRun)), totals: Totals });
export type FinishedRuns = Readonly<z.infer<typeof FinishedRuns>>;

/** What happened in one run, in order. */
export type EventHistory = { readonly events: readonly RunEvent[] };

/** Everything reviewers said, oldest first. */
export const ReviewHistory = z.object({ reviews: z.readonly(z.array(Review)) });
export type ReviewHistory = Readonly<z.infer<typeof ReviewHistory>>;
