import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClaudeBackend } from "../../src/adapters/agents/claude/backend.ts";
import type { Usage } from "../../src/schema/agent.ts";
import { agentTask } from "./agent-task.ts";
import { FAKE_CLAUDE, recorded, resultLine } from "./fake-backend.ts";

/** Progress with the usage reported so far. */
async function progressOf(lines: readonly string[]): Promise<[string, Usage | null][]> {
  const folder = mkdtempSync(join(tmpdir(), "isdlc-fake-claude-"));
  const env = { ...process.env, FAKE_CLAUDE: JSON.stringify({ plays: [{ lines }] }) };
  const told: [string, Usage | null][] = [];
  const backend = createClaudeBackend({ program: FAKE_CLAUDE, env });
  for await (const event of backend.run(agentTask(folder), new AbortController().signal)) {
    if (event.type === "progress" && (event.text !== "" || event.usage !== null)) told.push([event.text, event.usage]);
  }
  rmSync(folder, { recursive: true });
  return told;
}

const says = (texts: readonly string[], id: string | undefined, usage: unknown) => {
  const content = texts.map((text) => ({ type: "text", text }));
  return JSON.stringify({ type: "assistant", message: { id, content, usage } });
};
const tokens = (input: number, output: number, cached = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: cached,
});
const end = resultLine({ structured_output: { status: "done" } });

describe("usage during work", () => {
  test.each(["2.1.197", "2.1.325"])("counts each call of version %s once, with cached tokens", async (version) => {
    const told = await progressOf(recorded(`phase-${version}`));
    expect(told[0]).toEqual(["Writing.", { input: 7 + 11 + 5, output: 1, usd: null }]);
    expect(told.flatMap(([, usage]) => usage ?? []).at(-1)).toEqual({ input: 43, output: 2, usd: null });
  });

  test("grows with each call and its updates, and never shrinks", async () => {
    const told = await progressOf([
      says(["a"], "m1", tokens(10, 1, 5)),
      says(["b"], "m1", tokens(10, 4, 5)),
      says(["c"], "m2", tokens(20, 1)),
      says(["d"], "m1", tokens(1, 1)),
      says(["e"], "m3", tokens(0, 0)),
      end,
    ]);
    expect(told.map(([, usage]) => usage && [usage.input, usage.output])).toEqual([
      [15, 1],
      [15, 4],
      [35, 5],
      null,
      null,
    ]);
  });

  test("includes final figures and separate ones of a parallel sub-agent", async () => {
    const starts = (id: string, input: number, parent: string | null = null) =>
      JSON.stringify({
        type: "stream_event",
        event: { type: "message_start", message: { id, usage: tokens(input, 1) } },
        parent_tool_use_id: parent,
      });
    const ends = (output: number, parent: string | null = null) =>
      JSON.stringify({
        type: "stream_event",
        event: { type: "message_delta", usage: { output_tokens: output } },
        parent_tool_use_id: parent,
      });
    const piece = '{"type":"stream_event","event":{"type":"content_block_delta","index":0}}';
    const told = await progressOf([starts("m1", 10), piece, starts("s1", 7, "task"), ends(40), ends(3, "task"), end]);
    expect(told.map(([, usage]) => usage && [usage.input, usage.output])).toEqual([
      [10, 1],
      [17, 2],
      [17, 41],
      [17, 43],
    ]);
  });

  test("is reported at most once per line", async () => {
    const told = await progressOf([says(["a", "b", "c"], "m1", tokens(10, 1)), end]);
    expect(told.map(([, usage]) => usage?.input ?? null)).toEqual([null, null, 10]);
  });

  test.each([
    ["without an id", undefined, tokens(1, 1)],
    ["without figures", "m1", undefined],
    ["with invalid figures", "m1", { input_tokens: "many" }],
  ])("shows a message %s and no usage", async (_, id, usage) => {
    expect(await progressOf([says(["a"], id, usage), end])).toEqual([["a", null]]);
  });
});
