import * as z from "zod/mini";

/** The steps of a run that can fail, and so escalate. */
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
