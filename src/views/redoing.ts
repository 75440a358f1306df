import { type ActiveRun, currentPhase, type Stage } from "../core/run.ts";

const beforeProduced: ReadonlySet<Stage["is"]> = new Set([
  "entering",
  "producing",
  "checking",
  "reviewing",
  "completing",
]);

/** The phase was sent back by a person and not produced again since. */
export const isRedoing = (run: ActiveRun): boolean =>
  beforeProduced.has(run.stage.is) && (currentPhase(run)?.redos ?? 0) > 0;
