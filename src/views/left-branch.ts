import { plainLine } from "../core/plain-text.ts";
import type { LeftBranch } from "../schema/api-team.ts";
import { shellWord } from "../core/command-line.ts";

/** Explains why a discarded branch is still at the remote, with the command to delete it. */
export function leftBranchLines(left: LeftBranch | null): string[] {
  if (left === null) return [];
  const { branch, tip, why } = left;
  const told = `The branch ${plainLine(branch, 300)} was not deleted at the remote: ${plainLine(why, 300)}`;
  if (tip === null) return [told, `If it is no longer needed: git push origin --delete ${shellWord(branch)}`];
  const lease = shellWord(`--force-with-lease=${branch}:${tip}`);
  return [told, `Delete it: git push ${lease} origin ${shellWord(`:${branch}`)}`];
}
