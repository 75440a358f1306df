import type { AgentSign, Usage } from "../schema/agent.ts";
import type { Budget } from "../schema/plan.ts";
import { addUsage, isSpent, priced, wouldExceed } from "./budget.ts";
import { UNAVAILABLE } from "./run.ts";

/** What was seen of an execution so far. */
export type ExecutionProgress = {
  readonly usage: Usage | null;
  /** Answers of the model in a row after which no tool gave a result and no file was written. */
  readonly idle: number;
  /** Calls to the model service in a row that failed, and how the last one did. */
  readonly trouble: { readonly what: string; readonly times: number } | null;
  /** What was known to be used when the model was about to be asked once more. */
  readonly before: Usage | null;
  /** The most that was used between two results of tools: what the next call will use, as far as one can tell. */
  readonly dearest: Usage | null;
  /** What was known to be used at the last of them. */
  readonly counted: Usage | null;
  /** True at the result of a tool: the model was not asked again yet. */
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

/** A model that works through tools needs one answer between two results; some agents ask again for a valid result. */
export const MAX_IDLE_CALLS = 25;
/** Agents wait longer after each failed call, so this many take minutes. */
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

/** `retrying (12), service error 500`; null while the service answers. */
export const retryText = ({ trouble }: ExecutionProgress): string | null =>
  trouble === null ? null : `retrying (${trouble.times}), ${trouble.what}`;

export type Stop =
  /** `ahead`: what the next call would have used, where the budget was not spent but would be exceeded. */
  | { readonly why: "budget"; readonly ahead: Usage | null }
  | { readonly why: "no_progress" | typeof UNAVAILABLE; readonly detail: string };

type Account = {
  readonly spent: Usage;
  readonly budget: Budget | null;
  /** Dollars for a token, for agents that tell their cost only at the end; null where it is not known. */
  readonly price: number | null;
};

/**
 * Why an execution must not go on; null while it may. The answer that used up the budget may be its last: only where
 * the model is asked once more the execution is stopped.
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

/** Of two accounts of the same execution the one that tells more: what was counted once does not go away. */
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
