import type { PhaseKey } from "../../schema/ids.ts";
import type { RememberedAgent, RunAgents } from "../../schema/run-agents.ts";
import { agentKey } from "./agent-choice.ts";

/** Returns the agent that works on a phase; `reviewAgent` returns its reviewer. */
export const phaseAgent = ({ phase, phases }: RunAgents, key: PhaseKey): RememberedAgent => phases?.[key] ?? phase;
export const reviewAgent = ({ reviewer, reviewers }: RunAgents, key: PhaseKey): RememberedAgent =>
  reviewers?.[key] ?? reviewer;

/** Lists each agent of a run once. */
export function allAgents({ phase, reviewer, phases, reviewers }: RunAgents): readonly RememberedAgent[] {
  const all = [phase, reviewer, ...Object.values(phases ?? {}), ...Object.values(reviewers ?? {})];
  return [...new Map(all.map((agent) => [agentKey(agent), agent])).values()];
}
