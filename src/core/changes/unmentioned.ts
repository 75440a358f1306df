import type { FileChange } from "../../schema/facts.ts";
import type { ActiveRun, Draft, PhaseRecord } from "../run.ts";
import { isBookkeeping } from "../items/item-meta.ts";

type Claim = Pick<Draft, "artifacts" | "summary" | "decisions">;

/** True if a phase changes code, which its agent must report file by file. Other phases only write documents. */
export const writesCode = ({ rule }: PhaseRecord): boolean => rule.writes !== "item";

/** Returns changed files that the agent did not mention: neither as artifacts nor in its summary and decisions. */
export function unmentionedFiles({ run }: ActiveRun, claim: Claim, changes: readonly FileChange[] | null): string[] {
  const named = new Set(claim.artifacts.map((path) => path.replace(/^\.\//, "")));
  const words = [claim.summary, ...claim.decisions].join("\n");
  const isOwn = (path: string): boolean => path.startsWith(`${run.item}/`) || isBookkeeping(path);
  return (changes ?? [])
    .map(({ path }) => path)
    .filter((path) => !isOwn(path) && !named.has(path) && !isNamed(words, path));
}

/** True if the text contains the path, or the file name as a separate word. */
function isNamed(words: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).replaceAll(/[^\w]/g, String.raw`\$&`);
  return words.includes(path) || new RegExp(`(?<![\\w./-])${name}(?![\\w-]|\\.\\w)`).test(words);
}

/**
 * Combines the reports of all agents in the run, for a review of the whole work. Null if no phase of this run produced
 * any: the work was done in earlier runs, whose reports are not at hand.
 */
export function claimsSoFar({ phases }: ActiveRun): Claim | null {
  const made = phases.flatMap((phase) => phase.made ?? []);
  if (made.length === 0) return null;
  return {
    artifacts: made.flatMap(({ artifacts }) => artifacts),
    summary: made.map(({ summary }) => summary).join("\n"),
    decisions: made.flatMap(({ decisions }) => decisions),
  };
}
