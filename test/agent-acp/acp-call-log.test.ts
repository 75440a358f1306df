import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type CallNews, followCalls } from "../../src/adapters/agents/acp/call-log.ts";
import { geminiCalls } from "../../src/adapters/agents/acp/gemini.ts";
import { opencodeCalls } from "../../src/adapters/agents/acp/opencode.ts";

const record = (attributes: object): string => `${JSON.stringify({ hrTime: [1, 2], attributes }, null, 2)}\n`;

test("adds up tokens of Gemini's calls and reports failed ones", () => {
  const home = mkdtempSync(join(tmpdir(), "isdlc-gemini-"));
  const news: CallNews[] = [];
  const calls = followCalls({ log: geminiCalls, env: { HOME: home }, name: "n-1", onNews: (one) => news.push(one) });
  const file = calls.variables["GEMINI_TELEMETRY_OUTFILE"] ?? "";
  expect(calls.variables).toMatchObject({ GEMINI_TELEMETRY_TARGET: "local", GEMINI_TELEMETRY_LOG_PROMPTS: "false" });
  const answered = { "event.name": "gemini_cli.api_response", input_token_count: 1000, output_token_count: 50 };
  appendFileSync(file, record({ "event.name": "gemini_cli.config" }));
  appendFileSync(file, record({ ...answered, thoughts_token_count: 5 }));
  appendFileSync(file, record({ "event.name": "gemini_cli.api_error", status_code: 500, "error.type": "ApiError" }));
  appendFileSync(file, record(answered).slice(0, 40));
  calls.finish();
  expect(news).toEqual([
    { usage: { input: 1000, output: 55, usd: null }, sign: { is: "call" } },
    { usage: null, sign: { is: "trouble", what: "service error 500" } },
  ]);
  expect(calls.used()).toEqual({ input: 1000, output: 55, usd: null });
  expect(existsSync(file)).toBe(false);
  rmSync(home, { recursive: true });
});

test("reports calls and failures from opencode's log, except those for titles", () => {
  const news: CallNews[] = [];
  const calls = followCalls({ log: opencodeCalls, env: {}, name: "n-1", onNews: (one) => news.push(one) });
  const line = (small: boolean) =>
    `timestamp=2026-11-16T05:02:45Z level=ERROR run=8 message="stream error" providerID=p session.id=s small=${small} agent=build error.error="AI_APICallError: scripted failure 500"\n`;
  const begun = line(false)
    .replace("level=ERROR", "level=INFO")
    .replace(/message="stream error"/, "message=stream")
    .replace(/error\.error=.*/, "mode=primary");
  const bytes = Buffer.from(`${begun}${line(true)}${line(false)}level=INFO message=init\n`);
  calls.onStderr(bytes.subarray(0, 100));
  calls.onStderr(bytes.subarray(100));
  calls.finish();
  expect(news).toEqual([
    { usage: null, sign: { is: "asked" } },
    { usage: null, sign: { is: "trouble", what: "scripted failure 500" } },
  ]);
  expect(calls.used()).toBeNull();
});
