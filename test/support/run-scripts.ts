import * as fc from "fast-check";
import type { Command, Outcome, PersonCommand, StartCommand } from "../../src/core/command.ts";
import type { Next } from "../../src/core/next.ts";
import type { ActiveRun, Wait } from "../../src/core/run.ts";
import type { Step } from "../../src/schema/event.ts";
import type { SettingsReading, TestCommand } from "../../src/schema/facts.ts";
import type { AfterStep } from "../../src/schema/plan.ts";
import { type Dice, rollDice } from "./dice.ts";
import {
  ada,
  checked,
  completed,
  failed,
  good,
  goodAnswer,
  measured,
  phaseRule,
  produced,
  rechecked,
  refined,
  result,
  runOptions,
  start,
  verdict,
  shownAt,
} from "./run-builder.ts";

/** How the simulated users and agents behave. Equal odds would never reach a limit or a refusal. */
export type Temper = "calm" | "redoer" | "red" | "rude" | "wanderer";

/** One move, interpreted in the current state: `what` selects the kind of move, `pick` all its details. */
export type Roll = { readonly what: number; readonly pick: number };

export type Script = { readonly temper: Temper; readonly begin: StartCommand; readonly rolls: readonly Roll[] };

export type Move = "crash" | "forbidden" | "trouble" | "good";

/** Percentages of moves that crash, try a forbidden command, or fail. The others succeed. */
const ODDS: { readonly [T in Temper]: { crash: number; forbidden: number; trouble: number } } = {
  calm: { crash: 5, forbidden: 5, trouble: 12 },
  redoer: { crash: 5, forbidden: 5, trouble: 5 },
  red: { crash: 4, forbidden: 6, trouble: 65 },
  rude: { crash: 5, forbidden: 45, trouble: 15 },
  wanderer: { crash: 5, forbidden: 8, trouble: 12 },
};

/** Percentage of moves in which the user returns to a phase, restarts it or skips it without being asked. */
const UNASKED: { readonly [T in Temper]: number } = { calm: 2, redoer: 1, red: 1, rude: 2, wanderer: 14 };

const KEYS = ["01-requirements", "02-impact-analysis", "03-architecture", "04-design", "06-implementation"];

const phase = fc.record({
  verdicts: fc.integer({ min: 0, max: 3 }),
  gate: fc.constantFrom("supervised" as const, "supervised" as const, "always" as const, "large" as const),
  checks: fc.constantFrom({ limit: 2, breaker: 2 }, { limit: 3, breaker: 3 }, { limit: 10, breaker: 3 }),
  tests: fc.boolean(),
  writes: fc.constantFrom("item" as const, "tests" as const),
  after: fc.constantFrom<AfterStep[][]>([], [], ["sizing"], ["sizing"], ["refinement"], ["sizing", "refinement"]),
  whenLight: fc.constantFrom("keep" as const, "drop" as const),
});

const plain = { noNullPrototype: true };

const supervision = fc.record(
  {
    enabled: fc.boolean(),
    phases: fc.oneof(fc.constant("all" as const), fc.subarray(["01", "03-architecture", "06"], { minLength: 1 })),
  },
  plain,
);

const git = fc.constantFrom(
  { branch: "feature/say-hello", base: "main", commit: "c0ffee" },
  { branch: "feature/say-hello", base: "main", commit: "c0ffee" },
  { branch: null, base: null, commit: "c0ffee" },
  null,
);

const trusted: TestCommand = { argv: ["npm", "test"], source: "package.json", digest: "trusted" };

const begin = fc
  .record({
    phases: fc.array(phase, { minLength: 1, maxLength: KEYS.length, size: "max" }),
    supervision,
    git,
    tests: fc.constantFrom(null, null, null, null, null, trusted),
    finish: fc.constantFrom("ask" as const, "ask" as const, "merge" as const, "keep" as const),
    commits: fc.constantFrom("phase" as const, "phase" as const, "none" as const),
    sizing: fc.constantFrom("ask" as const, "ask" as const, "accept" as const),
    light: fc.constantFrom(false, false, false, true),
    budget: fc.constantFrom(undefined, undefined, undefined, undefined, { usd: 0.1, tokens: null }),
    session: fc.constantFrom("phase" as const, "shared" as const),
  })
  .map(({ phases, finish, commits, sizing, light, budget, session, ...facts }) =>
    start({
      ...facts,
      plan: phases.map((rule, index) => phaseRule({ ...rule, key: KEYS[index] ?? "x" })),
      options: runOptions({ light, commits, finish, sizing, session, ...(budget === undefined ? {} : { budget }) }),
    }),
  );

