import { ACP_AGENT_NAMES, knownAcpAgent } from "../adapters/agents/acp/known-agents.ts";
import { findProgram } from "../adapters/process/find-program.ts";
import type { Problem } from "../core/problem.ts";
import { describe } from "../core/problem.ts";
import type { Capabilities } from "../ports/agent-backend.ts";
import { DETECTED_AGENTS, agentKey, allAgents } from "../app/agents/agent-choice.ts";
import { createBackend, findAgentProgram, recordedAgents } from "./create-backend.ts";
import type { Agents } from "../ports/agents.ts";
import { needsSandbox } from "./needs-sandbox.ts";
import type { ProjectLocation } from "./project-location.ts";
import { createPrograms } from "./programs.ts";
import { resolveSandbox } from "./sandbox.ts";

export type AgentHelp = { readonly install: string; readonly signIn: string };

/** Supported agents with their own program. An agent given as a command cannot be detected. */
export const KNOWN_AGENTS: readonly string[] = ["claude", "codex", ...ACP_AGENT_NAMES];

const ownHelp: Readonly<Record<string, AgentHelp>> = {
  claude: {
    install: "npm install -g @anthropic-ai/claude-code",
    signIn: 'Run "claude" once and sign in, or set ANTHROPIC_API_KEY.',
  },
  codex: { install: "npm install -g @openai/codex", signIn: 'Run "codex login".' },
};

export function agentHelp(name: string): AgentHelp {
  return ownHelp[name] ?? knownAcpAgent(name)?.help ?? { install: "", signIn: "" };
}

/** Returns the path of an agent's program, if it is installed. Starts nothing. */
export function findAgent(name: string, env: NodeJS.ProcessEnv): string | null {
  const found = findProgram(findAgentProgram({ name, argv: null }, env)[0] ?? "", env);
  return found.ok ? found.path : null;
}

/** Returns the first installed agent, the default if the user chose none. */
export const detectAgent = (env: NodeJS.ProcessEnv): string | null =>
  DETECTED_AGENTS.find((name) => findAgent(name, env) !== null) ?? null;

export const noAgent = (): Problem => ({
  code: "NO_AGENT",
  install: DETECTED_AGENTS.map((name) => `${name}: ${agentHelp(name).install}`),
});

export type SeenAgent = AgentHelp & {
  readonly name: string;
  readonly path: string | null;
  readonly able: Capabilities | null;
  /** Why an installed program cannot be used. */
  readonly trouble: string | null;
};

/** Probes all agents in parallel. Each has a few seconds to report its version. */
export const seeAgents = (env: NodeJS.ProcessEnv): Promise<readonly SeenAgent[]> =>
  Promise.all(KNOWN_AGENTS.map((name) => seeAgent(name, env)));

async function seeAgent(name: string, env: NodeJS.ProcessEnv): Promise<SeenAgent> {
  const path = findAgent(name, env);
  const known = { name, path, ...agentHelp(name) };
  if (path === null) return { ...known, able: null, trouble: null };
  const probed = await createBackend({ name, argv: null }, env).probe();
  return "code" in probed
    ? { ...known, able: null, trouble: describe(probed).what }
    : { ...known, able: probed, trouble: null };
}

/** Returns installation instructions as a list: a heading and one line for each agent. */
export const installLines = (): string[] => [
  "an agent, one of:",
  ...DETECTED_AGENTS.map((name) => `  ${agentHelp(name).install}`),
  '  any program of yours: isdlc config set agent-command "<program>"',
];

export const installLine = (): string =>
  `No agent found. Install one (${DETECTED_AGENTS.map((name) => agentHelp(name).install).join("; ")}), or use any program with --agent-command.`;

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
