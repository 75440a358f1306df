import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { createAcpBackend } from "../adapters/agents/acp/backend.ts";
import { acpEnvironment, knownAcpAgent } from "../adapters/agents/acp/known-agents.ts";
import { createClaudeBackend } from "../adapters/agents/claude/backend.ts";
import { createCodexBackend } from "../adapters/agents/codex/backend.ts";
import { createCommandBackend } from "../adapters/agents/command/backend.ts";
import { agentVariables } from "../adapters/process/agent-variables.ts";
import { createReplayBackend, parseRecording } from "../adapters/agents/replay/backend.ts";
import type { RememberedAgent, RunAgents } from "../schema/run-agents.ts";
import { NO_AGENT_NAME } from "../core/adoption.ts";
import { createNoAgentBackend } from "../adapters/agents/none/backend.ts";
import { createSessionBackend } from "../adapters/agents/session/backend.ts";
import { isRecord } from "../core/own-value.ts";
import { ProblemError } from "../core/problem.ts";
import { SESSION_AGENT } from "../core/next.ts";
import type { AgentBackend } from "../ports/agent-backend.ts";
import type { RecordedAgents } from "../ports/agents.ts";
import type { AgentChoice } from "../schema/event.ts";
import type { PhaseKey } from "../schema/ids.ts";
import { agentKey, modelArguments } from "../app/agents/agent-choice.ts";
import { heldBack } from "./needs-sandbox.ts";
import { codexHome } from "../adapters/agents/codex/conversation.ts";
import type { Sandbox } from "../adapters/process/child-environment.ts";

/** Converts agents to the journal's format: names, digests of how they are started, and known models and versions. */
export function recordedAgents(
  chosen: RunAgents,
  env: NodeJS.ProcessEnv,
  versions: ReadonlyMap<string, string> = new Map(),
): RecordedAgents {
  const record = (agent: RememberedAgent): AgentChoice => {
    const { name, digest } = createBackend(agent, env);
    const version = versions.get(agentKey(agent));
    const { model } = agent;
    return { name, digest, ...(model === undefined ? {} : { model }), ...(version === undefined ? {} : { version }) };
  };
  const all = (agents: Readonly<Record<PhaseKey, RememberedAgent>>): Record<PhaseKey, AgentChoice> =>
    Object.fromEntries(Object.entries(agents).map(([key, agent]) => [key, record(agent)]));
  const { phase, reviewer, phases, reviewers } = chosen;
  return {
    agent: record(phase),
    reviewer: record(reviewer),
    ...(phases === undefined ? {} : { agents: all(phases) }),
    ...(reviewers === undefined ? {} : { reviewers: all(reviewers) }),
  };
}

/** Returns the command of an agent with the user's arguments. */
export function findAgentProgram(agent: RememberedAgent, env: NodeJS.ProcessEnv): readonly string[] {
  const { name, argv } = agent;
  const model = modelArguments(agent);
  if (name === "claude") return [env["ISDLC_CLAUDE"] ?? "claude", ...model];
  if (name === "codex") return [env["ISDLC_CODEX"] ?? "codex", ...model];
  return [...(knownAcpAgent(name)?.argv ?? []), ...model, ...(argv ?? [])];
}

/** Sandbox and variables that the user grants to an agent. */
export type AgentBounds = {
  readonly sandbox?: Sandbox | undefined;
  /** Names of environment variables, in addition to those needed by its kind. */
  readonly variables?: readonly string[];
};

/** Creates the backend of an agent. Without a sandbox, an agent that needs one can be probed but does not run. */
export function createBackend(agent: RememberedAgent, env: NodeJS.ProcessEnv, bounds: AgentBounds = {}): AgentBackend {
  if (agent.name === NO_AGENT_NAME) return createNoAgentBackend();
  return agent.name === SESSION_AGENT ? createSessionBackend() : createProgramBackend(agent, env, bounds);
}

function createProgramBackend(
  agent: RememberedAgent,
  given: NodeJS.ProcessEnv,
  { sandbox, variables }: AgentBounds,
): AgentBackend {
  const { name, argv } = agent;
  const [program = "", ...extraArgs] = findAgentProgram(agent, given);
  const env = buildEnvironment(agent, given, variables);
  switch (name) {
    case "command":
      return createCommandBackend({ argv: findAgentProgram(agent, env), env, sandbox });
    case "claude":
      return createClaudeBackend({ program, extraArgs, env, sandbox });
    case "codex":
      return createCodexBackend({ program, extraArgs, env, sandbox });
    case "replay":
      return createReplayBackend(parseRecording(readFileSync(argv?.[0] ?? "", "utf8")), {
        speed: Number(argv?.[1] ?? 1),
      });
    case "acp":
      return createAcpBackend({ name, argv: findAgentProgram(agent, env), env, sandbox });
    default:
      return sandbox === undefined
        ? heldBack(createKnownAcpBackend(agent, env))
        : createKnownAcpBackend(agent, env, sandbox);
  }
}

/** Returns the environment of an agent before its sandbox. */
export function buildEnvironment(
  { name, model }: RememberedAgent,
  env: NodeJS.ProcessEnv,
  allowed: readonly string[] = [],
): NodeJS.ProcessEnv {
  const settings = name.startsWith("codex") ? codexSettings(env) : "";
  const isNamed = (variable: string): boolean => settings.includes(`"${variable}"`);
  return agentVariables({ agent: name, model, isNamed }, env, allowed);
}

/** Reads the settings of Codex, which can name the environment variable of its API key. */
function codexSettings(env: NodeJS.ProcessEnv): string {
  try {
    return readFileSync(join(codexHome(env, env["HOME"] ?? homedir()), "config.toml"), "utf8");
  } catch {
    return ""; // without settings, Codex uses its default variable
  }
}

/** @throws ProblemError AGENT_MISSING for an unknown name. */
function createKnownAcpBackend(agent: RememberedAgent, env: NodeJS.ProcessEnv, sandbox?: Sandbox): AgentBackend {
  const { name, model } = agent;
  const known = knownAcpAgent(name);
  if (known === null)
    throw new ProblemError({ code: "AGENT_MISSING", agent: name, detail: "there is no agent of that name" });
  const { mode, meta, reviewer, calls, account, traits, help } = known;
  const own = acpEnvironment(known, env);
  const inSettings = name === "opencode" && model !== undefined;
  const listed = inSettings ? { model } : {};
  const started = { name, argv: findAgentProgram(agent, env), env: inSettings ? withModel(own, model) : own, sandbox };
  const backend = createAcpBackend({ ...started, ...listed, mode, meta, reviewer, calls, account, traits, help });
  if (!inSettings) return backend;
  const digest = createHash("sha256")
    .update(JSON.stringify([backend.digest, model]))
    .digest("hex");
  return { ...backend, digest };
}

const OPENCODE_SETTINGS = "OPENCODE_CONFIG_CONTENT";

/** Adds the model to opencode's settings, its only source of the model. Settings in the environment take precedence. */
function withModel(env: NodeJS.ProcessEnv, model: string): NodeJS.ProcessEnv {
  const settings = parsedSettings(env[OPENCODE_SETTINGS] ?? "{}");
  if (settings !== null) return { ...env, [OPENCODE_SETTINGS]: JSON.stringify({ ...settings, model }) };
  const detail = `${OPENCODE_SETTINGS} is not a JSON object, so the model cannot be added to it`;
  throw new ProblemError({ code: "AGENT_MISSING", agent: "opencode", detail });
}

function parsedSettings(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : null;
  } catch {
    return null; // reported by the caller, which knows the variable
  }
}
