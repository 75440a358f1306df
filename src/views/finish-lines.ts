import { type ActiveRun, type EndedRun, chosenFinish, mergedAs, type RunFacts } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";

/** Before a person says how the work ends, they see everything that stayed open about it. */
export function heldAgainst(state: ActiveRun): string[] {
  const { wait, phases, run } = state;
  if (wait?.kind !== "finish") return [];
  const concerns = phases.flatMap(({ rule, made }) =>
    (made?.concerns ?? []).map((concern) => `  ${rule.key}: ${plainLine(concern)}`),
  );
  const base = run.git?.base ?? null;
  return [
    ...(concerns.length === 0 ? [] : ["Concerns left open:", ...concerns]),
    ...(wait.offered.includes("merge") && base !== null ? [mergeLine(state, base)] : []),
  ];
}

/** With commits at the end, what is to be merged is not committed yet. */
const mergeLine = ({ run, tip, base }: ActiveRun, name: string): string =>
  tip !== null && tip === base && run.options.commits === "phase"
    ? `Nothing was committed: ${nothingToMerge(run)}`
    : `A merge goes into ${plainLine(name)}.`;

/** True for a run that was to be merged and had nothing on its branch that the base lacks. */
export const hadNothingToMerge = (run: EndedRun): boolean => chosenFinish(run) === "merge" && mergedAs(run) === null;

/** What is told of a branch that equals its base. */
export function nothingToMerge({ git }: Pick<RunFacts, "git">): string {
  const [branch, base] = [git?.branch ?? "the branch", git?.base ?? "the base"];
  return `${plainLine(branch)} has nothing that ${plainLine(base)} lacks, so there is nothing to merge.`;
}
