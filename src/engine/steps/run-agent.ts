import { priced, pricePerToken, spentBy } from "../../core/budget.ts";
import {
  larger,
  nothingSeen,
  reasonToStop,
  retryText,
  type Stop,
  watch,
  type ExecutionProgress,
} from "../../core/execution-watch.ts";
import { type ActiveRun, isExecuting, type PhaseRecord, UNAVAILABLE } from "../../core/run.ts";
import type {
  AgentBackend,
  AgentEnd,
  AgentProgress,
  AgentTask,
  FailureReason,
  AgentLimits,
} from "../../ports/agent-backend.ts";
import type { ExecutionId } from "../../schema/ids.ts";
import type { Engine } from "../engine.ts";

type AgentRun = {
  readonly run: ActiveRun;
  readonly task: AgentTask;
  readonly execution: ExecutionId;
  readonly signal: AbortSignal;
};

export type Ran = {
  readonly end: AgentEnd;
  /** Why isdlc stopped it; null if it ended itself. */
  readonly stop: Stop | null;
  /** Failed calls to the model service that the agent repeated before it ended. */
  readonly retries: number;
  /** True if its cost is estimated from tokens, because it was stopped before it could report the cost. */
  readonly estimated: boolean;
};

/**
 * Runs an agent to its end, and stops it if it makes no progress or exceeds the budget. All observed usage
 * counts, however it ends.
 */
export async function runAgent(engine: Engine, backend: AgentBackend, running: AgentRun): Promise<Ran> {
  const { run, task, execution, signal } = running;
  const account = { spent: spentBy(run), budget: run.budget, price: pricePerToken(run) };
  const transcript = engine.transcript(execution);
  const tell = { step: task.role === "phase" ? "produce" : "review", attempt: task.attempt };
  const enough = new AbortController();
  let watched: ExecutionProgress = nothingSeen;
  let stop: Stop | null = null;
  engine.show({ ...tell, at: "started", text: backend.name, usage: null });
  try {
    for await (const event of backend.run(task, AbortSignal.any([signal, enough.signal]))) {
      if (event.type === "end" || event.text !== "" || event.usage !== null) transcript.write(JSON.stringify(event));
      if (event.type === "end") return ranTo(event, { ...account, watched, stop });
      watched = watch(watched, event);
      const text = shownText(event, watched);
      if (text !== "") engine.show({ ...tell, at: "says", text: engine.redact(text), usage: watched.usage });
      stop ??= reasonToStop(watched, account);
      if (stop !== null) enough.abort();
    }
  } finally {
    transcript.close();
    engine.show({ ...tell, at: "ended", text: "", usage: null });
  }
  const detail = "The backend ended without a result.";
  const failed = { how: "failed", reason: "no_result", detail, again: true } as const;
  return ranTo({ type: "end", ...failed, usage: null, session: null }, { ...account, watched, stop });
}

const shownText = ({ text, sign }: AgentProgress, watched: ExecutionProgress): string =>
  sign?.is === "trouble" ? (retryText(watched) ?? text) : text;

type Course = { readonly watched: ExecutionProgress; readonly stop: Stop | null; readonly price: number | null };

/** A result that arrives despite the stop counts, because nothing more is used. */
function ranTo(end: AgentEnd, { watched: { usage: seen, trouble }, stop, price }: Course): Ran {
  const usage = larger(end.usage, seen);
  const halt = end.how === "failed" ? (stop ?? ownLimit(end.reason)) : null;
  const estimate = usage === null || halt?.why !== "budget" ? usage : priced(usage, price);
  return {
    end: { ...end, usage: estimate },
    stop: halt,
    retries: trouble?.times ?? 0,
    estimated: estimate !== usage,
  };
}

const ownLimit = (reason: FailureReason): Stop | null =>
  reason === "over_budget" ? { why: "budget", ahead: null } : null;

const MINUTE_MS = 60_000; // milliseconds
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
  const timer = setTimeout(() => over.abort(), Math.min(timeLimitMinutes(executed) * MINUTE_MS, MAX_TIMER_MS));
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

/** Waits before the next call if the model service was busy or unreachable. */
export async function letPass(engine: Engine, { stage }: ActiveRun, signal: AbortSignal): Promise<void> {
  if (!isExecuting(stage) || stage.work.trouble !== UNAVAILABLE) return;
  await engine.pause(BACKOFF[Math.min(stage.work.broken, BACKOFF.length) - 1] ?? 0, signal);
}
