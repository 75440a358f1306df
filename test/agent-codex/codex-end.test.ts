import { describe, expect, test } from "vitest";
import type { Play } from "../agent-claude/run-stand-in.ts";
import { begins, completes, ending, fails, recorded, runFake, says, THREAD } from "./fake-backend.ts";

const done = { status: "done", summary: "Written." };
const whole = { ...done, decisions: [], artifacts: [], questions: [] };

describe("output recorded from version 0.166.0", () => {
  const play = (name: string, more: Partial<Play> = {}, session: string | null = null) =>
    runFake([{ lines: recorded(`${name}-0.166.0`), ...more }], { session });

  test("yields the result and tokens of a successful phase, without a cost", async () => {
    const { end, progress } = await play("phase");
    expect(end).toMatchObject({ how: "result", result: whole });
    expect(end.usage).toEqual({ input: 7 + 11 + 100, output: 3 + 10, usd: null });
    expect(end.session).toMatch(/^[0-9a-f-]{36}\/118\/13$/);
    expect(progress).toEqual([
      expect.stringContaining("Model metadata for `scripted` not found") as string,
      "Writing.",
      "Run 'sleep 0.3; mkdir docs && echo hi > docs/a.md'",
    ]);
  });

  test("counts a resumed conversation from its previous total", async () => {
    const [started = ""] = recorded("resumed-0.166.0");
    const id = (JSON.parse(started) as { thread_id: string }).thread_id;
    const { end } = await play("resumed", {}, `${id}/1000/5`);
    expect(end).toMatchObject({ how: "result", usage: { input: 30, output: 7, usd: null }, session: `${id}/1030/12` });
  });

  test("rejects text without a result", async () => {
    const { end } = await play("text-only");
    expect(end).toMatchObject({ how: "failed", reason: "no_result", again: true, usage: { input: 100, output: 10 } });
    expect(end).toMatchObject({ detail: expect.stringContaining("All done.") as string });
  });

  test("reports an error of the model service, with unknown usage", async () => {
    const { end, signs } = await play("api-error", { exit: 1 });
    expect(end).toMatchObject({ how: "failed", reason: "unavailable", again: true, usage: null });
    expect(end).toMatchObject({ detail: expect.stringContaining("high demand") as string });
    expect(signs).toEqual([{ is: "trouble", what: expect.stringContaining("high demand") as string }]);
  });

  test("ignores errors before a successful end", async () => {
    const { end, signs } = await play("recovered");
    expect(end).toMatchObject({ how: "result", result: whole });
    expect(signs.at(-1)).toMatchObject({
      is: "trouble",
      what: expect.stringContaining("stream disconnected") as string,
    });
  });

  test("escalates a rejected API key", async () => {
    const { end } = await play("refused-key", { exit: 1 });
    expect(end).toMatchObject({ how: "failed", reason: "agent_failed", again: false });
  });
});