const roll = fc.record({ what: fc.nat({ max: 99 }), pick: fc.nat({ max: 999_999 }) });

/** Disables fast-check's bias toward small numbers, which makes nearly all scripts short and all moves crashes. */
export const script: fc.Arbitrary<Script> = fc.noBias(
  fc.record({
    temper: fc.constantFrom<Temper[]>("calm", "redoer", "red", "rude", "wanderer"),
    begin,
    rolls: fc.array(roll, { minLength: 1, maxLength: 140, size: "max" }),
  }),
);

export function toMove(temper: Temper, { what }: Roll): Move {
  const { crash, forbidden, trouble } = ODDS[temper];
  if (what < crash) return "crash";
  if (what < crash + forbidden) return "forbidden";
  return what < crash + forbidden + trouble ? "trouble" : "good";
}

/** Returns the next report, answer or unrequested decision. Users may request unavailable options. */
export function commandFor(temper: Temper, move: Move, { run, now, pick }: Moment): Command | null {
  if (now.is === "done") return null;
  const dice = rollDice(pick);
  if (dice.chance(20) && dice.chance(1)) return { do: "cancel", by: ada, reason: "no longer needed" };
  if (dice.chance(UNASKED[temper])) return unasked(run, dice);
  if (now.is === "wait") return answer(now.wait, temper, dice);
  return { do: "report", ticket: now.ticket, outcome: outcomeFor(run, { step: now.step, move, dice }) };
}

/** Returns a decision made without a question. Half of the time it is not allowed. */
function unasked(run: ActiveRun, dice: Dice): PersonCommand {
  const what = dice.of(["retry", "skip", "back", "back", "back"] as const);
  if (what !== "back") return { do: what, wait: null, by: ada };
  const keys = run.phases.map(({ rule }) => rule.key);
  const to = dice.of(dice.chance(70) ? keys.slice(0, run.index + 1) : [...keys, "99-nowhere"]);
  return { do: "back", by: ada, to, tree: dice.of(["restore", "keep"] as const) };
}

export type Moment = { readonly run: ActiveRun; readonly now: Next; readonly pick: number };

type Turn = { readonly step: Step; readonly move: Move; readonly dice: Dice };

function outcomeFor(run: ActiveRun, { step, move, dice }: Turn): Outcome {
  const claimed = findClaim(run);
  if (claimed === null && dice.chance(50)) return claim(`x${dice.number()}`);
  if (move === "trouble" && (ON_TRIAL.includes(step) || dice.chance(20))) {
    const lost = typeof claimed === "string" && dice.chance(25);
    return lost ? { of: "lost", execution: claimed } : dice.of(troubles[step])(dice);
  }
  return usually[step]?.(dice) ?? good(step);
}

/** Good outcomes that vary, by step. */
const usually: { readonly [S in Step]?: (dice: Dice) => Outcome | undefined } = {
  measure: (dice) => measured(dice.of(["light", "light", "standard", "epic"] as const)),
  refine: (dice) => (dice.chance(30) ? badTasks : undefined),
  complete: (dice) => withStrays(completed(dice.of(readings), dice.of([10, 80, 81, 300])), dice),
  produce: (dice) => (dice.chance(8) ? asks : undefined),
};

/** Sometimes adds files written without permission. */
function withStrays(outcome: Outcome, dice: Dice): Outcome {
  if (outcome.of !== "complete" || "failed" in outcome || !dice.chance(15)) return outcome;
  return { ...outcome, made: { ...outcome.made, unexpected: dice.of([["src/x"], [".git/HEAD"], ["src/x", "src/y"]]) } };
}

/** Returns the running execution; null if one may start, undefined if the stage has none. */
function findClaim({ stage }: ActiveRun): string | null | undefined {
  if (!("claim" in stage)) return undefined;
  return stage.claim === null ? null : stage.claim.execution;
}

/** Steps that fail often. Failures elsewhere are rare, because they would stop most scripts early. */
const ON_TRIAL: readonly Step[] = ["baseline", "produce", "check", "review", "recheck", "measure", "refine", "rewind"];

export const claim = (execution: string): Outcome => ({
  of: "claim",
  claim: { execution, nonce: `nonce-${execution}`, driver: { pid: 7, started: "then", boot: "b" } },
});

/** Settings read at the end of a phase. Half of them would remove gates. */
const readings: readonly SettingsReading[] = [
  { is: "absent" },
  { is: "unreadable" },
  { is: "set", enabled: false, phases: "all", minimal: false },
  { is: "set", enabled: true, phases: "all", minimal: false },
  { is: "set", enabled: true, phases: "all", minimal: true },
  { is: "set", enabled: true, phases: ["03"], minimal: false },
];

