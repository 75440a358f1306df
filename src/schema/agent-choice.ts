import * as z from "zod/mini";

/** The agent a run was started with; the command itself stays in the user's directory. */
export const AgentChoice = z.strictObject({
  name: z.string(),
  digest: z.string(),
  /** As chosen; left out: the agent's own default. */
  model: z.optional(z.string()),
  /** What the program said of itself when the run was started with it. */
  version: z.optional(z.string()),
});
export type AgentChoice = z.infer<typeof AgentChoice>;
