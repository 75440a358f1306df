import { describe, expect, test } from "vitest";
import { playScript } from "../../support/play-script.ts";
import { core } from "../../support/run-builder.ts";
import { toMove } from "../../support/run-scripts.ts";
import { simulatedRun } from "../../support/simulated-run.ts";

const RUNS = 10_000;
/** Milliseconds of processor time, because the machine may be busy. */
const LIMIT_MS = 120_000;

/** Minimum number of runs that must reach each landmark for a meaningful result. */
const REACH: { readonly [landmark: string]: number } = {
  "crash between commands": 6000,
  "run.finished": 1000,
  "run.cancelled": 50,
  "gate: continue": 2000,
  "gate: redo": 1000,
  "refused: redosSpent": 100,
  "verdict: at the limit": 300,
  "because: circuit_breaker": 200,
  "because: max_iterations": 200,
  "because: invalid_tasks": 100,
  "escalated: measure": 200,
  "escalated: refine": 150,
  "escalated: rewind": 100,
  "sizing.asked": 1000,
  "sizing: light by person": 300,
  "sizing: light by flag": 300,
  "sizing: light by options": 100,
  "sizing: phases dropped": 400,
  "tasks.refined: list": 1000,
  "phase.restarted": 500,
  "run.wentBack: keep": 500,
  "run.wentBack: restore": 500,
  "run.rewound": 500,
};

describe(`${RUNS} simulated runs with generated workflows and crashes`, () => {
  test(
    "violate no rule of the core",
    () => {
      const began = process.cpuUsage();
      const met = new Map<string, number>();
      const failures: string[] = [];
      for (let seed = 1; seed <= RUNS && failures.length === 0; seed += 1) {
        const script = simulatedRun(seed);
        const { violations, reached } = playScript(core, script);
        failures.push(...violations.map(({ rule, where }) => `seed ${seed}: ${rule} (${where})`));
        const crashed = script.rolls.some((roll) => toMove(script.temper, roll) === "crash");
        for (const landmark of new Set([...reached, ...(crashed ? ["crash between commands"] : [])]))
          met.set(landmark, (met.get(landmark) ?? 0) + 1);
      }
      expect(failures).toEqual([]);
      const tooRare = Object.entries(REACH)
        .filter(([landmark, least]) => (met.get(landmark) ?? 0) < least)
        .map(([landmark, least]) => `${landmark}: ${met.get(landmark) ?? 0} of ${least}`);
      expect(tooRare, [...met].map(([landmark, count]) => `${count} ${landmark}`).join("\n")).toEqual([]);
      const { user, system } = process.cpuUsage(began);
      expect((user + system) / 1000).toBeLessThan(LIMIT_MS);
    },
    5 * LIMIT_MS,
  );
});
