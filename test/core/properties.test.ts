import { test } from "@fast-check/vitest";
import * as fc from "fast-check";
import { describe, expect } from "vitest";
import { playScript } from "../support/play-script.ts";
import { core } from "../support/run-builder.ts";
import { script } from "../support/run-scripts.ts";

describe("random sequences of user, agent and crash events", () => {
  test.prop([script], { numRuns: 300 })("break no invariant of the core", (played) => {
    expect(playScript(core, played).violations).toEqual([]);
  });

  test.prop([script], { numRuns: 60 })("can end the run from every state", (played) => {
    expect(playScript(core, played, { finishFromEveryState: true }).violations).toEqual([]);
  });

  test.prop([script], { numRuns: 150 })("redo no phase more than three times [SM-NFR-05]", (played) => {
    const { events } = playScript(core, played).player;
    const redos = new Map<string, number>();
    for (const event of events) {
      const phase = event.type === "gate.answered" && event.choice === "redo" ? event.wait.split("#", 1).join() : null;
      if (phase !== null) redos.set(phase, (redos.get(phase) ?? 0) + 1);
    }
    expect(Math.max(0, ...redos.values())).toBeLessThanOrEqual(3);
  });
});

/** Minimum count of each landmark in 500 scripts. Below it, the properties above prove nothing about it. */
const REACH: { readonly [landmark: string]: number } = {
  "refused: redosSpent": 15,
  "refused: alreadyPaused": 15,
  "refused: claimed": 6,
  "refused: lateOutcome": 150,
  "refused: notAPerson": 60,
  "refused: notAsShown": 8,
  "refused: notOffered": 30,
  "refused: notOpen": 60,
  "refused: nothingLoosened": 20,
  "refused: reasonMissing": 20,
  "refused: runActive": 20,
  "refused: runEnded": 60,
  "refused: unanswered": 8,
  "because: circuit_breaker": 10,
  "because: max_iterations": 8,
  "because: agent_failed": 30,
  "because: crashed": 8,
  "budget.spent": 4,
  "budget.raised": 2,
  "refused: budgetTooLow": 1,
  "writes.takenOut": 3,
  "verdict: none": 1,
  "because: tests_changed": 6,
  "tests.accepted": 2,
  "escalated: prepare": 10,
  "escalated: enter": 20,
  "escalated: produce": 40,
  "escalated: check": 30,
  "escalated: review": 10,
  "escalated: complete": 8,
  "escalated: recheck": 10,
  "escalated: commit": 10,
  "escalated: finish": 6,
  "escalated: baseline": 6,
  "step.skipped: enter": 5,
  "step.skipped: baseline": 1,
  "step.retried: baseline": 2,
  "baseline.settled": 25,
  "step.skipped: produce": 15,
  "step.skipped: check": 10,
  "step.skipped: review": 3,
  "step.skipped: commit": 4,
  "step.skipped: finish": 2,
  "refused: notEarlier": 60,
  "refused: notInPhase": 40,
  "because: invalid_tasks": 6,
  "escalated: measure": 15,
  "escalated: refine": 10,
  "escalated: rewind": 8,
  "step.retried: measure": 6,
  "step.retried: refine": 6,
  "step.retried: rewind": 4,
  "step.skipped: measure": 5,
  "step.skipped: refine": 3,
  "step.skipped: rewind": 2,
  "after.started: sizing": 120,
  "after.started: refinement": 60,
  "sizing.asked": 60,
  "sizing: light by person": 20,
  "sizing: standard by person": 30,
  "sizing: light by flag": 30,
  "sizing: standard by flag": 2,
  "sizing: light by options": 4,
  "sizing: standard by options": 10,
  "sizing: phases dropped": 15,
  "tasks.refined: list": 50,
  "tasks.refined: none": 3,
  "tasks.rejected": 15,
  "phase.restarted": 40,
  "phase.skipped": 60,
  "run.wentBack: keep": 40,
  "run.wentBack: restore": 40,
  "run.rewound": 40,
  "questions.answered": 40,
  "gate: continue": 100,
  "gate: review": 40,
  "gate: redo": 60,
  "gate: opened loosened": 60,
  "gate: after failed re-check": 15,
  "supervision.tightened": 60,
  "supervision.loosened": 15,
  "verdict: approved": 100,
  "verdict: sent back": 20,
  "verdict: at the limit": 10,
  "execution: lost": 30,
  "execution: failed": 40,
  "finish: keep by engine": 60,
  "finish: merge by engine": 8,
  "finish: keep by person": 3,
  "finish: merge by person": 2,
  "finish: pr by person": 3,
  "run.finished": 100,
  "run.cancelled": 5,
  "forbidden: a report delivered twice": 80,
  "forbidden: a report during a wait": 20,
  "forbidden: a wrong ticket": 60,
  "forbidden: an agent as a person": 60,
  "forbidden: an answer to a closed wait": 60,
  "forbidden: an answer that a gate does not offer": 20,
  "forbidden: an answer that a questions does not offer": 4,
  "forbidden: an answer that a escalation does not offer": 8,
  "forbidden: an answer that a finish does not offer": 1,
  "forbidden: an answer that a sizing does not offer": 2,
  "forbidden: a return to a phase that the run has not reached": 60,
  "forbidden: a retry outside a phase": 20,
  "forbidden: a retry at a gate": 20,
  "forbidden: a skip outside a phase": 15,
  "forbidden: a review of a paused gate": 3,
  "forbidden: a redo after the third": 3,
};

test("reaches every refusal, escalation, answer and end in random scripts", () => {
  const met = new Map<string, number>();
  for (const one of fc.sample(script, { seed: 1, numRuns: 500 }))
    for (const landmark of new Set(playScript(core, one).reached)) met.set(landmark, (met.get(landmark) ?? 0) + 1);
  const tooRare = Object.entries(REACH)
    .filter(([landmark, least]) => (met.get(landmark) ?? 0) < least)
    .map(([landmark, least]) => `${landmark}: ${met.get(landmark) ?? 0} of ${least}`);
  const counts = [...met].map(([landmark, count]) => `${count} ${landmark}`).toSorted();
  expect(tooRare, counts.join("\n")).toEqual([]);
});
