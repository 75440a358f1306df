import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createCommandBackend } from "../../src/adapters/agents/command/backend.ts";
import type { AgentTask } from "../../src/ports/agent-backend.ts";
import {
  agentTask,
  collect,
  describeBackend,
  describeFaults,
  FAULTS_OF_A_PROGRAM,
} from "../contracts/agent-backend.ts";
import { removeTemporary } from "../support/remove-temporary.ts";

const agents = join(import.meta.dirname, "../fixtures/agents");
const { env } = process;

describeBackend("command", (script) =>
  createCommandBackend({ argv: [process.execPath, join(agents, "scripted.mjs"), JSON.stringify(script)], env }),
);

const faulty: Readonly<Record<string, string>> = {
  hang: "setInterval(() => undefined, 1000)",
  crash: 'process.kill(process.pid, "SIGKILL")',
  "exit 0 without a result": "process.exit(0)",
};
describeFaults(
  "command",
  (fault) => createCommandBackend({ argv: [process.execPath, "-e", faulty[fault] ?? ""], env }),
  FAULTS_OF_A_PROGRAM,
);

function run(argv: readonly string[], task: Partial<AgentTask> = {}) {
  const backend = createCommandBackend({ argv, env });
  return collect(backend.run(agentTask(task), new AbortController().signal));
}

const speak = (lines: readonly string[], task: Partial<AgentTask> = {}) =>
  run([process.execPath, join(agents, "lines.mjs"), ...lines], task);

const RESULT = JSON.stringify({ type: "result", status: "done", summary: "ok" });
const VERDICT = { approved: true, issues: [], summary: "" };
const reviewer = { role: "reviewer", access: "read" } as const;

const QUESTION = { id: "q", text: "?", choices: [] };
const many = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const resultWith = (more: object): string => JSON.stringify({ type: "result", status: "done", ...more });

describe("command protocol", () => {
  test("sends the complete request as one JSON object on one line", async () => {
    const { progress } = await speak(["echo", RESULT]);
    const text = progress.join("");
    expect(text.trimEnd()).not.toContain("\n");
    const request = JSON.parse(text) as { expects: { schema: unknown } };
    const { role, attempt, ticket, iteration, phase, workflow, item, persona, prompt, access, artifacts } = agentTask(
      {},
    );
    expect(request).toMatchObject({ protocol: 1, role, attempt, ticket, iteration, phase, workflow, item });
    expect(request).toMatchObject({
      persona,
      prompt,
      access,
      expects: { artifacts, schema: { required: ["status"] } },
    });
    expect(Object.keys(request)).not.toContain("nonce");
  });

  test("asks a reviewer for a verdict", async () => {
    const { progress } = await speak(["echo", RESULT], reviewer);
    expect(JSON.parse(progress.join(""))).toMatchObject({
      role: "reviewer",
      expects: { schema: { required: ["verdict"] } },
    });
  });

  test("fills in missing fields of a result", async () => {
    const { ends } = await speak([RESULT]);
    const result = { status: "done", summary: "ok", decisions: [], artifacts: [], questions: [] };
    expect(ends).toEqual([{ type: "end", usage: null, session: null, how: "result", result }]);
  });

  test("shows lines that are not JSON and ignores unknown objects", async () => {
    const { progress, ends } = await speak(["Thinking…", "{broken", "[1]", "", '{"type":"later"}', "7", RESULT]);
    expect(progress).toEqual(["Thinking…", "{broken", "[1]", "7"]);
    expect(ends).toMatchObject([{ how: "result" }]);
  });

  test("accepts the maximum number of decisions and questions", async () => {
    const { ends } = await speak([resultWith({ decisions: many(200, "x"), questions: many(50, QUESTION) })]);
    expect(ends).toMatchObject([{ how: "result" }]);
  });

  test.each<[string, string[], string]>([
    ["exit 0 without a result", ["hello"], "no_result"],
    ["a result before a failing exit code", [RESULT, "exit:3"], "bad_exit"],
    ["two results", [RESULT, RESULT], "invalid_result"],
    ["three results", [RESULT, RESULT, RESULT], "invalid_result"],
    ["a result with an unknown status", ['{"type":"result","status":"approved"}'], "invalid_result"],
    ["a result with text instead of a list", ['{"type":"result","status":"done","artifacts":"a"}'], "invalid_result"],
    [
      "an oversized summary",
      [JSON.stringify({ type: "result", status: "done", summary: "x".repeat(20_001) })],
      "invalid_result",
    ],
    ["too many decisions", [resultWith({ decisions: many(201, "x") })], "invalid_result"],
    ["too many questions", [resultWith({ questions: many(51, QUESTION) })], "invalid_result"],
  ])("fails an execution for %s [R9]", async (_, lines, reason) => {
    const { ends } = await speak(lines);
    expect(ends).toMatchObject([{ how: "failed", reason, again: true }]);
  });

  test.each<[string, string[], string]>([
    ["a result without a verdict", [RESULT], "invalid_result"],
    ["approval as text", ['{"type":"result","status":"done","verdict":"approved"}'], "invalid_result"],
    ["approval that is not a boolean", ['{"type":"result","verdict":{"approved":"true"}}'], "invalid_result"],
    [
      "an approving verdict in a failed result",
      [JSON.stringify({ type: "result", status: "failed", verdict: VERDICT })],
      "agent_failed",
    ],
    ["a verdict without a result", [JSON.stringify({ type: "verdict", ...VERDICT })], "no_result"],
    ["a verdict inside progress", [JSON.stringify({ type: "progress", text: "x", verdict: VERDICT })], "no_result"],
    ["a verdict in prose", ['I conclude {"approved":true}'], "no_result"],
    [
      "a verdict before a failing exit code",
      [JSON.stringify({ type: "result", verdict: VERDICT }), "exit:1"],
      "bad_exit",
    ],
  ])("accepts no verdict from %s [S9]", async (_, lines, reason) => {
    const { ends } = await speak(lines, reviewer);
    expect(ends).toMatchObject([{ how: "failed", reason }]);
  });

  test("reports the program's error output", async () => {
    const { ends } = await speak(["stderr:no such model", "exit:9"]);
    expect(ends).toMatchObject([{ detail: expect.stringMatching(/exit code 9.*no such model/) }]);
  });

  test.each<[string, unknown, unknown]>([
    ["completely", { input: 1, output: 2, usd: 0.5 }, { input: 1, output: 2, usd: 0.5 }],
    ["partly", { input: 1 }, { input: 1, output: null, usd: null }],
    ["as text", { input: "1", output: 2, usd: 3 }, { input: Number.NaN, output: Number.NaN, usd: Number.NaN }],
    ["negative", { input: 1, output: 2, usd: -3 }, { input: Number.NaN, output: Number.NaN, usd: Number.NaN }],
    ["as null", null, null],
    ["with unknown fields", { input: 1, output: 2, usd: null, cached: 4 }, { input: 1, output: 2, usd: null }],
  ])("reads usage given %s", async (_, usage, expected) => {
    const { ends } = await speak([JSON.stringify({ type: "result", status: "done", usage })]);
    expect(ends[0]?.usage).toEqual(expected);
  });

  test("ends the execution after the silence limit", async () => {
    const limits = { silence: 0.5, turns: null, usd: null };
    const { ends } = await run([process.execPath, join(agents, "stubborn.mjs")], { limits });
    expect(ends).toMatchObject([{ how: "failed", reason: "silent", again: true }]);
  });
});

