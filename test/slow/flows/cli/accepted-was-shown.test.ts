import { expect, test } from "vitest";
import { rollDice } from "../../../support/dice.ts";
import { MOVES } from "../../../support/wandering-checks.ts";
import { wanderingRun } from "../../../support/wandering-run.ts";

/** For more seeds: WANDERING_SEEDS=200 npx vitest run test/slow/flows/cli/accepted-was-shown.test.ts */
const RUNS = Math.max(10, Number(process.env["WANDERING_SEEDS"] ?? 10));
const SEEDS = Array.from({ length: RUNS }, (_, at) => at + 1);

/**
 * Every pair of moves, except those that cannot follow each other: a restart needs a failing agent, and the gate opens
 * again after an edit or an update.
 */
const TRANSITIONS = MOVES.flatMap((one) =>
  MOVES.filter((other) => other !== "restart" || !["restart", "edit", "update"].includes(one)).map(
    (other) => `${one}, ${other}`,
  ),
);

const reached = new Set<string>();
let committedMarks = 0;
let lostEdits = 0;

test.each(SEEDS)("accepts only displayed lines, and keeps or reports edits of the user: seed %d", async (seed) => {
  const due = TRANSITIONS.filter((_, at) => at % SEEDS.length === seed - 1);
  const { violations, transitions, committedMarks: marks, lostEdits: lost } = await wanderingRun(rollDice(seed), due);
  for (const transition of transitions) reached.add(transition);
  committedMarks += marks;
  lostEdits += lost;
  expect(violations).toEqual([]);
});

test("reaches every transition between two user actions", () => {
  console.log(`seeds ${SEEDS[0]} to ${SEEDS.at(-1)} reached ${[...reached].toSorted().join("; ")}`);
  expect(TRANSITIONS.filter((pair) => !reached.has(pair))).toEqual([]);
  expect(committedMarks).toBeGreaterThan(SEEDS.length * 3);
  expect(lostEdits).toBeGreaterThan(0);
});
