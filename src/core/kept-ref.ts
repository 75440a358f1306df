import type { ActiveRun } from "./run.ts";
import { isRecord } from "./own-value.ts";

/**
 * True for names of snapshots reported to the user: work undone by a return, and reverted files (`taken-out` in older
 * runs).
 */
export const isKeptName = (name: string): boolean => /^back-[0-9]+$|-(?:reverted|taken-out)-[0-9]+-before$/.test(name);

/** Name under which a cancelled run saves the working tree. */
export const CANCELLED_NAME = "cancelled";

/** Name under which a return saves the later work; the same if the step is repeated after a crash. */
export const keptName = ({ since }: ActiveRun): string => `back-${since}`;

/** Ref of that snapshot; null without git. */
export const keptRef = (run: ActiveRun): string | null =>
  run.run.git === null ? null : `refs/isdlc/${run.run.run}/${keptName(run)}`;

const KEYS: ReadonlySet<string> = new Set(["commitTree", "proposedCommit", "plainTree", "wholeTree"]);

/** Returns the proposed commits and their trees named anywhere in a command or state. No snapshot contains them. */
export function composedTrees(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(composedTrees);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, found]) =>
    KEYS.has(key) && typeof found === "string" ? found : composedTrees(found),
  );
}
