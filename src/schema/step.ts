import * as z from "zod/mini";

/** Steps of a run that can fail and therefore escalate. */
export const Step = z.enum([
  "prepare",
  "baseline",
  "enter",
  "produce",
  "check",
  "review",
  "complete",
  "recheck",
  "commit",
  "measure",
  "refine",
  "rewind",
  "finish",
]);
export type Step = z.infer<typeof Step>;
