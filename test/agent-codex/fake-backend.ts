import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCodexBackend } from "../../src/adapters/agent-codex/create-codex-backend.ts";
import type { CodexBackendOptions } from "../../src/adapters/agent-codex/create-codex-backend.ts";
import type { AgentTask } from "../../src/ports/agent-backend.ts";
import { agentTask } from "../agent-claude/agent-task.ts";
import { runBackend } from "../agent-claude/run-backend.ts";
import type { BackendRun } from "../agent-claude/run-backend.ts";

export type Play = {
  readonly lines?: readonly string[];
  readonly writes?: readonly { readonly path: string; readonly contents: string }[];
  readonly stderr?: string;
  readonly exit?: number;
  readonly signal?: string;
  readonly hang?: boolean;
};

/** How the stand-in was started. */
export type Note = {
  readonly args: readonly string[];
  readonly schema: object;
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};

export const FAKE_CODEX = join(import.meta.dirname, "fake-codex.mjs");

/** The id of every conversation that the scripted lines begin. */
export const THREAD = "01a1dfa9-0000-7000-8000-000000000001";

/** Runs one task against the stand-in for Codex, which plays the given output. */
export async function runFake(
  plays: readonly Play[],
  task: Partial<AgentTask> = {},
  options: Partial<CodexBackendOptions> = {},
): Promise<BackendRun & { readonly notes: readonly Note[] }> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-codex-"));
  try {
    const file = join(folder, "notes.jsonl");
    const env = { ...process.env, ...options.env, FAKE_CODEX: JSON.stringify({ notes: file, plays }) };
    const backend = createCodexBackend({ program: FAKE_CODEX, ...options, env });
    const ran = await runBackend(backend, agentTask(folder, task));
    const notes = readFileSync(file, "utf8").trim().split("\n");
    return { ...ran, notes: notes.map((note) => JSON.parse(note) as Note) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a real Codex printed once, by the name of the recording. */
export function recorded(name: string): readonly string[] {
  return readFileSync(join(import.meta.dirname, "recorded", `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
}

export const begins = JSON.stringify({ type: "thread.started", thread_id: THREAD });

export const says = (text: string): string =>
  JSON.stringify({ type: "item.completed", item: { id: "item_1", type: "agent_message", text } });

export const completes = (input = 100, output = 10): string =>
  JSON.stringify({ type: "turn.completed", usage: { input_tokens: input, output_tokens: output } });

export const fails = (message: string): string => JSON.stringify({ type: "turn.failed", error: { message } });

/** The lines of an execution whose last message is that value. */
export const ending = (value: unknown): string[] => [begins, says(JSON.stringify(value)), completes()];
