import type { AgentSign, Usage } from "../schema/agent.ts";
import type { Budget } from "../schema/plan.ts";
import { addUsage, isSpent, priced, wouldExceed } from "./budget.ts";
import { UNAVAILABLE } from "./run.ts";

/** Observed progress of an execution. */
export type ExecutionProgress = {
  readonly usage: Usage | null;
  /** Model answers in a row without a tool result or a written file. */
  readonly idle: number;
  /** Failed calls to the model service in a row, and the last failure. */
  readonly trouble: { readonly what: string; readonly times: number } | null;
  /** Known usage before the next call to the model. */
  readonly before: Usage | null;
  /** Highest usage between two tool results: the best estimate for the next call. */
  readonly dearest: Usage | null;
  /** Known usage at the last tool result. */
  readonly counted: Usage | null;
  /** True after a tool result, before the next call to the model. */
  readonly isBetweenCalls: boolean;
};

export const nothingSeen: ExecutionProgress = {
  usage: null,
  idle: 0,
  trouble: null,
  before: null,
  dearest: null,
  counted: null,
  isBetweenCalls: false,
};

/** A model with tools needs one answer between two results; some agents ask again for a valid result. */
export const MAX_IDLE_CALLS = 25;
/** Agents wait longer after each failed call: this many take minutes. */
export const MAX_FAILED_CALLS = 12;

export type ProgressUpdate = { readonly usage: Usage | null; readonly sign?: AgentSign | undefined };

export function watch(watched: ExecutionProgress, { usage, sign }: ProgressUpdate): ExecutionProgress {
  const known = usage === null ? watched.usage : larger(watched.usage, usage);
  const seen = { ...watched, usage: known, before: watched.usage, isBetweenCalls: false };
  switch (sign?.is) {
    case undefined:
      return { ...seen, before: null };
    case "call":
      return { ...seen, idle: seen.idle + 1, trouble: null };
    case "asked":
      return { ...seen, idle: seen.idle + 1 };
    case "work":
      return { ...seen, idle: 0, trouble: null, before: known, ...stepTo(known, watched), isBetweenCalls: true };
    case "trouble":
      return { ...seen, trouble: { what: sign.what, times: (seen.trouble?.times ?? 0) + 1 } };
    default:
      return sign satisfies never;
  }
}

function stepTo(
  known: Usage | null,
  { counted, dearest }: ExecutionProgress,
): Pick<ExecutionProgress, "dearest" | "counted"> {
  return { counted: known, dearest: known === null ? dearest : larger(dearest, difference(known, counted)) };
}

function difference(now: Usage, then: Usage | null): Usage {
  const less = (a: number | null, b: number | null | undefined): number | null => (a === null ? null : a - (b ?? 0));
  return { input: less(now.input, then?.input), output: less(now.output, then?.output), usd: less(now.usd, then?.usd) };
}

/** Formats `retrying (12), service error 500`; null while the service answers. */
export const retryText = ({ trouble }: ExecutionProgress): string | null =>
  trouble === null ? null : `retrying (${trouble.times}), ${trouble.what}`;

export type Stop =
  /** `ahead`: expected usage of the next call, if it would exceed a budget not spent yet. */
  | { readonly why: "budget"; readonly ahead: Usage | null }
  | { readonly why: "no_progress" | typeof UNAVAILABLE; readonly detail: string };

type Account = {
  readonly spent: Usage;
  readonly budget: Budget | null;
  /** Dollars per token if known, for agents that report cost only at the end. */
  readonly price: number | null;
};

/**
 * Returns why an execution must stop, if it must. The answer that spends the budget may be the last one: the execution
 * stops only before the next question to the model.
 */
export function reasonToStop(watched: ExecutionProgress, account: Account): Stop | null {
  const { idle, trouble } = watched;
  const overBudget = budgetStop(watched, account);
  if (overBudget !== null) return overBudget;
  if (trouble !== null && trouble.times >= MAX_FAILED_CALLS) {
    const detail = `The model service failed ${trouble.times} times in a row: ${trouble.what}.`;
    return { why: UNAVAILABLE, detail };
  }
  if (idle < MAX_IDLE_CALLS) return null;
  const detail = `It asked the model ${idle} times in a row without a tool result or a written file.`;
  return { why: "no_progress", detail };
}

function budgetStop(
  { before, dearest, isBetweenCalls }: ExecutionProgress,
  { spent, budget, price }: Account,
): Stop | null {
  if (budget === null || before === null) return null;
  const used = addUsage(spent, priced(before, price));
  if (isSpent(used, budget)) return { why: "budget", ahead: null };
  const ahead = dearest !== null && isBetweenCalls ? priced(dearest, price) : null;
  return ahead !== null && wouldExceed(used, ahead, budget) ? { why: "budget", ahead } : null;
}

/** Returns the larger figure of each kind from two reports on one execution: counted usage never decreases. */
export function larger(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other;
  const most = (a: number | null, b: number | null): number | null =>
    a === null || b === null ? (a ?? b) : Math.max(a, b);
  return {
    input: most(one.input, other.input),
    output: most(one.output, other.output),
    usd: most(one.usd, other.usd),
  };
}
