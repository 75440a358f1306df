import { isDeepStrictEqual } from "node:util";
import type { ActiveRun, PhaseRecord } from "../../src/core/run.ts";
import type { EventDraft } from "../../src/schema/event.ts";

export const BACK_RULES = {
  place: "a return leads to the chosen phase",
  proof: "a return resets the chosen phase and all later ones",
  earlier: "a return does not change earlier phases",
  counts: "a return keeps counts, guidance and cost",
  sizing: "a return resets sizing and dropped phases if sizing came later",
  refined: "a return before the design resets refinement",
} as const;

type WentBack = Extract<EventDraft, { type: "run.wentBack" }>;

/** Lists the rules violated by returning to a phase. `before` is the run at the time of the decision. */
export function brokenByGoingBack(before: ActiveRun, after: ActiveRun, { to, tree }: WentBack): string[] {
  const index = before.phases.findIndex(({ rule }) => rule.key === to);
  const told = before.phases.findIndex(({ rule }) => rule.key === before.sizing?.phase);
  const resized = told >= index;
  const redesigned = before.phases.slice(index).some(({ rule }) => rule.after.includes("refinement"));
  const stage = tree === "restore" ? "rewinding" : "entering";
  const held: { readonly [R in keyof typeof BACK_RULES]: boolean } = {
    place: after.index === index && after.stage.is === stage && after.wait === null,
    proof: after.phases.slice(index).every(isUntouched),
    earlier: isDeepStrictEqual(after.phases.slice(0, index), before.phases.slice(0, index)),
    counts: isDeepStrictEqual(after.phases.map(counts), before.phases.map(counts)),
    sizing: resized
      ? after.sizing === null && after.phases.every(({ dropped }) => !dropped)
      : isDeepStrictEqual(after.sizing, before.sizing) &&
        isDeepStrictEqual(after.phases.map(isDropped), before.phases.map(isDropped)),
    refined: after.refined === (before.refined && !redesigned),
  };
  return (Object.keys(held) as (keyof typeof BACK_RULES)[])
    .filter((rule) => !held[rule])
    .map((rule) => BACK_RULES[rule]);
}

const isUntouched = ({ status, redoing, made, commit, completedAt, seenTree }: PhaseRecord): boolean =>
  status === "pending" && !redoing && [made, commit, completedAt, seenTree].every((proof) => proof === null);

const isDropped = ({ dropped }: PhaseRecord): boolean => dropped;

const counts = ({ attempts, redos, guidance, iterations, checkFailures, executions, usage }: PhaseRecord): unknown => ({
  attempts,
  redos,
  guidance,
  iterations,
  checkFailures,
  executions,
  usage,
});
