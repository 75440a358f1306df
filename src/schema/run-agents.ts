import * as z from "zod/mini";

/** How an agent is started: by its name, or by a command. */
export const RememberedAgent = z.object({
  name: z.string(),
  argv: z.nullable(z.array(z.string())),
  model: z.optional(z.string()),
});
export type RememberedAgent = z.infer<typeof RememberedAgent>;

const byPhase = z.optional(z.record(z.string(), RememberedAgent));

/** The agents of a run: for its phases and its reviews, and others for some of them. */
export const RunAgents = z.object({
  phase: RememberedAgent,
  reviewer: RememberedAgent,
  phases: byPhase,
  reviewers: byPhase,
});
export type RunAgents = z.infer<typeof RunAgents>;
