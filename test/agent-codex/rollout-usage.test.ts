import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createRolloutUsage } from "../../src/adapters/agents/codex/usage.ts";
import { THREAD, begins, fails, runFake } from "./fake-backend.ts";

const noted = (input: number, output: number): string =>
  JSON.stringify({
    type: "event_msg",
    payload: { type: "token_count", info: { total_token_usage: { input_tokens: input, output_tokens: output } } },
  });

test("reads usage of a conversation from Codex's growing log", () => {
  const home = mkdtempSync(join(tmpdir(), "isdlc-codex-"));
  const usage = createRolloutUsage(home);
  expect(usage.look(THREAD)).toBeNull();
  const day = join(home, "sessions/2026/11/16");
  mkdirSync(join(home, "sessions/2026/11/17"), { recursive: true });
  mkdirSync(day, { recursive: true });
  const file = join(day, `rollout-2026-11-16T04-55-28-${THREAD}.jsonl`);
  appendFileSync(file, '{"type":"session_meta"}\n');
  expect(usage.look(THREAD)).toBeNull();
  appendFileSync(file, `${noted(1000, 50)}\n${noted(2500, 90).slice(0, 30)}`);
  expect(usage.look(THREAD)).toEqual({ input: 1000, output: 50 });
  appendFileSync(
    file,
    `${noted(2500, 90).slice(30)}\n{"type":"event_msg","payload":{"type":"token_count","info":null}}\n`,
  );
  expect(usage.look(THREAD)).toEqual({ input: 2500, output: 90 });
  expect(usage.look("another")).toBeNull();
  rmSync(home, { recursive: true });
});

test("reads usage of a failed turn from its log and continues from there", async () => {
  const home = mkdtempSync(join(tmpdir(), "isdlc-codex-"));
  const path = join(home, "sessions/2026/11/16", `rollout-x-${THREAD}.jsonl`);
  const play = { lines: [begins, fails("high demand")], writes: [{ path, contents: `${noted(1000, 50)}\n` }], exit: 1 };
  const { end } = await runFake([play], {}, { env: { CODEX_HOME: home } });
  expect(end).toMatchObject({
    how: "failed",
    usage: { input: 1000, output: 50, usd: null },
    session: `${THREAD}/1000/50`,
  });
  rmSync(home, { recursive: true });
});
