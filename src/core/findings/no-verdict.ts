import type { PhaseOutput } from "../../schema/facts.ts";

/** Recorded instead of a verdict if the reviewer failed. */
export const NO_VERDICT = "No verdict: the reviewer was asked twice and gave none that could be read.";

/** True if the output was not reviewed because its reviewer failed. */
export const isUnjudged = ({ approved, concerns }: Pick<PhaseOutput, "approved" | "concerns">): boolean =>
  !approved && concerns.some((concern) => concern.startsWith(NO_VERDICT));
