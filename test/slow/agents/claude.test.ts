import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClaudeBackend } from "../../../src/adapters/agents/claude/backend.ts";
import { systemProcessTable } from "../../../src/adapters/process/process-table.ts";
import type { AgentBackend, AgentTask } from "../../../src/ports/agent-backend.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import { withClaude } from "../../agent-claude/with-claude.ts";
import type { ClaudeSetup } from "../../agent-claude/with-claude.ts";
import type { Fault, Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import { createSampleRepository } from "./sample-repository.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);

const DONE: Turn = { json: { status: "done", summary: "Written." } };

describe.each(binaries)("claude $version", ({ version, binary }) => {
  let cwd = "";
  let setup: ClaudeSetup | null = null;

  beforeEach(() => {
    cwd = createSampleRepository();
  });
  afterEach(async () => {
    await setup?.close();
    setup = null;
    removeTemporary(cwd);
  });

  const start = async (...rules: Rule[]): Promise<{ backend: AgentBackend; model: ClaudeSetup["model"] }> => {
    setup = await withClaude(version, rules);
    return { backend: createClaudeBackend({ program: "claude", env: setup.env }), model: setup.model };
  };
  const startWith = (...turns: Turn[]) => start({ name: "work", turns });
  const task = (more: Partial<AgentTask> = {}) => agentTask(cwd, more);

  describe.skipIf(!binary.ok)("with a scripted model", () => {
    test("reports the version of the program instead of the package", async () => {
      const { backend } = await startWith();
      expect(await backend.probe()).toMatchObject({ version });
    });

    test("writes a file in a phase and returns a result with usage and session", async () => {
      const file = join(cwd, "docs/overview.md");
      const { backend, model } = await startWith(
        {
          text: "Writing the overview.",
          calls: [{ write: { path: file, content: "# Overview\n" } }],
          usage: { input: 7, output: 3, cacheRead: 11, cacheWrite: 5 },
        },
        {
          json: { status: "done", summary: "Written.", artifacts: ["docs/overview.md"] },
          usage: { input: 100, output: 10 },
        },
      );
      const { end, progress } = await runBackend(backend, task({ prompt: "PROMPT-MARK", persona: "PERSONA-MARK" }));

      expect(end).toMatchObject({ how: "result", result: { status: "done", artifacts: ["docs/overview.md"] } });
      expect(end.usage).toEqual({ input: 123, output: 13, usd: expect.any(Number) as number });
      expect(end.usage?.usd).toBeGreaterThan(0);
      expect(end.session).toMatch(/^[0-9a-f-]{36}$/);
      expect(readFileSync(file, "utf8")).toBe("# Overview\n");
      expect(progress).toEqual(["Writing the overview.", "Write docs/overview.md"]);
      expect(model.calls[0]?.request.system).toContain("PERSONA-MARK");
      expect(JSON.stringify(model.calls[0]?.request.messages)).toContain("PROMPT-MARK");
      expect(model.refused).toEqual([]);
    });

    test("allows reading git, denies writing with it and reports the denial", async () => {
      const written = join(cwd, "dumped");
      const { backend, model } = await startWith(
        { calls: [{ shell: "git log --oneline" }, { shell: `git diff --output=${written} HEAD` }] },
        DONE,
      );
      const { end, progress } = await runBackend(backend, task());
      expect(end.how).toBe("result");
      expect(JSON.stringify(model.calls[1]?.request.messages)).toContain(" first");
      expect(progress.filter((text) => text.startsWith("Not allowed"))).toEqual([
        `Not allowed: Bash git diff --output=${written} HEAD`,
      ]);
      expect(end).toMatchObject({ denied: [`Bash(git diff --output=${written} HEAD)`] });
      expect(existsSync(written)).toBe(false);
    });

    test("runs only the trusted test command and commands allowed by the user's settings [S4]", async () => {
      const { backend } = await startWith(
        {
          calls: ["sh t.sh 'a b'", "sh t.sh c", "sh t.sh 'a b' && sh t.sh d", "sh t.sh e"].map((shell) => ({ shell })),
        },
        DONE,
      );
      writeFileSync(join(cwd, "t.sh"), 'touch "ran $1"\n');
      const home = join(setup?.env["HOME"] ?? "", ".claude");
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, "settings.json"), JSON.stringify({ permissions: { allow: ["Bash(sh t.sh e)"] } }));
      const { end } = await runBackend(backend, task({ tests: ["sh", "t.sh", "a b"] }));
      expect(readdirSync(cwd).filter((name) => name.startsWith("ran"))).toEqual(["ran a b", "ran e"]);
      expect(end).toMatchObject({
        how: "result",
        denied: ["Bash(sh t.sh c)", "Bash(sh t.sh 'a b' && sh t.sh d)"],
      });
    });

    test("runs no hooks, servers or settings of the repository [S4]", async () => {
      const mark = join(cwd, "marked");
      const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `touch ${mark}` }] }] };
      mkdirSync(join(cwd, ".claude"));
      writeFileSync(
        join(cwd, ".claude/settings.json"),
        JSON.stringify({ hooks, env: { ANTHROPIC_BASE_URL: "http://x" } }),
      );
      const mcpServers = { bad: { command: "touch", args: [mark] } };
      writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
      const { backend } = await startWith(DONE);
      expect((await runBackend(backend, task())).end.how).toBe("result");
      expect(existsSync(mark)).toBe(false);
    });

    test("returns a reviewer's verdict and blocks its writes", async () => {
      const [written, touched] = [join(cwd, "written"), join(cwd, "touched")];
      const { backend, model } = await startWith(
        {
          calls: [
            { write: { path: written, content: "x" } },
            { shell: `touch ${touched}` },
            { read: join(cwd, "README.md") },
          ],
        },
        { json: { approved: false, issues: [{ severity: "blocker", description: "No tests." }], summary: "Not yet." } },
      );
      const { end } = await runBackend(backend, task({ role: "reviewer" }));
      expect(end).toMatchObject({
        how: "verdict",
        verdict: { approved: false, issues: [{ severity: "blocker", description: "No tests.", location: null }] },
      });
      expect(existsSync(written) || existsSync(touched)).toBe(false);
      const offered = model.calls[0]?.request.tools ?? [];
      expect(offered).toEqual(expect.arrayContaining(["Read", "Grep", "Glob"]));
      expect(offered.filter((name) => ["Write", "Edit", "Bash", "NotebookEdit", "WebFetch"].includes(name))).toEqual(
        [],
      );
      expect(JSON.stringify(model.calls[1]?.request.messages)).toContain("Sample");
    });

    test("fails without a structured result", async () => {
      const { backend } = await start({ name: "talk", turns: [{ text: "All is done, believe me." }], past: "repeat" });
      const { end } = await runBackend(backend, task());
      expect(end).toMatchObject({ how: "failed", reason: "no_result", again: true });
      expect(end.usage?.input).toBe(200);
    });

    test("rejects results that never match the schema", async () => {
      const { backend } = await start({ name: "bad", turns: [{ json: { status: "perfect" } }], past: "repeat" });
      const { end } = await runBackend(backend, task());
      expect(end).toMatchObject({ how: "failed", reason: "invalid_result", again: true });
    });

    test.each<{ name: string; fault: Fault; again: boolean; told: RegExp }>([
      { name: "500", fault: { status: 500 }, again: true, told: /500/ },
      { name: "529", fault: { status: 529 }, again: true, told: /529/ },
      { name: "429", fault: { status: 429 }, again: true, told: /429/ },
      { name: "401", fault: { status: 401 }, again: false, told: /401.*login/ },
      { name: "400", fault: { status: 400, message: "too odd" }, again: false, told: /too odd/ },
      { name: "a cut stream", fault: { cutAfterEvents: 3 }, again: true, told: /connection/i },
      { name: "a stream without its end", fault: { endAfterEvents: 3 }, again: true, told: /API Error/ },
      { name: "a refused connection", fault: { reset: true }, again: true, told: /ECONNRESET/ },
      { name: "an HTML page of a proxy", fault: { garbage: true }, again: true, told: /malformed/ },
    ])("fails with the reason after $name from the model service [R12]", async ({ fault, again, told }) => {
      const { backend, model } = await startWith({ text: "Hello there", fault });
      const { end } = await runBackend(backend, task());
      expect(end).toMatchObject({
        how: "failed",
        reason: again ? "unavailable" : "agent_failed",
        again,
        detail: expect.stringMatching(told) as string,
      });
      expect(model.calls.length).toBeLessThanOrEqual(8);
    });

    test("recovers from one service error and reports it [R12]", async () => {
      const { backend } = await startWith({ ...DONE, fault: { status: 500, times: 1 } });
      const { end, progress } = await runBackend(backend, task());
      expect(end.how).toBe("result");
      expect(progress).toEqual(["service error 500"]);
    });

    test.each([
      { limit: "turns", limits: { silence: 60, turns: 1, usd: null }, reason: "agent_failed", told: /turns/ },
      { limit: "money", limits: { silence: 60, turns: null, usd: 0.01 }, reason: "over_budget", told: /budget/ },
    ])("ends at the limit on $limit, without a retry", async ({ limits, reason, told }) => {
      const { backend } = await startWith({ calls: [{ shell: "git status" }], usage: { input: 1_000_000 } }, DONE);
      const { end } = await runBackend(backend, task({ limits }));
      expect(end).toMatchObject({
        how: "failed",
        reason,
        again: false,
        detail: expect.stringMatching(told) as string,
        usage: { input: 1_000_000 },
      });
    });

    test("resumes a conversation and counts only this execution's usage", async () => {
      const { backend, model } = await start(
        {
          name: "first",
          when: { prompt: "FIRST" },
          turns: [{ text: "Remember 42.", ...DONE, usage: { input: 1000, output: 5 } }],
        },
        { name: "second", when: { prompt: "SECOND" }, turns: [{ ...DONE, usage: { input: 30, output: 7 } }] },
      );
      const first = (await runBackend(backend, task({ prompt: "FIRST" }))).end;
      const second = (await runBackend(backend, task({ prompt: "SECOND", session: first.session }))).end;
      expect(second).toMatchObject({ how: "result", session: first.session, usage: { input: 30, output: 7 } });
      expect(second.usage?.usd).toBeLessThan(first.usage?.usd ?? 0);
      expect(JSON.stringify(model.calls[1]?.request.messages)).toContain("Remember 42.");
    });

    test("prints how to sign in", async () => {
      const { env } = (await startWith(DONE), setup as ClaudeSetup);
      const backend = createClaudeBackend({ program: "claude", env: { ...env, ANTHROPIC_API_KEY: "" } });
      const detail = expect.stringMatching(/^Not logged in.*Run "claude"/) as string;
      expect((await runBackend(backend, task())).end).toMatchObject({ reason: "agent_failed", again: false, detail });
    });

    test("starts a new conversation if the earlier one is missing", async () => {
      const { backend } = await startWith(DONE);
      const session = "11111111-1111-4111-8111-111111111111";
      const { end, progress } = await runBackend(backend, task({ session }));
      expect(end.how).toBe("result");
      expect(end.session).not.toBe(session);
      expect(progress).toEqual(["The earlier conversation is gone; starting a new one"]);
    });
  });
});

/** Mostly waits for the limit; tests run concurrently. */
describe.concurrent.each(binaries)("claude $version", ({ version, binary }) => {
  test.skipIf(!binary.ok)(
    "ends a silent agent and its processes if the model never answers [R9, R12]",
    async ({ onTestFinished }) => {
      const cwd = createSampleRepository();
      const setup = await withClaude(version, [{ name: "work", turns: [{ fault: { hang: true } }] }]);
      const { env, model } = setup;
      onTestFinished(async () => {
        await setup.close();
        removeTemporary(cwd);
      });
      const hanging = agentTask(cwd, { limits: { silence: 10, turns: null, usd: null } });
      const { end } = await runBackend(createClaudeBackend({ program: "claude", env }), hanging);
      expect(end).toMatchObject({ how: "failed", reason: "silent", usage: null, again: true });
      expect(end.session).toMatch(/^[0-9a-f-]{36}$/);
      expect(model.calls.length).toBeGreaterThan(0);
      const table = systemProcessTable();
      const left = table.all().filter(({ pid }) => table.environment(pid)?.includes(`ISDLC_NONCE=${hanging.nonce}`));
      expect(left).toEqual([]);
    },
  );
});
