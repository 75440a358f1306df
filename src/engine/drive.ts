import { next, type Next } from "../core/next.ts";
import type { RunState } from "../core/run.ts";
import type { SubmitResult } from "../ports/journal.ts";
import type { Engine } from "./engine.ts";
import { perform } from "./perform.ts";
import { isLeftToSession } from "./session-work.ts";
import { writeActive, writeProjections } from "./write-projections.ts";

export type DriveResult = {
  readonly state: RunState;
  readonly next: Next;
  /** Projections that could not be written; the journal is unharmed. */
  readonly warnings: readonly string[];
};

/**
 * Loads, asks what should happen, lets it happen, records what came of it; until the run rests or the signal says stop.
 * `noMore` lets the step at hand come to its end, and begins no other.
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
    for (const warning of writeActive(engine, state, head)) warned.add(warning); // true while an agent works, too
    const report = await perform(engine, { run: state, step: now.step, ticket: now.ticket }, signal);
    if (report === null) continue;
    const submitted = await engine.journal.submit(engine.run, report);
    if (!submitted.ok) refuseToRepeat(now, submitted);
  }
}

/** A report is refused when the run moved on. Were it refused for the step that is still at hand, agents would work forever. */
function refuseToRepeat(done: Action, { state, refusal }: RefusedSubmission): void {
  const now = next(state);
  if (now.is === "action" && now.step === done.step && now.attempt === done.attempt)
    throw new Error(`${done.step} of ${done.attempt ?? "the run"} cannot be recorded: ${refusal.why}`);
}

type Action = Extract<Next, { is: "action" }>;
type RefusedSubmission = Extract<SubmitResult, { ok: false }>;
