import type { FileChange } from "../schema/facts.ts";
import { isBookkeeping } from "./items/bookkeeping.ts";
import type { ActiveRun, Draft, PhaseRecord } from "./run.ts";

type Claim = Pick<Draft, "artifacts" | "summary" | "decisions">;

/** Whether a phase changes code, which its agent tells about file by file; elsewhere its documents are all there is. */
export const writesCode = ({ rule }: PhaseRecord): boolean => rule.writes !== "item";

/** Files that changed and that the agent said nothing of: neither among its artifacts nor in its own words. */
export function unmentionedFiles({ run }: ActiveRun, claim: Claim, changes: readonly FileChange[] | null): string[] {
  const named = new Set(claim.artifacts.map((path) => path.replace(/^\.\//, "")));
  const words = [claim.summary, ...claim.decisions].join("\n");
  const isOwn = (path: string): boolean => path.startsWith(`${run.item}/`) || isBookkeeping(path);
  return (changes ?? [])
    .map(({ path }) => path)
    .filter((path) => !isOwn(path) && !named.has(path) && !isNamed(words, path));
}

/** By its path, or by its file name as a word of its own. */
function isNamed(words: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll(/[^\w]/g, String.raw`\$&`);
  return words.includes(path) || new RegExp(`(?<![\\w./-])${name}(?![\\w-]|\\.\\w)`).test(words);
}

/** Everything the agents of the run said they made: what a review of the whole work is compared with. */
export function claimsSoFar({ phases }: ActiveRun): Claim {
  const made = phases.flatMap((phase) => phase.made ?? []);
  return {
    artifacts: made.flatMap(({ artifacts }) => artifacts),
    summary: made.map(({ summary }) => summary).join("\n"),
    decisions: made.flatMap(({ decisions }) => decisions),
  };
}
