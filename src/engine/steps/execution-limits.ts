import { type ActiveRun, isExecuting, type PhaseRecord, UNAVAILABLE } from "../../core/run.ts";
import type { AgentEnd, AgentLimits } from "../../ports/agent-backend.ts";
import type { Engine } from "../engine.ts";
import type { Ran } from "./run-agent.ts";

const MINUTE = 60_000; // milliseconds
const MAX_TIMER_MS = 2 ** 31 - 1; // milliseconds

/**
 * What one execution may use. Its own limit on money is all that was given: what is left of it is counted by us, and
 * asked about before it is exceeded. Twice the time a phase should take without a sign of life is too long. */
export function executionLimits(run: ActiveRun, phase: PhaseRecord): AgentLimits {
  const turns = run.run.options.limits?.turns ?? null;
  return { silence: phase.rule.minutes * 120, turns, usd: run.budget?.usd ?? null };
}

type ExecutionContext = { readonly run: ActiveRun; readonly phase: PhaseRecord };

/** Where the person set no limit: three times what the phase should take. */
const timeLimitMinutes = ({ run, phase }: ExecutionContext): number =>
  run.run.options.limits?.minutes ?? phase.rule.minutes * 3;

/** Aborts when one execution takes longer than it may. */
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

/** The end of an execution that was stopped because it only burned on; a person decides whether it begins again. */
export function halted({ end, stop }: Ran): AgentEnd {
  if (stop === null || stop.why === "budget") return end;
  const { usage, session } = end;
  return { type: "end", how: "failed", reason: stop.why, detail: stop.detail, again: false, usage, session };
}

/** Milliseconds, for the first, second and third try after the model service was busy or out of reach. */
const BACKOFF = [2_000, 8_000, 30_000] as const;

/** Gives a busy model service time before it is asked again. */
export async function letPass(engine: Engine, { stage }: ActiveRun, signal: AbortSignal): Promise<void> {
  if (!isExecuting(stage) || stage.work.trouble !== UNAVAILABLE) return;
  await engine.pause(BACKOFF[Math.min(stage.work.broken, BACKOFF.length) - 1] ?? 0, signal);
}
