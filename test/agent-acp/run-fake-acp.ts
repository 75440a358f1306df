import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAcpBackend, type AcpBackendOptions } from "../../src/adapters/agents/acp/backend.ts";
import type { AgentTask } from "../../src/ports/agent-backend.ts";
import { agentTask } from "../agent-claude/agent-task.ts";
import { runBackend, type BackendRun } from "../agent-claude/run-backend.ts";

/** One action of the fake agent while it answers a prompt. */
export type PlayStep = { readonly [name: string]: unknown };

/** Behavior of the fake agent; see fake-acp.mjs. */
export type Behaviour = {
  /** Actions of each prompt. */
  readonly plays?: readonly (readonly PlayStep[])[];
  readonly session?: string;
  readonly loads?: boolean;
  readonly forgets?: boolean;
  readonly replays?: readonly object[];
  readonly modes?: readonly string[];
  readonly configOptions?: readonly object[];
  readonly initialize?: unknown;
  readonly errors?: Readonly<Record<string, unknown>>;
  readonly garbage?: string;
  readonly chatters?: boolean;
  readonly ignores?: string;
  readonly exitsAt?: string;
  readonly exitCode?: number;
  readonly stays?: boolean;
  readonly ignoresSignals?: boolean;
};

export type FakeAcpMessage = { readonly method?: string; readonly params: Readonly<Record<string, unknown>> };

export const FAKE_ACP = join(import.meta.dirname, "fake-acp.mjs");
export const DONE = '```json\n{"status":"done","summary":"Written."}\n```';

export function fakeBackend(
  behaviour: Behaviour,
  notes: string,
  options: Partial<AcpBackendOptions> = {},
): ReturnType<typeof createAcpBackend> {
  const env = { ...process.env, ...options.env, FAKE_ACP: JSON.stringify({ plays: [], notes, ...behaviour }) };
  return createAcpBackend({ name: "fake", argv: [FAKE_ACP], ...options, env });
}

/** Runs one task against the fake agent; `received` lists the messages sent to it. */
export async function runFake(
  behaviour: Behaviour,
  task: Partial<AgentTask> = {},
  options: Partial<AcpBackendOptions> = {},
): Promise<BackendRun & { readonly received: readonly FakeAcpMessage[] }> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-acp-"));
  try {
    const notes = join(folder, "notes.jsonl");
    const ran = await runBackend(fakeBackend(behaviour, notes, options), agentTask(folder, task));
    const lines = existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n") : [];
    return { ...ran, received: lines.map((line) => JSON.parse(line) as FakeAcpMessage) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Texts of the prompts sent. */
export function listPrompts(received: readonly FakeAcpMessage[]): readonly string[] {
  const prompts = received.filter(({ method }) => method === "session/prompt");
  return prompts.map(({ params }) => (params["prompt"] as { text: string }[])[0]?.text ?? "");
}
