import { allAgents } from "../app/agents/chosen-agents.ts";
import { agentKey } from "../app/agents/agent-choice.ts";
import type { Capabilities } from "../ports/agent-backend.ts";
import type { Agents } from "../ports/agents.ts";
import type { Problem } from "../core/problem.ts";
import { createBackend, recordedAgents } from "./create-backend.ts";
import { detectAgent, noAgent } from "./known-agents.ts";
import { needsSandbox } from "./needs-sandbox.ts";
import type { ProjectLocation } from "./project-location.ts";
import { createPrograms } from "./programs.ts";
import { resolveSandbox } from "./sandbox.ts";

/** Returns the agents found in a user's environment. Each is probed once. */
export function systemAgents(place: ProjectLocation): Agents {
  const { env } = place;
  const probed = new Map<string, Promise<Capabilities | Problem>>();
  return {
    detect: () => detectAgent(env),
    noAgent,
    probe(agent) {
      const key = agentKey(agent);
      const probing = probed.get(key) ?? createBackend(agent, env).probe();
      probed.set(key, probing);
      return probing;
    },
    record: (agents, versions) => recordedAgents(agents, env, versions),
    needsSandbox,
    planSandbox: (agents, wished) => resolveSandbox(place, allAgents(agents), wished),
    programs: (users) => createPrograms(place, users),
  };
}
