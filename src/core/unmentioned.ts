import type { FileChange } from "../schema/facts.ts";
import { isBookkeeping } from "./items/bookkeeping.ts";
import type { ActiveRun, Draft, PhaseRecord } from "./run.ts";

type Claim = Pick<Draft, "artifacts" | "summary" | "decisions">;

/** Whether a phase changes code, which its agent tells about file by file; elsewhere its documents are all there is. */
export const writesCode = ({ rule }: PhaseRecord): boolean => rule.writes !== "item";

/** Files that changed and that the agent said nothing of: neither among its artifacts nor in its own words. */
export function unmentionedFiles({ run }: ActiveRun, claim: Claim, changes: readonly FileChange[] | null): string[] {
  const named = new Set(claim.artifacts);
  const words = [claim.summary, ...claim.decisions].join("\n");
  const isOwn = (path: string): boolean => path.startsWith(`${run.item}/`) || isBookkeeping(path);
  return (changes ?? [])
    .map(({ path }) => path)
    .filter((path) => !isOwn(path) && !named.has(path) && !words.includes(path));
}
