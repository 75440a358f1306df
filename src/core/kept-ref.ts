import type { ActiveRun } from "./run.ts";

/** Name under which a step back keeps what came after; the same each time the step is tried again after a crash. */
export const keptName = ({ since }: ActiveRun): string => `back-${since}`;

/** Where that can be found again; null where there is no git to keep it. */
export const keptRef = (run: ActiveRun): string | null =>
  run.run.git === null ? null : `refs/isdlc/${run.run.run}/${keptName(run)}`;
