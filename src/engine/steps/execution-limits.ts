import { type ActiveRun, isExecuting, type PhaseRecord, UNAVAILABLE } from "../../core/run.ts";
import type { AgentEnd, AgentLimits } from "../../ports/agent-backend.ts";
import type { Engine } from "../engine.ts";
import type { Ran } from "./run-agent.ts";

const MINUTE = 60_000; // milliseconds
const MAX_TIMER_MS = 2 ** 31 - 1; // milliseconds

/**
 * Returns the limits of one execution. The agent's own cost limit is the whole budget; isdlc counts the rest and asks
 * before it is exceeded. The silence limit is twice the expected duration of the phase, in seconds.
 */
export function executionLimits(run: ActiveRun, phase: PhaseRecord): AgentLimits {
  const turns = run.run.options.limits?.turns ?? null;
  return { silence: phase.rule.minutes * 120, turns, usd: run.budget?.usd ?? null };
}

type ExecutionContext = { readonly run: ActiveRun; readonly phase: PhaseRecord };

/** Returns the user's limit, or by default three times the expected duration of the phase. */
const timeLimitMinutes = ({ run, phase }: ExecutionContext): number =>
  run.run.options.limits?.minutes ?? phase.rule.minutes * 3;

/** Aborts an execution that exceeds its time limit. */
export function tooLong(executed: ExecutionContext, done: AbortSignal): AbortSignal {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.min(timeLimitMinutes(executed) * MINUTE, MAX_TIMER_MS));
  done.addEventListener("abort", () => clearTimeout(timer), { once: true });
  return over.signal;
}

export function overtime(executed: ExecutionContext, { usage, session }: AgentEnd): AgentEnd {
  const isSet = (executed.run.run.options.limits?.minutes ?? null) !== null;
  const limit = isSet ? "the limit you set" : "the limit where you set none";
  const detail = `It took longer than ${timeLimitMinutes(executed)} minutes, which is ${limit}. To allow more: isdlc retry --max-minutes <minutes>.`;
  return { type: "end", how: "failed", reason: "timeout", detail, again: false, usage, session };
}

/** Ends an execution stopped for using resources without progress. The user decides if it starts again. */
export function halted({ end, stop }: Ran): AgentEnd {
  if (stop === null || stop.why === "budget") return end;
  const { usage, session } = end;
  return { type: "end", how: "failed", reason: stop.why, detail: stop.detail, again: false, usage, session };
}

/** Milliseconds before the first, second and third retry, if the model service was busy or unreachable. */
const BACKOFF = [2_000, 8_000, 30_000] as const;

/** Waits before the next call to a busy model service. */
export async function letPass(engine: Engine, { stage }: ActiveRun, signal: AbortSignal): Promise<void> {
  if (!isExecuting(stage) || stage.work.trouble !== UNAVAILABLE) return;
  await engine.pause(BACKOFF[Math.min(stage.work.broken, BACKOFF.length) - 1] ?? 0, signal);
}
