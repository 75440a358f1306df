import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { createCodexBackend } from "../../src/adapters/agents/codex/backend.ts";
import { agentTask } from "../agent-claude/agent-task.ts";
import { runBackend } from "../agent-claude/run-backend.ts";
import { ending, FAKE_CODEX, runFake } from "./fake-backend.ts";

const good = { lines: ending({ status: "done" }) };
const approved = { lines: ending({ approved: true }) };
const settingsOf = (args: readonly string[]) => args.filter((_, at) => args[at - 1] === "-c");
const argumentsOf = async (...given: Parameters<typeof runFake>) => (await runFake(...given)).notes[0]?.args ?? [];

test("disables the user's MCP servers for a reviewer, but not for a phase [S9]", async () => {
  const env = { FAKE_CODEX_SERVERS: JSON.stringify([{ name: "files" }, { name: 'odd."name' }]) };
  const phase = settingsOf(await argumentsOf([good], {}, { env }));
  const reviewer = settingsOf(await argumentsOf([approved], { role: "reviewer" }, { env }));
  expect(phase.filter((text) => text.startsWith("mcp_servers"))).toEqual([]);
  expect(reviewer).toContain(String.raw`mcp_servers={"files"={enabled=false},"odd.\"name"={enabled=false}}`);
});

test("starts no reviewer if the MCP servers are unknown [S9]", async () => {
  const env = { ...process.env, FAKE_CODEX_SERVERS: "Error: no such command" };
  const backend = createCodexBackend({ program: FAKE_CODEX, env });
  const { end } = await runBackend(backend, agentTask(tmpdir(), { role: "reviewer" }));
  expect(end).toMatchObject({ how: "failed", reason: "not_started", again: false });
  expect(end).toMatchObject({ detail: expect.stringContaining("MCP servers") as string });
});