export const asks: Outcome = {
  ...produced,
  result: {
    status: "needs_input",
    summary: "",
    decisions: [],
    artifacts: [],
    questions: [
      { id: "q1", text: "Which one?", choices: ["a", "b"] },
      { id: "q2", text: "Why?", choices: [] },
    ],
  },
} as Outcome; // of "produce": the spread widens the union

const badTasks = refined("T1 names no file", "T1 waits for itself");

const ended = { execution: "x1", usage: { input: 10, output: 5, usd: 0.1 }, session: "s1" };
const broken = (dice: Dice): Outcome => ({
  of: "broken",
  reason: dice.of(["crashed", "crashed", "no_result", "no_result", "unavailable"]),
  detail: "exit 1",
  again: dice.chance(75),
  ...ended,
});
const says = (status: "failed" | "needs_input"): Outcome => ({
  of: "produce",
  result: { status, summary: "could not", decisions: [], artifacts: [], questions: [] },
  ...ended,
});

/** Failures by step. */
const troubles: { readonly [S in Step]: readonly ((dice: Dice) => Outcome)[] } = {
  prepare: [() => failed("prepare")],
  baseline: [() => ({ of: "baseline", result: result("tests", false) }), () => failed("baseline")],
  enter: [() => failed("enter")],
  produce: [
    broken,
    broken,
    () => says("failed"),
    () => ({ ...produced, ...ended }),
    () => says("needs_input"),
    () => failed("produce"),
    () => asks,
    ...Array.from({ length: 9 }, () => () => produced),
  ],
  check: [...Array.from({ length: 7 }, () => redChecks), changedTests, () => failed("check")],
  review: [
    () => verdict(false, "it leaks"),
    () => verdict(false),
    () => verdict(true, "approved although it leaks"),
    broken,
    () => failed("review"),
  ],
  complete: [() => failed("complete")],
  recheck: [() => rechecked(result("tests", false)), () => failed("recheck")],
  commit: [() => failed("commit")],
  measure: [() => failed("measure"), () => measured("epic")],
  refine: [...Array.from({ length: 6 }, () => () => badTasks), broken, () => failed("refine")],
  rewind: [() => failed("rewind")],
  finish: [() => failed("finish")],
};

function redChecks(dice: Dice): Outcome {
  return checked(result(dice.of(["tests", "tests", "tests", "tests", "lint"]), false));
}

function changedTests(): Outcome {
  return { of: "check", results: [result("tests", true)], digest: "green", testsChanged: "npm test is another script" };
}

function answer(wait: Wait, temper: Temper, dice: Dice): PersonCommand {
  const named = { by: ada, wait: wait.id };
  switch (wait.kind) {
    case "gate":
      return atGate(wait, temper, dice);
    case "questions":
      return dice.chance(80) ? goodAnswer(wait) : { ...named, do: "reply", replies: [{ id: "q1", text: null }] };
    case "escalation":
      if (dice.chance(wait.offered.includes("accept") ? 60 : 10)) return { ...named, do: "accept", tests: null };
      return { ...named, do: dice.chance(65) ? "retry" : "skip" };
    case "sizing":
      return { ...named, do: "size", choice: dice.of(["accept", "accept", "light", "standard"] as const) };
    case "budget":
      return dice.chance(80) ? goodAnswer(wait) : { ...named, do: "raise", budget: wait.budget };
    case "finish":
      return { ...named, do: "finish", how: dice.of(["merge", "squash", "pr", "keep"] as const) };
    default:
      return wait satisfies never;
  }
}

function atGate(wait: Wait, temper: Temper, dice: Dice): PersonCommand {
  if (dice.chance(6))
    return { do: "revert", by: ada, wait: wait.id, paths: ["src/x"], kept: "refs/kept", tree: "tree-9" };
  return gateAnswer(wait, dice.chance(temper === "redoer" ? 85 : 25) ? "redo" : dice.of(GATE_ANSWERS));
}

const GATE_ANSWERS = ["continue", "continue", "continue", "review", "loosen"] as const;

export function gateAnswer(wait: Wait, choice: "redo" | (typeof GATE_ANSWERS)[number]): PersonCommand {
  const named = { by: ada, wait: wait.id };
  if (choice === "loosen") return { ...named, do: "loosen" };
  if (choice === "redo") return { ...named, do: "redo", shown: shownAt(wait), guidance: "shorter" };
  return { ...named, do: choice, shown: shownAt(wait) };
}
