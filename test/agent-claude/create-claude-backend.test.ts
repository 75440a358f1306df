import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createClaudeBackend } from "../../src/adapters/agents/claude/backend.ts";
import { systemProcessTable } from "../../src/adapters/process/process-table.ts";
import { agentTask } from "./agent-task.ts";
import { FAKE_CLAUDE, resultLine, runFake } from "./fake-backend.ts";
import type { Play } from "./run-stand-in.ts";
import { runBackend } from "./run-backend.ts";

const good = resultLine({ structured_output: { status: "done" } });
const approved = resultLine({ structured_output: { approved: true } });
const NOT_OURS = "--resume requires a valid session ID or session title";
const limits = { silence: 60, turns: null, usd: null };
const table = systemProcessTable();
const alive = (nonce: string) =>
  table.all().filter(({ pid }) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`));

/** The value of an option, if given. */
const valueOf = (args: readonly string[], option: string) =>
  args.includes(option) ? args[args.indexOf(option) + 1] : undefined;

describe("start of the program", () => {
  test("passes the prompt on stdin, not as an argument", async () => {
    const prompt = "--dangerously-skip-permissions\nPROMPT 🙂\n".repeat(20_000);
    const { notes } = await runFake([{ lines: [good] }], { prompt });
    expect(notes[0]?.stdin).toBe(prompt);
    expect(notes[0]?.args.join(" ")).not.toContain("PROMPT");
  });

  test("allows edits in a phase, only reading in a review, and no repository settings", async () => {
    const phase = (await runFake([{ lines: [good] }])).notes[0]?.args ?? [];
    const reviewer = (await runFake([{ lines: [approved] }], { role: "reviewer" })).notes[0]?.args ?? [];
    expect(phase.slice(0, 4)).toEqual(["-p", "--output-format", "stream-json", "--verbose"]);
    expect(valueOf(phase, "--permission-mode")).toBe("acceptEdits");
    expect(valueOf(phase, "--tools")).toBeUndefined();
    expect(valueOf(reviewer, "--permission-mode")).toBe("dontAsk");
    expect(valueOf(reviewer, "--tools")).toBe("Read,Grep,Glob");
    expect(reviewer, "none of the person's servers").toContain("--strict-mcp-config");
    for (const args of [phase, reviewer]) {
      expect(valueOf(args, "--setting-sources")).toBe("user");
      expect(valueOf(args, "--append-system-prompt")).toBe("You design software.");
      expect(args).not.toContain("--allowedTools");
    }
  });

  test.each([
    { role: "phase" as const, line: good, required: ["status"] },
    { role: "reviewer" as const, line: approved, required: ["approved"] },
  ])("passes the result schema to a $role", async ({ role, line, required }) => {
    const { notes } = await runFake([{ lines: [line] }], { role });
    const schema = JSON.parse(valueOf(notes[0]?.args ?? [], "--json-schema") ?? "") as object;
    expect(schema).toMatchObject({ type: "object", required });
  });

  test("passes limits only if they are set", async () => {
    const free = (await runFake([{ lines: [good] }])).notes[0]?.args ?? [];
    const bound =
      (await runFake([{ lines: [good] }], { limits: { silence: 60, turns: 7, usd: 0.5 } })).notes[0]?.args ?? [];
    expect([valueOf(free, "--max-turns"), valueOf(free, "--max-budget-usd")]).toEqual([undefined, undefined]);
    expect([valueOf(bound, "--max-turns"), valueOf(bound, "--max-budget-usd")]).toEqual(["7", "0.5"]);
  });

  test("puts the user's arguments first", async () => {
    const { notes } = await runFake([{ lines: [good] }], {}, { extraArgs: ["--model", "haiku"] });
    expect(notes[0]?.args.slice(0, 3)).toEqual(["--model", "haiku", "-p"]);
  });

  test.each([
    ["is limited by default", undefined, "7"],
    ["can be set by the user", "9", "9"],
  ])("limits the agent's own retries: their number %s", async (_, given, seen) => {
    const { notes } = await runFake([{ lines: [good] }], {}, { env: { CLAUDE_CODE_MAX_RETRIES: given } });
    expect(notes[0]?.env["CLAUDE_CODE_MAX_RETRIES"]).toBe(seen);
  });

  test("passes the user's environment and markers, but no other ISDLC variable [S11]", async () => {
    const env = { KEPT: "yes", ISDLC_OPERATOR_TOKEN: "isdlc_secret" };
    const { notes } = await runFake([{ lines: [good] }], { nonce: "n-7" }, { env });
    const seen = notes[0]?.env ?? {};
    expect(seen).toMatchObject({ KEPT: "yes", ISDLC_NONCE: "n-7", ISDLC_AGENT: "1" });
    expect(JSON.stringify(seen)).not.toContain("isdlc_secret");
  });
});

describe("conversations", () => {
  const session = "11111111-1111-4111-8111-111111111111";
  const lost = resultLine({
    subtype: "error_during_execution",
    is_error: true,
    num_turns: 0,
    errors: [`No conversation found with session ID: ${session}`],
  });

  test("have unique ids", async () => {
    const ids = [await runFake([{ lines: [good] }]), await runFake([{ lines: [good] }])].map(({ notes }) =>
      valueOf(notes[0]?.args ?? [], "--session-id"),
    );
    expect(ids[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test("are continued by id", async () => {
    const { notes } = await runFake([{ lines: [good] }], { session });
    expect(notes).toHaveLength(1);
    expect(valueOf(notes[0]?.args ?? [], "--resume")).toBe(session);
    expect(valueOf(notes[0]?.args ?? [], "--session-id")).toBeUndefined();
  });

  test("are replaced once if they are missing", async () => {
    const { end, notes } = await runFake([{ lines: [lost], exit: 1 }, { lines: [good] }], { session });
    expect(end.how).toBe("result");
    expect(notes.map(({ args }) => valueOf(args, "--resume"))).toEqual([session, undefined]);
  });

  test.each(["01a1dfa9-0000-7000-8000-000000000001/60/4", "ses_1234", "My refactoring", ""])(
    "starts a new conversation for %j, because --resume accepts titles too",
    async (foreign) => {
      const { end, notes, progress } = await runFake([{ lines: [good] }], { session: foreign });
      expect(end.how).toBe("result");
      expect(notes.map(({ args }) => valueOf(args, "--resume"))).toEqual([undefined]);
      expect(progress).toEqual(["The earlier conversation is gone; starting a new one"]);
    },
  );

  test.each<[string, Play]>([
    ["in a result", { lines: [resultLine({ is_error: true, num_turns: 0, errors: [`Error: ${NOT_OURS}`] })], exit: 1 }],
    ["on stderr only", { stderr: `Error: ${NOT_OURS} when used with --print.`, exit: 1 }],
  ])("are replaced if the id is refused %s", async (_, refusal) => {
    const { end, notes } = await runFake([refusal, { lines: [good] }], { session });
    expect(end.how).toBe("result");
    expect(notes).toHaveLength(2);
  });

  test("are not repeated after other failures", async () => {
    const crash = resultLine({ subtype: "error_during_execution", is_error: true, num_turns: 3, errors: ["crashed"] });
    const { end, notes } = await runFake([{ lines: [crash], exit: 1 }], { session });
    expect(end).toMatchObject({ how: "failed", detail: "crashed" });
    expect(notes).toHaveLength(1);
  });
});

describe("end of an execution", () => {
  const init = JSON.stringify({ type: "system", subtype: "init", session_id: "s-9" });

  test("ends after the silence limit and returns the conversation [R9]", async () => {
    const nonce = `silent-${process.pid}`;
    const play = { lines: [init], hang: true };
    const { end } = await runFake([play], { nonce, limits: { ...limits, silence: 1 } });
    expect(end).toMatchObject({
      how: "failed",
      reason: "silent",
      detail: "it wrote nothing for 1 seconds",
      session: "s-9",
    });
    expect(alive(nonce)).toEqual([]);
  });

  test.each(["abort", "leave"] as const)("leaves no process after %s [R9]", async (way) => {
    const nonce = `${way}-${process.pid}`;
    const cwd = mkdtempSync(join(tmpdir(), "isdlc-fake-claude-"));
    const line = JSON.stringify({ type: "assistant", message: { content: [{ type: "text", text: "Working." }] } });
    const env = {
      ...process.env,
      FAKE_CLAUDE: JSON.stringify({ notes: join(cwd, "n"), plays: [{ lines: [line], hang: true }] }),
    };
    const stop = new AbortController();
    const reasons: string[] = [];
    for await (const event of createClaudeBackend({ program: FAKE_CLAUDE, env }).run(
      agentTask(cwd, { nonce }),
      stop.signal,
    )) {
      if (event.type === "end") reasons.push(event.how === "failed" ? event.reason : event.how);
      else expect(alive(nonce)).toHaveLength(1);
      if (way === "leave") break;
      stop.abort();
    }
    expect(reasons).toEqual(way === "abort" ? ["aborted"] : []);
    expect(alive(nonce)).toEqual([]);
    rmSync(cwd, { recursive: true });
  });

  test("reports a missing program as not started", async () => {
    const backend = createClaudeBackend({ program: "/no/such/claude", env: process.env });
    const { end } = await runBackend(backend, agentTask("/"));
    expect(end).toMatchObject({ how: "failed", reason: "not_started", again: false, usage: null, session: null });
  });
});

describe("probe", () => {
  const probe = (program: string, version?: string) =>
    createClaudeBackend({ program, env: { ...process.env, FAKE_CLAUDE_VERSION: version } }).probe();

  test("reports version and abilities", async () => {
    const able = { structuredResult: true, readOnly: true, cost: true, turns: true, budget: true, resumes: true };
    expect(await probe(FAKE_CLAUDE)).toEqual({ version: "9.9.9", ...able });
  });

  test.each([
    ["/no/such/claude", undefined, /there is no/],
    [FAKE_CLAUDE, "something else", /something else/],
    [FAKE_CLAUDE, "", /did not report its version/],
    ["claude-that-is-nowhere", undefined, /on the PATH/],
  ])("reports a problem for %s with version %s", async (program, version, detail) => {
    const problem = { code: "AGENT_MISSING", agent: "claude", detail: expect.stringMatching(detail) as string };
    expect(await probe(program, version)).toEqual(problem);
  });
});

test("includes program and arguments in the digest, but not the environment", () => {
  const digest = (program: string, extraArgs: string[], env = {}) =>
    createClaudeBackend({ program, extraArgs, env }).digest;
  expect(digest("claude", ["--model", "x"], { A: "1" })).toBe(digest("claude", ["--model", "x"], { B: "2" }));
  expect(new Set([digest("claude", []), digest("claude2", []), digest("claude", ["--model"])]).size).toBe(3);
});

test("shows progress as one short line without control characters [S7]", async () => {
  const text = `Hi\n\u001B]52;c;ZXZpbA==\u0007there\u202E ${"x".repeat(500)}`;
  const content = [
    { type: "text", text },
    { type: "tool_use", name: "Write", input: { file_path: "/p/src/a.ts" } },
  ];
  const line = JSON.stringify({ type: "assistant", message: { content } });
  const { progress } = await runFake([{ lines: [line, good] }]);
  expect(progress[0]).toMatch(/^Hi \]52;c;ZXZpbA== there x+…$/);
  expect(progress[0]).toHaveLength(200);
  expect(progress[1]).toBe("Write /p/src/a.ts");
});
