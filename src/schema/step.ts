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

/** Why an attempt or a turn starts, and the text for the agent. */
export const Brief = z.strictObject({
  why: z.enum(["first", "checks", "findings", "answers", "redo", "retry", "back", "tasks"]),
  text: z.string(),
});
export type Brief = z.infer<typeof Brief>;

export const GateChoice = z.enum(["continue", "review", "redo"]);
export type GateChoice = z.infer<typeof GateChoice>;
