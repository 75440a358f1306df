import * as z from "zod/mini";

/** Something that failed, with the line it names where it names one. */
export const FailureView = z.object({
  check: z.string(),
  /** As the runner of the tests names it; else the check itself. */
  name: z.string(),
  message: z.string(),
  file: z.nullable(z.string()),
  line: z.nullable(z.number()),
});
export type FailureView = z.infer<typeof FailureView>;
