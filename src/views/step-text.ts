import { type AttemptId, attemptParts } from "../schema/ids.ts";

/** Text of each step, followed by the name of the phase. */
const DOING: Readonly<Record<string, string>> = {
  prepare: "Preparing",
  baseline: "Running baseline tests",
  enter: "Starting",
  produce: "Running",
  check: "Testing",
  review: "Reviewing",
  complete: "Recording",
  recheck: "Rechecking",
  commit: "Committing",
  measure: "Measuring",
  refine: "Refining the tasks of",
  rewind: "Going back to",
  finish: "Finishing",
};

/** Formats a step: `Running plan (attempt 3)`. In the journal, this attempt is `plan#3`. */
export function stepText(step: string, attempt: AttemptId | null): string {
  const { phase, number } = (attempt === null ? null : attemptParts(attempt)) ?? { phase: "", number: 1 };
  const again = number === 1 ? "" : ` (attempt ${number})`;
  return `${DOING[step] ?? step} ${phase}`.trimEnd() + again;
}
