import { decide } from "../src/core/decide/decide.ts";
import { evolve } from "../src/core/evolve/evolve.ts";
import { next } from "../src/core/next.ts";
import { noRun, type RunState } from "../src/core/run.ts";
import type { Command } from "../src/core/command.ts";
import type { Settings } from "./benches.ts";
import { interleave, least, timed } from "./measure.ts";
import type { ReportLine } from "./report.ts";
import { reportOn, runId, startCommand } from "./sample-run.ts";

/** Measures `next`, `decide` and `evolve` in memory. */
export async function measureDecisions({ root, quick }: Settings): Promise<readonly ReportLine[]> {
  const start = startCommand(root, runId(1));
  const count = playRun(start);
  const samples = await interleave(quick ? 10 : 40, { play: () => timed(() => playRun(start), 20) });
  const value = (least(samples.play.wall) / count) * 1000;
  return [
    {
      what: `next + decide + evolve, per decision (${count} in a run)`,
      base: "-",
      figures: [{ name: "min wall", value }],
      goal: null,
      unit: " us",
    },
  ];
}

/** Plays a whole run and returns the number of its decisions. */
function playRun(start: Command): number {
  let state: RunState = noRun;
  let seq = 0;
  for (let count = 0; ; count++) {
    const command = count === 0 ? start : state.is === "active" && next(state).is === "action" ? reportOn(state) : null;
    if (command === null) return count;
    const decision = decide(state, command);
    if (!decision.ok) throw new Error(`refused: ${decision.refusal.why}`);
    for (const draft of decision.events)
      state = evolve(state, { ...draft, seq: ++seq, at: "2026-11-15T10:15:00.000Z" });
  }
}
