import { readFileSync } from "node:fs";
import { createClaudeBackend } from "../../adapters/agent-claude/create-claude-backend.ts";
import { createCodexBackend } from "../../adapters/agent-codex/create-codex-backend.ts";
import { createCommandBackend, parseCommandLine } from "../../adapters/agent-command/create-command-backend.ts";
import type { Confine } from "../../adapters/process/confine.ts";
import { createReplayBackend, parseRecording } from "../../adapters/agent-replay/create-replay-backend.ts";
import type { RememberedAgent } from "../../adapters/user-files/tree-memory.ts";
import type { UserSettings } from "../../adapters/user-files/user-settings.ts";
import { ProblemError } from "../../core/problem.ts";
import type { AgentBackend } from "../../ports/agent-backend.ts";
import { text, type Values } from "./verb.ts";

export type ChosenAgents = { readonly phase: RememberedAgent; readonly reviewer: RememberedAgent };

const DEFAULT_AGENT = "claude";

/** The agents of a run: what was asked for, else what the person set, else Claude Code. Never anything from the project. */
export function chooseAgents(values: Values, settings: UserSettings): ChosenAgents {
  const phase = asked(text(values, "agent"), text(values, "agent-command")) ??
    asked(settings.agent, settings["agent-command"]) ?? { name: DEFAULT_AGENT, argv: null };
  const reviewer =
    asked(text(values, "reviewer"), text(values, "reviewer-command")) ??
    asked(settings.reviewer, settings["reviewer-command"]) ??
    phase;
  return { phase, reviewer };
}

/** True when a verb was told which agent to use. */
export const namesAgent = (values: Values): boolean =>
  ["agent", "agent-command", "reviewer", "reviewer-command"].some((name) => text(values, name) !== undefined);

function asked(name: string | undefined, command: string | undefined): RememberedAgent | null {
  if (command !== undefined) return { name: "command", argv: splitCommand(command) };
  return name === undefined ? null : { name, argv: null };
}

function splitCommand(command: string): string[] {
  const parsed = parseCommandLine(command);
  if (!parsed.ok)
    throw new ProblemError({ code: "USAGE", detail: parsed.detail, usage: '--agent-command "<program> <args>"' });
  return [...parsed.argv];
}

/** The program an agent is started by, with the person's arguments to it. */
export function programOf({ name, argv }: RememberedAgent, env: NodeJS.ProcessEnv): readonly string[] {
  if (name === "claude") return [env["ISDLC_CLAUDE"] ?? "claude"];
  if (name === "codex") return [env["ISDLC_CODEX"] ?? "codex"];
  return argv ?? [];
}

/** Makes the backend for a choice. */
export function createBackend(agent: RememberedAgent, env: NodeJS.ProcessEnv, confine?: Confine): AgentBackend {
  const { name, argv } = agent;
  switch (name) {
    case "command":
      return createCommandBackend({ argv: programOf(agent, env), env, confine });
    case "claude":
      return createClaudeBackend({ program: programOf(agent, env)[0] ?? "", env, confine });
    case "codex":
      return createCodexBackend({ program: programOf(agent, env)[0] ?? "", env, confine });
    case "replay":
      return createReplayBackend(parseRecording(readFileSync(argv?.[0] ?? "", "utf8")), {
        speed: Number(argv?.[1] ?? 1),
      });
    default:
      throw new ProblemError({ code: "AGENT_MISSING", agent: name, detail: "there is no agent of that name" });
  }
}

/** @throws ProblemError AGENT_MISSING before anything is written. */
export async function requireInstalled(backend: AgentBackend): Promise<string> {
  const found = await backend.probe();
  if ("code" in found) throw new ProblemError(found);
  return found.version;
}
