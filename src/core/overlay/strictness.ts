import type { PhaseDefinition } from "../../schema/plan.ts";

/** Rules of a phase, each compared on its own. */
export type RuleName =
  | Exclude<keyof PhaseDefinition, "key" | "checks" | "judged" | "adopts" | "mustChange">
  | "checks.limit"
  | "checks.breaker";

/** True if `next` is at least as strict as `now`: such a change needs no trust. */
type StrictnessRule = (now: PhaseDefinition, next: PhaseDefinition) => boolean;

const GATES = ["supervised", "large", "always"];
const WRITES = ["tree", "tests", "item"];

/** Comparison of each rule. A new rule does not compile without an entry here. */
export const atLeastAsStrict: Readonly<Record<RuleName, StrictnessRule>> = {
  // Agents, and approvers at a gate, read names and needs: a changed text is never a tightening.
  name: (now, next) => now.name === next.name,
  shortName: (now, next) => now.shortName === next.shortName,
  needs: (now, next) => now.needs === next.needs,
  persona: (now, next) => now.persona === next.persona,
  reviewer: (now, next) => now.reviewer === null || now.reviewer === next.reviewer,
  inputs: (now, next) => holdsAll(next.inputs, now.inputs),
  outputs: (now, next) => holdsAll(next.outputs, now.outputs),
  articles: (now, next) => holdsAll(next.articles, now.articles),
  writes: (now, next) => WRITES.indexOf(next.writes) >= WRITES.indexOf(now.writes),
  tests: (now, next) => next.tests || !now.tests,
  gate: (now, next) => GATES.indexOf(next.gate) >= GATES.indexOf(now.gate),
  "checks.limit": (now, next) => next.checks.limit <= now.checks.limit,
  "checks.breaker": (now, next) => next.checks.breaker <= now.checks.breaker,
  // Limit on an agent's silence: the longer it is, the later a stuck agent is stopped and the user asked.
  minutes: (now, next) => next.minutes <= now.minutes,
  // Analysis phases are skipped if the item was analysed before.
  analysis: (now, next) => now.analysis || !next.analysis,
  whenLight: (now, next) => next.whenLight === "keep" || now.whenLight === "drop",
  // Sizing can drop phases, but asks the user first: neither adding nor removing it is a tightening.
  after: (now, next) =>
    now.after.includes("sizing") === next.after.includes("sizing") && holdsAll(next.after, now.after),
};

export const RULE_NAMES = Object.keys(atLeastAsStrict) as RuleName[]; // the keys of `atLeastAsStrict`

export function ruleValue(phase: PhaseDefinition, rule: RuleName): unknown {
  if (rule === "checks.limit") return phase.checks.limit;
  if (rule === "checks.breaker") return phase.checks.breaker;
  return phase[rule];
}

function holdsAll(list: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((name) => list.includes(name));
}
