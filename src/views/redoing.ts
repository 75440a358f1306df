import { type ActiveRun, currentPhase } from "../core/run.ts";

/** The phase was sent back by a person and not produced again since. */
export const isRedoing = (run: ActiveRun): boolean => currentPhase(run)?.redoing ?? false;
