import { moneyLeft } from "../../core/budget.ts";
import { type ActiveRun, isExecuting, type PhaseRecord, UNAVAILABLE } from "../../core/run.ts";
import type { AgentEnd, AgentLimits } from "../../ports/agent-backend.ts";
import type { Engine } from "../engine.ts";

const MINUTE = 60_000; // milliseconds

/** What one execution may use. Twice the time a phase should take without a sign of life is too long. */
export function limitsOf(run: ActiveRun, phase: PhaseRecord): AgentLimits {
  const turns = run.run.options.limits?.turns ?? null;
  return { silence: phase.rule.minutes * 120, turns, usd: moneyLeft(run) };
}

/** Aborts when one execution takes longer than the person allowed; never where they set no limit. */
export function tooLong({ run }: ActiveRun, done: AbortSignal): AbortSignal {
  const minutes = run.options.limits?.minutes ?? null;
  const over = new AbortController();
  if (minutes === null) return over.signal;
  const timer = setTimeout(() => over.abort(), minutes * MINUTE);
  done.addEventListener("abort", () => clearTimeout(timer), { once: true });
  return over.signal;
}

export function overtime({ run }: ActiveRun, { usage, session }: AgentEnd): AgentEnd {
  const minutes = run.options.limits?.minutes ?? 0;
  const detail = `It took longer than ${minutes} minutes, which is the limit you set. To allow more: isdlc retry --max-minutes <minutes>.`;
  return { type: "end", how: "failed", reason: "timeout", detail, again: false, usage, session };
}

/** Milliseconds, for the first, second and third try after the model service was busy or out of reach. */
const BACKOFF = [2_000, 8_000, 30_000] as const;

/** Gives a busy model service time before it is asked again. */
export async function letPass(engine: Engine, { stage }: ActiveRun, signal: AbortSignal): Promise<void> {
  if (!isExecuting(stage) || stage.work.trouble !== UNAVAILABLE) return;
  await engine.pause(BACKOFF[Math.min(stage.work.broken, BACKOFF.length) - 1] ?? 0, signal);
}
