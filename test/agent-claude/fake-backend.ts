import { join } from "node:path";
import { createClaudeBackend } from "../../src/adapters/agents/claude/backend.ts";
import type { ClaudeBackendOptions } from "../../src/adapters/agents/claude/backend.ts";
import type { AgentTask } from "../../src/ports/agent-backend.ts";
import type { BackendRun } from "./run-backend.ts";
import { type Note, type Play, recordedLines, runStandIn } from "./run-stand-in.ts";

export const FAKE_CLAUDE = join(import.meta.dirname, "fake-claude.mjs");

/** Runs one task against the fake Claude Code, which plays the given output. */
export function runFake(
  plays: readonly Play[],
  task: Partial<AgentTask> = {},
  options: Partial<ClaudeBackendOptions> = {},
): Promise<BackendRun & { readonly notes: readonly Note[] }> {
  const backendOf = (script: string) => {
    const env = { ...process.env, ...options.env, FAKE_CLAUDE: script };
    return createClaudeBackend({ program: FAKE_CLAUDE, ...options, env });
  };
  return runStandIn(backendOf, plays, task);
}

/** Output recorded from a real Claude Code, by the name of the recording. */
export const recorded = (name: string): readonly string[] => recordedLines(import.meta.dirname, name);

/** A closing line with the fields every version prints. */
export function resultLine(more: Readonly<Record<string, unknown>>): string {
  const base = { type: "result", subtype: "success", is_error: false, session_id: "s-1", permission_denials: [] };
  return JSON.stringify({ ...base, ...more });
}
