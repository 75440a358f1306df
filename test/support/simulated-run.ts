import type { PhaseRule } from "../../src/schema/plan.ts";
import { type Dice, rollDice } from "./dice.ts";
import { phaseRule, runOptions, start } from "./run-builder.ts";
import type { Roll, Script, Temper } from "./run-scripts.ts";

const TEMPERS: readonly Temper[] = ["calm", "calm", "redoer", "red", "rude", "wanderer", "wanderer"];
const AFTER = [[], [], [], ["sizing"], ["refinement"], ["sizing", "refinement"], ["refinement", "sizing"]] as const;

/** Creates a script with its plan, users, agents and crashes from one seed. */
export function simulatedRun(seed: number): Script {
  const dice = rollDice(seed);
  const phases = 1 + (dice.number() % 7);
  const plan = Array.from({ length: phases }, (_, index) =>
    randomPhase(dice, `${String(index + 1).padStart(2, "0")}-x`),
  );
  return {
    temper: dice.of(TEMPERS),
    begin: start({
      plan,
      options: runOptions({
        light: dice.chance(20),
        commits: dice.of(["phase", "end", "none"] as const),
        finish: dice.of(["ask", "merge", "keep"] as const),
        sizing: dice.of(["ask", "ask", "accept"] as const),
        ...(dice.chance(20) ? { budget: { usd: 0.5, tokens: null } } : {}),
        ...(dice.chance(20) ? { session: "shared" as const } : {}),
      }),
      supervision: randomSupervision(dice, plan),
      git: dice.of([null, { branch: null, base: null, commit: "c0" }, ...Array.from({ length: 3 }, () => BRANCH)]),
    }),
    rolls: Array.from({ length: 20 + (dice.number() % 70) }, (): Roll => ({
      what: dice.number() % 100,
      pick: dice.number() % 1_000_000,
    })),
  };
}

const BRANCH = { branch: "feature/say-hello", base: "main", commit: "c0ffee" };

function randomPhase(dice: Dice, key: string): PhaseRule {
  const verdicts = dice.number() % 4;
  return phaseRule({
    key,
    reviewer: verdicts === 0 ? null : "reviewer",
    verdicts,
    tests: dice.chance(50),
    gate: dice.of(["supervised", "supervised", "always", "large"] as const),
    checks: dice.of([
      { limit: 2, breaker: 2 },
      { limit: 3, breaker: 3 },
      { limit: 10, breaker: 3 },
    ]),
    whenLight: dice.of(["keep", "drop"] as const),
    after: [...dice.of(AFTER)],
  });
}

function randomSupervision(dice: Dice, plan: readonly PhaseRule[]) {
  const some = plan.map(({ key }) => key).filter(() => dice.chance(50));
  return { enabled: dice.chance(60), phases: dice.chance(50) || some.length === 0 ? ("all" as const) : some };
}
