import * as z from "zod/mini";

/** Agent that a run was started with. The command itself stays in the user's directory. */
export const AgentChoice = z.strictObject({
  name: z.string(),
  digest: z.string(),
  /** Chosen model. If missing, the agent uses its default. */
  model: z.optional(z.string()),
  /** Version reported by the program when the run was started with it. */
  version: z.optional(z.string()),
});
export type AgentChoice = z.infer<typeof AgentChoice>;