describe("failed execution", () => {
  const good = ending(done);
  const cases: { name: string; play: Play; reason: string; again: boolean }[] = [
    { name: "an exit code", play: { lines: good, exit: 3 }, reason: "bad_exit", again: true },
    { name: "a signal", play: { lines: good, signal: "SIGKILL" }, reason: "bad_exit", again: true },
    {
      name: "a failed turn despite exit 0",
      play: { lines: [...good, fails("odd")] },
      reason: "agent_failed",
      again: true,
    },
    { name: "an unfinished turn", play: { lines: good.slice(0, 2) }, reason: "no_result", again: true },
    { name: "no message", play: { lines: [begins, completes()] }, reason: "no_result", again: true },
    { name: "no output", play: {}, reason: "no_result", again: true },
    { name: "a crash before any line", play: { stderr: "boom", exit: 1 }, reason: "bad_exit", again: true },
    {
      name: "a version without the options used",
      play: { stderr: "error: unexpected argument '--ignore-rules' found", exit: 2 },
      reason: "bad_exit",
      again: false,
    },
    {
      name: "invalid settings",
      play: { stderr: "Error loading config.toml: invalid type", exit: 1 },
      reason: "bad_exit",
      again: false,
    },
    {
      name: "an unknown status",
      play: { lines: ending({ status: "approved" }) },
      reason: "invalid_result",
      again: true,
    },
    {
      name: "a verdict instead of a result",
      play: { lines: ending({ approved: true }) },
      reason: "invalid_result",
      again: true,
    },
    { name: "a number as result", play: { lines: ending(7) }, reason: "invalid_result", again: true },
    { name: "null as result", play: { lines: ending(null) }, reason: "no_result", again: true },
    {
      name: "text after the result",
      play: { lines: [begins, says(JSON.stringify(done)), says("Anything else?"), completes()] },
      reason: "no_result",
      again: true,
    },
    {
      name: "a truncated last line",
      play: { lines: [...good.slice(0, 2), completes().slice(0, -9)] },
      reason: "no_result",
      again: true,
    },
    {
      name: "a result only in the output of a command",
      play: {
        lines: [
          begins,
          JSON.stringify({
            type: "item.completed",
            item: { type: "command_execution", command: "cat", aggregated_output: JSON.stringify(done) },
          }),
          completes(),
        ],
      },
      reason: "no_result",
      again: true,
    },
  ];
  test.each(cases)("is reported for $name", async ({ play, reason, again }) => {
    expect((await runFake([play])).end).toMatchObject({ how: "failed", reason, again });
  });

  test("ignores unknown lines and uses the last of several messages", async () => {
    const noise = [
      "",
      "warning: something",
      "[]",
      "null",
      '{"type":"tomorrow"}',
      '{"type":"item.completed","item":{}}',
    ];
    const lines = [begins, says("First."), ...noise, says(JSON.stringify(done)), ...noise, completes()];
    expect((await runFake([{ lines }])).end).toMatchObject({ how: "result", result: whole });
  });

  const SIGN_IN = ' (Run "codex login", or set the variable with the key that your settings name.)';
  test.each([
    { message: "unexpected status 400 Bad Request: no", reason: "agent_failed", again: false, more: "" },
    { message: "unexpected status 401 Unauthorized: no", reason: "agent_failed", again: false, more: SIGN_IN },
    { message: "unexpected status 503 Service Unavailable: later", reason: "unavailable", again: true, more: "" },
    { message: "something new", reason: "agent_failed", again: true, more: "" },
  ])("maps a turn failed with $message to $reason, retry $again", async ({ message, more, ...expected }) => {
    const { end } = await runFake([{ lines: [begins, fails(message)], exit: 1 }]);
    expect(end).toMatchObject({ how: "failed", detail: `${message}${more}`, ...expected });
  });
});

describe("usage", () => {
  const result = says(JSON.stringify(done));
  const none = JSON.stringify({ type: "turn.completed", usage: null });
  test.each([
    {
      name: "complete in a first execution",
      close: completes(100, 10),
      before: null,
      usage: [100, 10],
      kept: "/100/10",
    },
    {
      name: "reduced by the previous total",
      close: completes(100, 10),
      before: "/60/4",
      usage: [40, 6],
      kept: "/100/10",
    },
    { name: "unknown if all figures are zero", close: completes(0, 0), before: null, usage: null, kept: "/0/0" },
    { name: "unknown without new figures", close: completes(60, 4), before: "/60/4", usage: null, kept: "/60/4" },
    { name: "unknown if it shrinks", close: completes(9, 1), before: "/60/4", usage: null, kept: "/9/1" },
    { name: "unknown if negative", close: completes(-100, 10), before: "/60/4", usage: null, kept: "/60/4" },
    { name: "unknown if not an integer", close: completes(99.5, 10), before: null, usage: null, kept: "/0/0" },
    { name: "unknown if absurd", close: completes(1e300, 10), before: "/60/4", usage: null, kept: "/60/4" },
    { name: "unknown if missing", close: none, before: "/60/4", usage: null, kept: "/60/4" },
  ])("is $name", async ({ close, before, usage, kept }) => {
    const session = before === null ? null : `${THREAD}${before}`;
    const { end } = await runFake([{ lines: [begins, result, close] }], { session });
    expect(end.usage).toEqual(usage === null ? null : { input: usage[0], output: usage[1], usd: null });
    expect(end.session).toBe(`${THREAD}${kept}`);
  });

  test("counts a failed turn with the next one", async () => {
    const failed = await runFake([{ lines: [begins, fails("odd")], exit: 1 }], { session: `${THREAD}/60/4` });
    expect(failed.end.usage).toBeNull();
    const next = await runFake([{ lines: [begins, result, completes(100, 10)] }], { session: failed.end.session });
    expect(next.end.usage).toEqual({ input: 40, output: 6, usd: null });
  });

  test("of a different conversation than requested starts at zero", async () => {
    const other = `${THREAD.slice(0, -1)}9`;
    const { end } = await runFake([{ lines: [begins, result, completes(100, 10)] }], { session: `${other}/60/4` });
    expect(end).toMatchObject({ usage: { input: 100, output: 10 }, session: `${THREAD}/100/10` });
  });
});
