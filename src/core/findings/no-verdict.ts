import type { PhaseOutput } from "../../schema/facts.ts";

/** What the journal has in the place of a verdict where the reviewer failed. */
export const NO_VERDICT = "No verdict: the reviewer was asked twice and gave none that could be read.";

/** True where nobody judged what a phase made: its reviewer failed. */
export const isUnjudged = ({ approved, concerns }: Pick<PhaseOutput, "approved" | "concerns">): boolean =>
  !approved && concerns.some((concern) => concern.startsWith(NO_VERDICT));
