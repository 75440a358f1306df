import type { Usage } from "../../schema/agent.ts";
import type { EventDraft } from "../../schema/event.ts";
import type { Sizing } from "../../schema/facts.ts";
import type { TreeId } from "../../schema/ids.ts";
import type { ExecutionFacts } from "../command.ts";
import { type ActiveRun, isExecuting, type Stage } from "../run.ts";

type ExecutionSummary = ExecutionFacts & { readonly tree?: TreeId };

export function done({ execution, usage, session, tree }: ExecutionSummary): EventDraft {
  const left = tree === undefined ? {} : { tree };
  return { type: "execution.ended", execution, how: "done", reason: null, ...usageTold(usage), session, ...left };
}

type Failure = { readonly reason: string; readonly detail: string };

export function failed(
  { execution, usage, session, tree }: ExecutionSummary,
  { reason: code, detail }: Failure,
): EventDraft {
  const reason = `${code}: ${detail}`;
  const left = tree === undefined ? {} : { tree };
  return { type: "execution.ended", execution, how: "failed", reason, code, ...usageTold(usage), session, ...left };
}

/** Plausible maximums. Larger or negative amounts, and fractions of tokens, count as unknown. */
const MAX_TOKENS = 1e10;
const MAX_USD = 1e5;

type UsageTold = Pick<Extract<EventDraft, { type: "execution.ended" }>, "usage" | "nonsense">;

/** Returns reported usage without implausible amounts; `nonsense` marks their removal. */
export function usageTold(usage: Usage | null): UsageTold {
  if (usage === null) return { usage };
  const sensible = sensibleUsage(usage);
  const keys = ["input", "output", "usd"] as const;
  return { usage: sensible, ...(keys.every((key) => sensible[key] === usage[key]) ? {} : { nonsense: true }) };
}

function sensibleUsage(usage: Usage): Usage {
  const tokens = (amount: number | null): number | null =>
    amount !== null && Number.isInteger(amount) && amount >= 0 && amount <= MAX_TOKENS ? amount : null;
  const { usd } = usage;
  const money = usd !== null && Number.isFinite(usd) && usd >= 0 && usd <= MAX_USD ? usd : null;
  return { input: tokens(usage.input), output: tokens(usage.output), usd: money };
}

/** Ends the claimed execution, if any, after its step failed or a user stopped it. */
export function abandoned({ stage }: ActiveRun, reason: string): EventDraft[] {
  const execution = claimedBy(stage);
  return execution === null
    ? []
    : [{ type: "execution.ended", execution, how: "failed", reason, usage: null, session: null }];
}

export const claimedBy = (stage: Stage): string | null =>
  isExecuting(stage) ? (stage.claim?.execution ?? null) : null;

/** Treats epic work as standard for now; the recorded sizing stays epic. */
export const effectiveSizing = ({ recommended }: Sizing): "light" | "standard" =>
  recommended === "light" ? "light" : "standard";