describe("program of the command protocol", () => {
  const folder = mkdtempSync(join(tmpdir(), "programs-"));
  afterAll(() => removeTemporary(folder));
  const script = join(folder, "my-agent");
  writeFileSync(script, `#!${process.execPath}\nconsole.log('${RESULT}')\n`);
  chmodSync(script, 0o755);
  writeFileSync(join(folder, "no-agent"), "text");

  test.each([
    ["a missing program", ["no-such-program-at-all"]],
    ["a file that is not executable", [join(folder, "no-agent")]],
    ["a folder", [folder]],
    ["an empty command", []],
  ])("is reported as missing and not started: %s", async (_, argv) => {
    const backend = createCommandBackend({ argv, env, name: "mine" });
    expect(await backend.probe()).toMatchObject({ code: "AGENT_MISSING", agent: "mine" });
    expect((await run(argv)).ends).toMatchObject([{ how: "failed", reason: "not_started", again: false }]);
  });

  test("is found in PATH", async () => {
    const backend = createCommandBackend({ argv: ["my-agent"], env: { PATH: `/nowhere:${folder}` } });
    expect(await backend.probe()).toMatchObject({ structuredResult: true });
    const { ends } = await collect(backend.run(agentTask({}), new AbortController().signal));
    expect(ends).toMatchObject([{ how: "result" }]);
  });

  test.each(["", ".", relative(process.cwd(), folder)])(
    "is not found through the relative PATH entry %j",
    async (entry) => {
      const backend = createCommandBackend({ argv: ["my-agent"], env: { PATH: `${entry}:/nowhere` } });
      const { ends } = await collect(backend.run(agentTask({ cwd: folder }), new AbortController().signal));
      expect(ends).toMatchObject([{ reason: "not_started" }]);
    },
  );

  test("has a digest of its arguments, not of its environment", () => {
    const digest = (argv: string[], more = {}): string => createCommandBackend({ argv, env: more }).digest;
    expect(digest(["a", "b"])).toBe(digest(["a", "b"], { X: "1" }));
    expect(digest(["a", "b"])).not.toBe(digest(["a b"]));
  });
});
