import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClaudeBackend } from "../../src/adapters/agent-claude/create-claude-backend.ts";
import type { ClaudeBackendOptions } from "../../src/adapters/agent-claude/create-claude-backend.ts";
import type { AgentTask } from "../../src/ports/agent-backend.ts";
import { agentTask } from "./agent-task.ts";
import { runBackend } from "./run-backend.ts";
import type { BackendRun } from "./run-backend.ts";

export type Play = {
  readonly lines?: readonly string[];
  readonly stderr?: string;
  readonly exit?: number;
  readonly signal?: string;
  readonly hang?: boolean;
};

/** How the stand-in was started. */
export type Note = {
  readonly args: readonly string[];
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};

export const FAKE_CLAUDE = join(import.meta.dirname, "fake-claude.mjs");

/** Runs one task against the stand-in for Claude Code, which plays the given output. */
export async function runFake(
  plays: readonly Play[],
  task: Partial<AgentTask> = {},
  options: Partial<ClaudeBackendOptions> = {},
): Promise<BackendRun & { readonly notes: readonly Note[] }> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-claude-"));
  try {
    const file = join(folder, "notes.jsonl");
    const env = { ...process.env, ...options.env, FAKE_CLAUDE: JSON.stringify({ notes: file, plays }) };
    const backend = createClaudeBackend({ program: FAKE_CLAUDE, ...options, env });
    const ran = await runBackend(backend, agentTask(folder, task));
    const notes = readFileSync(file, "utf8").trim().split("\n");
    return { ...ran, notes: notes.map((note) => JSON.parse(note) as Note) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a real Claude Code printed once, by the name of the recording. */
export function recorded(name: string): readonly string[] {
  return readFileSync(join(import.meta.dirname, "recorded", `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
}

/** A closing line with the fields every version prints. */
export function resultLine(more: Readonly<Record<string, unknown>>): string {
  const base = { type: "result", subtype: "success", is_error: false, session_id: "s-1", permission_denials: [] };
  return JSON.stringify({ ...base, ...more });
}
