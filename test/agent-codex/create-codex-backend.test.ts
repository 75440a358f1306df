import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCodexBackend } from "../../src/adapters/agents/codex/backend.ts";
import { agentNeeds } from "../../src/adapters/sandbox/agent-needs.ts";
import { systemProcessTable } from "../../src/adapters/process/process-table.ts";
import { agentTask } from "../agent-claude/agent-task.ts";
import { runBackend } from "../agent-claude/run-backend.ts";
import { begins, completes, ending, FAKE_CODEX, runFake, says, THREAD } from "./fake-backend.ts";
import type { Sandbox } from "../../src/adapters/process/child-environment.ts";

const good = { lines: ending({ status: "done" }) };
const approved = { lines: ending({ approved: true }) };
const table = systemProcessTable();
const alive = (nonce: string) =>
  table.all().filter(({ pid }) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`));

/** The value of an option, if given. */
const valueOf = (args: readonly string[], option: string) =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;
const settingsOf = (args: readonly string[]) => args.filter((_, at) => args[at - 1] === "-c");
const argumentsOf = async (...given: Parameters<typeof runFake>) => (await runFake(...given)).notes[0]?.args ?? [];

describe("start of the program", () => {
  test("passes the prompt on stdin, not as an argument", async () => {
    const prompt = "--dangerously-bypass-approvals-and-sandbox\nPROMPT 🙂\n".repeat(20_000);
    const { notes } = await runFake([good], { prompt });
    expect(notes[0]?.stdin).toBe(prompt);
    expect(notes[0]?.args.join(" ")).not.toContain("PROMPT");
    expect(notes[0]?.args.at(-1)).toBe("-");
  });

  test("allows writing in a phase, only reading in a review, and never asks", async () => {
    const phase = await argumentsOf([good]);
    const reviewer = await argumentsOf([approved], { role: "reviewer" });
    expect(phase.slice(0, 2)).toEqual(["exec", "--json"]);
    expect(valueOf(phase, "--sandbox")).toBe("workspace-write");
    expect(valueOf(reviewer, "--sandbox")).toBe("read-only");
    for (const args of [phase, reviewer]) {
      expect(args).toEqual(expect.arrayContaining(["--ignore-rules", "--skip-git-repo-check"]));
      expect(args.filter((arg) => arg.includes("dangerously"))).toEqual([]);
      expect(settingsOf(args)).toEqual(
        expect.arrayContaining(['approval_policy="never"', "features.apps=false", "features.plugins=false"]),
      );
    }
  });

  test("declares the folder, its parents and their real paths as untrusted [S4]", async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-trust-")));
    const [real, link] = [join(base, 'it"s real'), join(base, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    const projects = settingsOf(await argumentsOf([good], { cwd: link })).find((text) => text.startsWith("projects="));
    for (const folder of [real, link, base, dirname(base), "/"]) {
      expect(projects).toContain(`${JSON.stringify(folder)}={trust_level="untrusted"}`);
    }
    rmSync(base, { recursive: true });
  });

  test("passes any persona as an instruction", async () => {
    const persona = 'You "design"\nsoftware = true # \\ \u007F';
    const settings = settingsOf(await argumentsOf([good], { persona }));
    expect(settings).toContain(String.raw`developer_instructions="You \"design\"\nsoftware = true # \\ \u007F"`);
    const none = settingsOf(await argumentsOf([good], { persona: "" }));
    expect(none.filter((text) => text.startsWith("developer_instructions"))).toEqual([]);
  });

  test.each([
    {
      role: "phase" as const,
      play: good,
      required: ["status", "summary", "decisions", "artifacts", "questions", "replies"],
    },
    { role: "reviewer" as const, play: approved, required: ["approved", "issues", "summary", "evidence"] },
  ])("passes the strict result schema to a $role", async ({ role, play, required }) => {
    const { notes } = await runFake([play], { role });
    expect(notes[0]?.schema).toMatchObject({ type: "object", required });
    const objects = objectsOf(notes[0]?.schema);
    expect(objects.length).toBeGreaterThan(1);
    for (const { properties, ...rest } of objects) {
      expect(rest).toMatchObject({ additionalProperties: false, required: Object.keys(properties) });
    }
    expect(JSON.stringify(notes[0]?.schema)).not.toMatch(/maxLength|default/);
    expect(existsSync(valueOf(notes[0]?.args ?? [], "--output-schema") ?? "/")).toBe(false);
  });

  test("puts the user's arguments first", async () => {
    const args = await argumentsOf([good], {}, { extraArgs: ["--model", "mine"] });
    expect(args.slice(0, 3)).toEqual(["--model", "mine", "exec"]);
  });

  test("passes the user's environment and markers, but no other ISDLC variable [S11]", async () => {
    const env = { KEPT: "yes", ISDLC_OPERATOR_TOKEN: "isdlc_secret" };
    const { notes } = await runFake([good], { nonce: "n-7" }, { env });
    const seen = notes[0]?.env ?? {};
    expect(seen).toMatchObject({ KEPT: "yes", ISDLC_NONCE: "n-7", ISDLC_AGENT: "1" });
    expect(JSON.stringify(seen)).not.toContain("isdlc_secret");
  });
});

test.each(["phase", "reviewer"] as const)("puts the schema of a %s into Codex's folder in a sandbox", async (role) => {
  const home = mkdtempSync(join(tmpdir(), "isdlc-codex-home-"));
  const places: unknown[] = [];
  const sandbox: Sandbox = (argv, place) => {
    places.push(place);
    return ["/usr/bin/env", "WALL=yes", ...argv];
  };
  const env = { CODEX_HOME: join(home, "new") };
  const { notes } = await runFake([role === "phase" ? good : approved], { role, cwd: home }, { env, sandbox });
  expect(notes[0]?.env).toMatchObject({ WALL: "yes" });
  expect(new Set(places.map((place) => JSON.stringify(place)))).toEqual(
    new Set([JSON.stringify({ cwd: home, access: role === "phase" ? "write" : "read" })]),
  );
  const schema = valueOf(notes[0]?.args ?? [], "--output-schema") ?? "";
  expect(dirname(dirname(schema))).toBe(join(home, "new/log"));
  expect(readdirSync(join(home, "new/log"))).toEqual([]);
  expect(agentNeeds("codex", env, home).make).toContain(join(home, "new/log"));
  rmSync(home, { recursive: true });
});

test.each(["", "own", "./own"])("ignores the relative CODEX_HOME %j", async (CODEX_HOME) => {
  const home = mkdtempSync(join(tmpdir(), "isdlc-codex-home-"));
  const options = { env: { CODEX_HOME, HOME: home }, sandbox: (argv: readonly string[]) => argv };
  const { notes } = await runFake([good], { cwd: home }, options);
  const schema = valueOf(notes[0]?.args ?? [], "--output-schema") ?? "";
  expect(dirname(dirname(schema))).toBe(join(home, ".codex/log"));
  expect(notes[0]?.env["CODEX_HOME"]).toBeUndefined();
  rmSync(home, { recursive: true });
});

describe("conversations", () => {
  const session = `${THREAD}/60/4`;
  const lost = { stderr: `Error: thread/resume failed: no rollout found for thread id ${THREAD}`, exit: 1 };

  test("are continued under the same rules", async () => {
    const { notes } = await runFake([good], { session, access: "read" });
    expect(notes).toHaveLength(1);
    expect(notes[0]?.args.slice(-3)).toEqual(["resume", THREAD, "-"]);
    expect(valueOf(notes[0]?.args ?? [], "--sandbox")).toBe("read-only");
  });

  test("are replaced once if they are missing", async () => {
    const { end, notes, progress } = await runFake([lost, good], { session });
    expect(end).toMatchObject({ how: "result", usage: { input: 100 } });
    expect(notes.map(({ args }) => args.includes("resume"))).toEqual([true, false]);
    expect(progress).toEqual(["The earlier conversation is gone; starting a new one"]);
  });

  test("are not repeated after other failures", async () => {
    const { end, notes } = await runFake([{ lines: [begins], stderr: "crashed", exit: 1 }], { session });
    expect(end).toMatchObject({ how: "failed", reason: "bad_exit", session });
    expect(notes).toHaveLength(1);
  });

  test.each(["", THREAD, `--last/1/1`, "ses_1234", `${THREAD}/-1/2`, `-${THREAD.slice(1)}/1/2`, `${THREAD}/1/2/3`])(
    "are replaced if the id is invalid: %j",
    async (foreign) => {
      const { end, notes } = await runFake([good], { session: foreign });
      expect(notes[0]?.args).not.toContain("resume");
      expect(end).toMatchObject({ usage: { input: 100, output: 10 } });
    },
  );
});

describe("end of an execution", () => {
  test("ends after the silence limit and returns the conversation [R9]", async () => {
    const nonce = `silent-${process.pid}`;
    const limits = { silence: 1, turns: null, usd: null };
    const { end } = await runFake([{ lines: [begins], hang: true }], { nonce, limits });
    expect(end).toMatchObject({ how: "failed", reason: "silent", detail: "it wrote nothing for 1 seconds" });
    expect(end).toMatchObject({ session: `${THREAD}/0/0`, usage: null });
    expect(alive(nonce)).toEqual([]);
  });

  test("reports a missing program as not started", async () => {
    const backend = createCodexBackend({ program: "/no/such/codex", env: process.env });
    const { end } = await runBackend(backend, agentTask("/"));
    expect(end).toMatchObject({ how: "failed", reason: "not_started", again: false, usage: null, session: null });
  });

  test("reports a missing folder as not started", async () => {
    const backend = createCodexBackend({ program: FAKE_CODEX, env: process.env });
    const { end } = await runBackend(backend, agentTask("/no/such/folder"));
    expect(end).toMatchObject({ how: "failed", reason: "not_started" });
  });
});

describe("probe", () => {
  const probe = (program: string, version?: string) =>
    createCodexBackend({ program, env: { ...process.env, FAKE_CODEX_VERSION: version } }).probe();

  test("reports version and abilities", async () => {
    const able = { structuredResult: true, readOnly: true, cost: false, turns: false, budget: false, resumes: true };
    expect(await probe(FAKE_CODEX)).toEqual({ version: "9.9.9", ...able });
  });

  test.each([
    ["/no/such/codex", undefined, /there is no/],
    [FAKE_CODEX, "something else", /something else/],
    [FAKE_CODEX, "", /did not report its version/],
    ["codex-that-is-nowhere", undefined, /on the PATH/],
  ])("reports a problem for %s with version %s", async (program, version, detail) => {
    const problem = { code: "AGENT_MISSING", agent: "codex", detail: expect.stringMatching(detail) as string };
    expect(await probe(program, version)).toEqual(problem);
  });
});

test("includes program and arguments in the digest, but not the environment", () => {
  const digest = (program: string, extraArgs: string[], env = {}) =>
    createCodexBackend({ program, extraArgs, env }).digest;
  expect(digest("codex", ["--model", "x"], { A: "1" })).toBe(digest("codex", ["--model", "x"], { B: "2" }));
  expect(new Set([digest("codex", []), digest("codex2", []), digest("codex", ["--model"])]).size).toBe(3);
});

describe("progress", () => {
  const item = (value: object) => JSON.stringify({ type: "item.completed", item: value });

  test("is one short line without control characters [S7]", async () => {
    const text = `Hi\n\u001B]52;c;ZXZpbA==\u0007there\u202E ${"x".repeat(500)}`;
    const { progress } = await runFake([{ lines: [begins, says(text), ...ending({ status: "done" })] }]);
    expect(progress[0]).toMatch(/^Hi \]52;c;ZXZpbA== there x+…$/);
    expect(progress[0]).toHaveLength(200);
  });

  test("describes actions with relative paths", async () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-progress-")));
    const changes = [
      { path: join(cwd, "src/a.ts"), kind: "add" },
      { path: "/etc/b", kind: "delete" },
    ];
    const command = { type: "command_execution", command: "/bin/zsh -lc 'npm test'" };
    const lines = [
      begins,
      JSON.stringify({ type: "item.started", item: command }),
      item(command),
      item({ type: "file_change", changes }),
      item({ type: "mcp_tool_call", server: "docs", tool: "find" }),
      item({ type: "web_search", query: "zod" }),
      item({ type: "reasoning", text: "hm" }),
      says('{"status":"done"}'),
      completes(),
    ];
    const { progress } = await runFake([{ lines }], { cwd });
    expect(progress).toEqual([
      "Run 'npm test'",
      "File add src/a.ts",
      "File delete /etc/b",
      "Tool docs.find",
      "Search zod",
    ]);
    rmSync(cwd, { recursive: true });
  });
});

describe("calls denied by the sandbox", () => {
  const ran = (command: string, code: number | null, output: string | null) =>
    JSON.stringify({
      type: "item.completed",
      item: { type: "command_execution", command, aggregated_output: output, exit_code: code },
    });
  const readOnly = "touch: cannot touch '/etc/x': Read-only file system\n";
  const deniedBy = async (...lines: string[]) => {
    const { end } = await runFake([{ lines: [begins, ...lines, ...ending({ status: "done" }).slice(1)] }]);
    return end.how === "result" ? end.denied : end;
  };

  test.each([
    { name: "include a write to a read-only path", code: 1, output: readOnly, isTold: true },
    { name: "include an unreachable network", code: 6, output: "curl: (7) Network is unreachable", isTold: true },
    { name: "exclude a successful command", code: 0, output: readOnly, isTold: false },
    { name: "exclude a command that failed for another reason", code: 1, output: "1 test failed", isTold: false },
    { name: "exclude an unfinished command", code: null, output: null, isTold: false },
  ])("$name", async ({ code, output, isTold }) => {
    const denied = await deniedBy(ran("/bin/bash -lc 'touch /etc/x'", code, output));
    expect(denied).toEqual(isTold ? ["'touch /etc/x'"] : undefined);
  });

  test("are listed once each, up to 20", async () => {
    const many = Array.from({ length: 60 }, (_, at) => ran(`touch /etc/${at % 30}`, 1, readOnly));
    expect(await deniedBy(...many)).toEqual(Array.from({ length: 20 }, (_, at) => `touch /etc/${at}`));
  });
});

type SchemaObject = { readonly properties: Record<string, unknown>; readonly required: string[] };

/** All object schemas inside a schema, at any depth. */
function objectsOf(value: unknown): SchemaObject[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap(objectsOf);
  return "properties" in value ? [value as SchemaObject, ...inner] : inner;
}
