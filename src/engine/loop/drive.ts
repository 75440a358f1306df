import { next, type Next } from "../../core/next.ts";
import type { RunState } from "../../core/run.ts";
import type { SubmitResult } from "../../ports/journal.ts";
import type { Engine } from "../engine.ts";
import { perform } from "./perform.ts";
import { isLeftToSession } from "./session-work.ts";
import { writeActive, writeProjections } from "../write-projections.ts";

export type DriveResult = {
  readonly state: RunState;
  readonly next: Next;
  /** Projections that could not be written. The journal is not affected. */
  readonly warnings: readonly string[];
};

/**
 * Runs steps and records their outcomes until the run waits or ends, or `signal` aborts. Aborting `noMore` finishes
 * the current step and starts no other.
 */
export async function drive(engine: Engine, signal: AbortSignal, noMore: AbortSignal = signal): Promise<DriveResult> {
  const warned = new Set<string>();
  for (;;) {
    const { state, head } = await engine.journal.load(engine.run);
    const now = next(state);
    if (
      now.is !== "action" ||
      state.is !== "active" ||
      signal.aborted ||
      noMore.aborted ||
      isLeftToSession(engine, state)
    )
      return { state, next: now, warnings: [...new Set([...warned, ...writeProjections(engine, state, head)])] };
    for (const warning of writeActive(engine, state, head)) warned.add(warning); // stays valid while an agent works
    const report = await perform(engine, { run: state, step: now.step, ticket: now.ticket }, signal);
    if (report === null) continue;
    const submitted = await engine.journal.submit(engine.run, report);
    if (!submitted.ok) refuseToRepeat(now, submitted);
  }
}

/**
 * A report is refused if the run advanced. If the refused step is still current, throws instead of running agents
 * forever.
 */
function refuseToRepeat(done: Action, { state, refusal }: RefusedSubmission): void {
  const now = next(state);
  if (now.is === "action" && now.step === done.step && now.attempt === done.attempt)
    throw new Error(`${done.step} of ${done.attempt ?? "the run"} cannot be recorded: ${refusal.why}`);
}

type Action = Extract<Next, { is: "action" }>;
type RefusedSubmission = Extract<SubmitResult, { ok: false }>;
