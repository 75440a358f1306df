import { type ActiveRun, type EndedRun, chosenFinish, mergedAs, type RunFacts } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";
import { runUsage } from "./metrics.ts";
import { entries } from "./change-facts.ts";

/** Lists open concerns and the merge target before the user chooses how the run ends. */
export function heldAgainst(state: ActiveRun): string[] {
  const { wait, phases, run } = state;
  if (wait?.kind !== "finish") return [];
  const concerns = phases.flatMap(({ rule, made }) =>
    (made?.concerns ?? []).map((concern) => `  ${plainLine(rule.name)}: ${plainLine(concern)}`),
  );
  const base = run.git?.base ?? null;
  return [
    ...(concerns.length === 0 ? [] : ["Concerns left open:", ...concerns]),
    ...[runUsage(phases)].filter((total) => total !== "").map((total) => `Usage of the whole run: ${total}`),
    ...(wait.offered.includes("merge") && base !== null ? [mergeLine(state, base)] : []),
  ];
}

/** If commits are made at the end of the run, the branch still equals its base here but will be merged. */
const mergeLine = ({ run, tip, base }: ActiveRun, name: string): string =>
  tip !== null && tip === base && run.options.commits === "phase"
    ? `Nothing was committed: ${nothingToMerge(run)}`
    : `A merge goes into ${plainLine(name)}.`;

/** Returns true if the user chose merge but the branch had nothing that the base lacks. */
export const hadNothingToMerge = (run: EndedRun): boolean => chosenFinish(run) === "merge" && mergedAs(run) === null;

/** Describes a branch that equals its base. */
export function nothingToMerge({ git }: Pick<RunFacts, "git">): string {
  const [branch, base] = [git?.branch ?? "the branch", git?.base ?? "the base"];
  return `${plainLine(branch)} has nothing that ${plainLine(base)} lacks, so there is nothing to merge.`;
}

/** Uncommitted files of a cancelled run. `kept`: git ref with a copy if they were removed from the working tree. */
type LeftInWorkingTree = { readonly paths: readonly string[]; readonly kept: string | null };

export function leftLines({ paths, kept }: LeftInWorkingTree): string[] {
  if (kept === null) return entries("Left in the working tree by the agent, uncommitted", paths);
  return [...entries("Taken out of the working tree", paths), `It is kept: git show ${kept}:<path>`];
}
