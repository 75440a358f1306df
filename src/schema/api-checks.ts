import * as z from "zod/mini";

/** A failure, with file and line if it names them. */
export const FailureView = z.object({
  check: z.string(),
  /** Name of the test in the runner's report, or else the name of the check. */
  name: z.string(),
  message: z.string(),
  file: z.nullable(z.string()),
  line: z.nullable(z.number()),
});
export type FailureView = z.infer<typeof FailureView>;
