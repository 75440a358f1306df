import type { ActiveRun } from "./run.ts";

/** Names of snapshots that a person was told of: what a step back left behind, and what was reverted; `taken-out` in older runs. */
export const isKeptName = (name: string): boolean => /^back-[0-9]+$|-(?:reverted|taken-out)-[0-9]+-before$/.test(name);

/** Name under which a cancelled run keeps what was in the tree. */
export const CANCELLED_NAME = "cancelled";

/** Name under which a step back keeps what came after; the same each time the step is tried again after a crash. */
export const keptName = ({ since }: ActiveRun): string => `back-${since}`;

/** Where that can be found again; null where there is no git to keep it. */
export const keptRef = (run: ActiveRun): string | null =>
  run.run.git === null ? null : `refs/isdlc/${run.run.run}/${keptName(run)}`;
