import type { AskedAgents } from "../../../app/agents/choose-agents.ts";
import { forRole, readWish } from "../../../app/agents/choose-agents.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { RememberedAgent } from "../../../schema/run-agents.ts";
import { text, type Values } from "../invocation/verb.ts";

/** True if an option names an agent or reviewer. */
export const namesAgent = (values: Values): boolean =>
  ["agent", "agent-command", "reviewer", "reviewer-command"].some((name) => text(values, name) !== undefined);

/**
 * Reads the agents from the options.
 * @throws ProblemError USAGE
 */
export const askedAgents = (values: Values): AskedAgents => ({
  agent: askedFor(values, "agent"),
  reviewer: askedFor(values, "reviewer"),
});

function askedFor(values: Values, role: "agent" | "reviewer"): RememberedAgent | null {
  const read = forRole(role, readWish(text(values, role), text(values, `${role}-command`)));
  if (read === null || read.ok) return read?.agent ?? null;
  const usage = `--${role} <name[:model]>, or --${role}-command "<program> <args>"`;
  throw new ProblemError({ code: "USAGE", detail: `The ${role} cannot be used: ${read.detail}.`, usage });
}
