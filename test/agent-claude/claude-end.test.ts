import { describe, expect, test } from "vitest";
import { recorded, resultLine, runFake } from "./fake-backend.ts";
import type { Play } from "./run-stand-in.ts";

const VERSIONS = ["2.1.197", "2.1.325"];
const done = { status: "done", summary: "Written." };

describe.each(VERSIONS)("output recorded from version %s", (version) => {
  const play = (name: string, exit = 0) => runFake([{ lines: recorded(`${name}-${version}`), exit }], { cwd: "/" });

  test("yields the result and all usage of a successful phase", async () => {
    const { end, progress } = await play("phase");
    expect(end).toMatchObject({ how: "result", result: { ...done, decisions: [], artifacts: [], questions: [] } });
    expect(end.usage).toEqual({ input: 7 + 11 + 5 + 20, output: 3 + 4, usd: expect.any(Number) as number });
    expect(end.session).toMatch(/^[0-9a-f-]{36}$/);
    expect(progress).toEqual(["Writing.", "Bash git status --short", "Bash npm test", "Not allowed: Bash npm test"]);
  });

  test("uses the last of several results, with the tokens of sub-agents", async () => {
    const { end } = await play("sub-agent");
    const background = version === "2.1.325";
    expect(end).toMatchObject({
      how: "result",
      result: { summary: background ? "Later." : "Written." },
      usage: { input: background ? 1060 : 1030 },
    });
  });

  test("rejects success without a structured result", async () => {
    const { end } = await play("text-only");
    expect(end).toMatchObject({ how: "failed", reason: "no_result", again: true });
    expect(end).toMatchObject({ detail: expect.stringContaining("All done.") as string });
  });

  test("treats an error flag with subtype success as a failure", async () => {
    const { end, signs } = await play("api-error", 1);
    expect(end).toMatchObject({ how: "failed", reason: "unavailable", again: true, usage: null });
    expect(end).toMatchObject({ detail: expect.stringContaining("429") as string });
    expect(signs[0]).toEqual({ is: "trouble", what: "service error 429" });
  });

  test("escalates when a limit is reached", async () => {
    const { end } = await play("max-turns", 1);
    expect(end).toMatchObject({ how: "failed", reason: "agent_failed", again: false, usage: { input: 100 } });
  });
});

describe("failed execution", () => {
  const good = resultLine({ structured_output: done });
  const cases: { name: string; play: Play; reason: string; again: boolean }[] = [
    { name: "an exit code", play: { lines: [good], exit: 3 }, reason: "bad_exit", again: true },
    { name: "a signal", play: { lines: [good], signal: "SIGKILL" }, reason: "bad_exit", again: true },
    {
      name: "an error flag despite exit 0",
      play: { lines: [resultLine({ is_error: true, structured_output: done })] },
      reason: "agent_failed",
      again: true,
    },
    { name: "a missing result line", play: { lines: [] }, reason: "no_result", again: true },
    { name: "a crash before any line", play: { stderr: "boom", exit: 1 }, reason: "bad_exit", again: true },
    {
      name: "a version without the options used",
      play: { stderr: "error: unknown option '--json-schema'", exit: 1 },
      reason: "bad_exit",
      again: false,
    },
    {
      name: "an unknown status",
      play: { lines: [resultLine({ structured_output: { status: "approved" } })] },
      reason: "invalid_result",
      again: true,
    },
    {
      name: "a verdict instead of a result",
      play: { lines: [resultLine({ structured_output: { approved: true } })] },
      reason: "invalid_result",
      again: true,
    },
    {
      name: "null as result",
      play: { lines: [resultLine({ structured_output: null })] },
      reason: "invalid_result",
      again: true,
    },
    {
      name: "a bad result after a good one",
      play: { lines: [good, resultLine({ subtype: "error_max_budget_usd", is_error: true })], exit: 1 },
      reason: "over_budget",
      again: false,
    },
    { name: "a truncated result line", play: { lines: [good.slice(0, -9)] }, reason: "no_result", again: true },
  ];
  test.each(cases)("fails unless exit code, error flag and result agree: $name", async ({ play, reason, again }) => {
    expect((await runFake([play])).end).toMatchObject({ how: "failed", reason, again });
  });

  test("ignores unknown lines and a bad result before a good one", async () => {
    const bad = resultLine({ subtype: "error_during_execution", is_error: true });
    const noise = ["", "warning: something", "[]", "null", '{"type":"tomorrow"}'];
    expect((await runFake([{ lines: [bad, ...noise, good] }])).end).toMatchObject({ how: "result", session: "s-1" });
  });

  test.each([
    { status: 400, reason: "agent_failed", again: false, more: "" },
    {
      status: 401,
      reason: "agent_failed",
      again: false,
      more: ' (Run "claude" and enter "/login", or set ANTHROPIC_API_KEY.)',
    },
    { status: 429, reason: "unavailable", again: true, more: "" },
    { status: 529, reason: "unavailable", again: true, more: "" },
    { status: null, reason: "agent_failed", again: true, more: "" },
  ])("maps status $status of the model service to $reason, retry $again", async ({ status, more, ...expected }) => {
    const line = resultLine({ is_error: true, api_error_status: status, result: "API Error: said so" });
    const { end } = await runFake([{ lines: [line], exit: 1 }]);
    expect(end).toMatchObject({ how: "failed", detail: `API Error: said so${more}`, ...expected });
  });

  test.each(["hook_stopped", "tool_deferred", "prompt_blocked"])(
    "treats a run ended by a hook as failed without a result (%s)",
    async (reason) => {
      const line = resultLine({ result: "", num_turns: 0, terminal_reason: reason });
      expect((await runFake([{ lines: [line] }])).end).toMatchObject({ how: "failed", reason: "no_result" });
    },
  );
});

describe("usage", () => {
  const tokens = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 4, cache_creation_input_tokens: 8 };
  const model = {
    inputTokens: 10,
    outputTokens: 20,
    cacheReadInputTokens: 40,
    cacheCreationInputTokens: 80,
    costUSD: 0.5,
  };
  const none = {
    ...tokens,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  test.each([
    { name: "unknown without figures", fields: {}, usage: null },
    {
      name: "unknown if all figures are zero",
      fields: { usage: none, total_cost_usd: 0, modelUsage: {} },
      usage: null,
    },
    {
      name: "counted with cached tokens",
      fields: { usage: tokens, total_cost_usd: 0.25 },
      usage: { input: 13, output: 2, usd: 0.25 },
    },
    { name: "counted without cost", fields: { usage: tokens }, usage: { input: 13, output: 2, usd: null } },
    {
      name: "added up by model, with sub-agents",
      fields: { usage: tokens, modelUsage: { a: model, b: model }, total_cost_usd: 1 },
      usage: { input: 260, output: 40, usd: 1 },
    },
    {
      name: "counted for this execution only",
      fields: {
        modelUsage: { a: { ...model, inputTokens: 999 } },
        model_usage_since_last_result: { a: model },
        total_cost_usd: 9,
      },
      usage: { input: 130, output: 20, usd: 0.5 },
    },
    {
      name: "unknown if only earlier executions are reported",
      fields: { modelUsage: { a: model }, model_usage_since_last_result: {}, total_cost_usd: 9 },
      usage: null,
    },
  ])("is $name", async ({ fields, usage }) => {
    expect((await runFake([{ lines: [resultLine({ structured_output: done, ...fields })] }])).end.usage).toEqual(usage);
  });
});
