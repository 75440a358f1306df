import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentBackend, AgentTask } from "../../src/ports/agent-backend.ts";
import { agentTask } from "./agent-task.ts";
import { runBackend } from "./run-backend.ts";
import type { BackendRun } from "./run-backend.ts";

/** Behavior of a stand-in after its start; see stand-in.mjs. */
export type Play = {
  readonly lines?: readonly string[];
  readonly writes?: readonly { readonly path: string; readonly contents: string }[];
  readonly stderr?: string;
  readonly exit?: number;
  readonly signal?: string;
  readonly hang?: boolean;
};

/** Arguments, input and environment of a started stand-in. */
export type Note = {
  readonly args: readonly string[];
  /** Schema of the result, if it is passed as a file. */
  readonly schema?: object;
  readonly stdin: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
};

/** A backend whose program is a stand-in with that script in its environment variable. */
type BackendOf = (script: string) => AgentBackend;

/** Runs one task against a stand-in, with one play per start. */
export async function runStandIn(
  backendOf: BackendOf,
  plays: readonly Play[],
  task: Partial<AgentTask>,
): Promise<BackendRun & { readonly notes: readonly Note[] }> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-stand-in-"));
  try {
    const file = join(folder, "notes.jsonl");
    const ran = await runBackend(backendOf(JSON.stringify({ notes: file, plays })), agentTask(folder, task));
    const notes = readFileSync(file, "utf8").trim().split("\n");
    return { ...ran, notes: notes.map((note) => JSON.parse(note) as Note) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lines of a recording, a file in that folder. */
export function recordedLines(folder: string, name: string): readonly string[] {
  return readFileSync(join(folder, "recorded", `${name}.jsonl`), "utf8")
    .trim()
    .split("\n");
}
