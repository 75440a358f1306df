import { decide } from "../core/decide.ts";
import { next } from "../core/next.ts";
import type { Next, RunState } from "../core/run.ts";
import type { Engine } from "./engine.ts";
import { perform } from "./perform.ts";
import { rest } from "./rest.ts";

export type Resting = {
  readonly state: RunState;
  readonly next: Next;
  /** Projections that could not be written; the journal is unharmed. */
  readonly warnings: readonly string[];
};

/** Loads, asks what should happen, lets it happen, records what came of it; until the run rests or the signal says stop. */
export async function drive(engine: Engine, signal: AbortSignal): Promise<Resting> {
  for (;;) {
    const { state, head } = engine.journal.load(engine.run);
    const now = next(state);
    if (now.is !== "action" || state.is !== "active" || signal.aborted)
      return { state, next: now, warnings: rest(engine, state, head) };
    const report = await perform(engine, { run: state, step: now.step, ticket: now.ticket }, signal);
    if (report !== null) await engine.journal.submit(engine.run, (found) => decide(found, report));
  }
}
