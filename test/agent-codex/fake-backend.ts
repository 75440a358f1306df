import { join } from "node:path";
import { createCodexBackend } from "../../src/adapters/agents/codex/backend.ts";
import type { CodexBackendOptions } from "../../src/adapters/agents/codex/backend.ts";
import type { AgentTask } from "../../src/ports/agent-backend.ts";
import type { BackendRun } from "../agent-claude/run-backend.ts";
import { type Note, type Play, recordedLines, runStandIn } from "../agent-claude/run-stand-in.ts";

export const FAKE_CODEX = join(import.meta.dirname, "fake-codex.mjs");

/** The id of each conversation started by the scripted lines. */
export const THREAD = "01a1dfa9-0000-7000-8000-000000000001";

/** Runs one task against the fake Codex, which plays the given output. */
export function runFake(
  plays: readonly Play[],
  task: Partial<AgentTask> = {},
  options: Partial<CodexBackendOptions> = {},
): Promise<BackendRun & { readonly notes: readonly Note[] }> {
  const backendOf = (script: string) => {
    const env = { ...process.env, ...options.env, FAKE_CODEX: script };
    return createCodexBackend({ program: FAKE_CODEX, ...options, env });
  };
  return runStandIn(backendOf, plays, task);
}

/** Output recorded from a real Codex, by the name of the recording. */
export const recorded = (name: string): readonly string[] => recordedLines(import.meta.dirname, name);

export const begins = JSON.stringify({ type: "thread.started", thread_id: THREAD });

export const says = (text: string): string =>
  JSON.stringify({ type: "item.completed", item: { id: "item_1", type: "agent_message", text } });

export const completes = (input = 100, output = 10): string =>
  JSON.stringify({ type: "turn.completed", usage: { input_tokens: input, output_tokens: output } });

export const fails = (message: string): string => JSON.stringify({ type: "turn.failed", error: { message } });

/** The lines of an execution whose last message is the given value. */
export const ending = (value: unknown): string[] => [begins, says(JSON.stringify(value)), completes()];
