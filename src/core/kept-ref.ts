import type { ActiveRun } from "./run.ts";

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
