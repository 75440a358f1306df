import * as z from "zod/mini";

/** How to start an agent: by name or by command. */
export const RememberedAgent = z.object({
  name: z.string(),
  argv: z.nullable(z.array(z.string())),
  model: z.optional(z.string()),
});
export type RememberedAgent = z.infer<typeof RememberedAgent>;

const byPhase = z.optional(z.record(z.string(), RememberedAgent));

/** Agents of a run: the defaults for phases and reviews, and different ones for some phases. */
export const RunAgents = z.object({
  phase: RememberedAgent,
  reviewer: RememberedAgent,
  phases: byPhase,
  reviewers: byPhase,
});
export type RunAgents = z.infer<typeof RunAgents>;

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

/** `forwarded`: a separate network, with a proxy to hosts outside of this machine. `shared`: the user's network. */
export const SandboxNetwork = z.enum(["forwarded", "shared"]);
export type SandboxNetwork = z.infer<typeof SandboxNetwork>;
