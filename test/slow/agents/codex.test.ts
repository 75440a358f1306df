import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCodexBackend } from "../../../src/adapters/agents/codex/backend.ts";
import { systemProcessTable } from "../../../src/adapters/process/process-table.ts";
import type { AgentBackend, AgentTask } from "../../../src/ports/agent-backend.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import { withCodex } from "../../agent-codex/with-codex.ts";
import { describeBackend } from "../../contracts/agent-backend.ts";
import type { IsolatedAgent } from "../../stub-model/isolated-agent.ts";
import type { Fault, Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary, codexPackage } from "../../support/agent-binaries.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const binary = await agentBinary(codexPackage);

const DONE: Turn = { json: { status: "done", summary: "Written." } };

let cwd = "";
const setups: IsolatedAgent[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "isdlc-repository-"));
  writeFileSync(join(cwd, "README.md"), "# Sample\n");
});
afterEach(async () => {
  for (const setup of setups.splice(0)) await setup.close();
  removeTemporary(cwd);
});

type CodexSetup = { readonly backend: AgentBackend; readonly model: IsolatedAgent["model"]; readonly home: string };

async function start(...rules: Rule[]): Promise<CodexSetup> {
  const setup = await withCodex(rules);
  setups.push(setup);
  const backend = createCodexBackend({ program: "codex", env: setup.env });
  return { backend, model: setup.model, home: join(setup.home, ".codex") };
}
const startWith = (...turns: Turn[]) => start({ name: "work", turns });
const task = (more: Partial<AgentTask> = {}) => agentTask(cwd, more);
const alive = (nonce: string) => {
  const table = systemProcessTable();
  return table.all().filter(({ pid }) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`));
};

describe.skipIf(!binary.ok)("codex 0.169.0 with a scripted model", () => {
  describeBackend("codex", async (script) => {
    const { backend } = await startWith(
      ...script.says.map((text) => ({ text, calls: [{ shell: "true" }] })),
      ...script.writes.map(({ path, contents }) => ({ calls: [{ write: { path, content: contents } }] })),
      script.hangs ? { fault: { hang: true } } : toTurn(script.result ?? script.verdict),
    );
    return backend;
  });

  test("reports the version and abilities", async () => {
    const { backend } = await startWith();
    const able = { structuredResult: true, readOnly: true, cost: false, turns: false, budget: false, resumes: true };
    expect(await backend.probe()).toEqual({ version: "0.169.0", ...able });
  });

  test("writes a file in a phase and returns a result with usage and session", async () => {
    const file = join(cwd, "docs/overview.md");
    const { backend, model } = await startWith(
      {
        text: "Writing the overview.",
        calls: [{ write: { path: file, content: "# Overview\n" } }],
        usage: { input: 7, output: 3, cacheRead: 11 },
      },
      { json: { status: "done", artifacts: ["docs/overview.md"] }, usage: { input: 100, output: 10 } },
    );
    const persona = 'PERSONA-MARK "quoted"\n= # \\ é';
    const { end, progress } = await runBackend(backend, task({ prompt: "PROMPT-MARK", persona }));

    expect(end).toMatchObject({ how: "result", result: { status: "done", artifacts: ["docs/overview.md"] } });
    expect(end.usage).toEqual({ input: 118, output: 13, usd: null });
    expect(readFileSync(file, "utf8")).toBe("# Overview\n");
    expect(progress).toContain("Writing the overview.");
    expect(model.calls[0]?.request.system).toContain(persona);
    expect(model.calls[0]?.request.messages.at(-1)).toMatchObject({ role: "user", text: "PROMPT-MARK" });
    expect(model.refused).toEqual([]);
  });

  test("returns a reviewer's verdict and blocks its writes, even for root", async () => {
    const [written, touched] = [join(cwd, "written"), join(cwd, "touched")];
    const issue = { severity: "blocker", description: "No tests.", location: null };
    const { backend, model } = await startWith(
      { calls: [{ write: { path: written, content: "x" } }, { shell: `touch ${touched}` }, { read: "README.md" }] },
      { json: { approved: false, issues: [issue], summary: "Not yet." } },
    );
    const { end } = await runBackend(backend, task({ role: "reviewer" }));
    expect(end).toMatchObject({ how: "verdict", verdict: { approved: false, issues: [issue] } });
    expect(existsSync(written) || existsSync(touched)).toBe(false);
    const seen = JSON.stringify(model.calls[1]?.request.messages);
    expect(seen).toContain("Read-only file system");
    expect(seen).toContain("# Sample");
  });

  test("limits the writes of a phase to its folder, except .git", async () => {
    const outside = mkdtempSync("/var/tmp/isdlc-outside-");
    mkdirSync(join(cwd, ".git"));
    const { backend, model } = await startWith(
      // codex does not report a command that fails immediately
      { calls: [{ shell: `sleep 0.5; touch ${outside}/a` }, { shell: "touch .git/a" }, { shell: "touch b" }] },
      DONE,
    );
    const { end } = await runBackend(backend, task());
    const denied = expect.arrayContaining([`'sleep 0.5; touch ${outside}/a'`]) as string[];
    expect(end).toMatchObject({ how: "result", denied });
    expect([join(outside, "a"), join(cwd, ".git/a"), join(cwd, "b")].map(existsSync)).toEqual([false, false, true]);
    expect(JSON.stringify(model.calls[1]?.request.messages).match(/Read-only file system/g)).toHaveLength(2);
    removeTemporary(outside);
  });

  test.each<{ name: string; fault: Fault; again: boolean; told: RegExp }>([
    { name: "500", fault: { status: 500 }, again: true, told: /high demand/ },
    { name: "429", fault: { status: 429 }, again: true, told: /429/ },
    { name: "401", fault: { status: 401 }, again: false, told: /401.*codex login/ },
    { name: "400", fault: { status: 400, message: "too odd" }, again: false, told: /too odd/ },
    { name: "a cut stream", fault: { cutAfterEvents: 3 }, again: true, told: /stream disconnected/ },
    { name: "a stream without its end", fault: { endAfterEvents: 3 }, again: true, told: /before response\.completed/ },
    { name: "a reset connection", fault: { reset: true }, again: true, told: /error sending request/ },
    { name: "an HTML page of a proxy", fault: { garbage: true }, again: true, told: /stream disconnected/ },
  ])("fails with the reason after $name from the model service [R12]", async ({ fault, again, told }) => {
    const { backend, model } = await startWith({ text: "Hello there", fault });
    const { end } = await runBackend(backend, task());
    const reason = again ? "unavailable" : "agent_failed";
    expect(end).toMatchObject({ how: "failed", reason, again, usage: null });
    expect(end).toMatchObject({ detail: expect.stringMatching(told) as string });
    expect(model.calls.length).toBeLessThanOrEqual(8);
  });

  test("ends a silent agent and its processes if the model never answers [R9, R12]", async () => {
    const { backend, model } = await startWith({ fault: { hang: true } });
    const hanging = task({ limits: { silence: 8, turns: null, usd: null } });
    const { end } = await runBackend(backend, hanging);
    expect(end).toMatchObject({ how: "failed", reason: "silent", usage: null, again: true });
    expect(end.session).toMatch(/^[0-9a-f-]{36}\/0\/0$/);
    expect(model.calls.length).toBeGreaterThan(0);
    expect(alive(hanging.nonce)).toEqual([]);
  });

  test("ends processes left behind by the agent, including native children [R9]", async () => {
    const { backend, model } = await startWith(
      { calls: [{ shell: "nohup setsid sleep 1000 >/dev/null 2>&1 & env | grep ISDLC_" }] },
      DONE,
    );
    const leaving = task();
    expect((await runBackend(backend, leaving)).end.how).toBe("result");
    expect(JSON.stringify(model.calls[1]?.request.messages)).toContain(`ISDLC_NONCE=${leaving.nonce}`);
    expect(alive(leaving.nonce)).toEqual([]);
  });

  test("starts a new conversation if the earlier one is missing", async () => {
    const { backend } = await startWith(DONE);
    const session = "11111111-1111-4111-8111-111111111111/60/4";
    const { end, progress } = await runBackend(backend, task({ session }));
    expect(end).toMatchObject({ how: "result", usage: { input: 100, output: 10 } });
    expect(end.session?.slice(0, 36)).not.toBe(session.slice(0, 36));
    expect(progress[0]).toBe("The earlier conversation is gone; starting a new one");
  });
});

describe.skipIf(!binary.ok)("traps of codex 0.169.0", () => {
  test("starts within 4 seconds, without apps and plugins", async () => {
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const { backend } = await startWith(DONE);
      const begun = performance.now();
      expect((await runBackend(backend, task())).end.how).toBe("result");
      times.push(performance.now() - begun);
    }
    expect(Math.min(...times)).toBeLessThan(4000);
  });

  test("sends the whole prompt and closes stdin", async () => {
    const { backend, model } = await startWith(DONE);
    const prompt = `${"All of it. ".repeat(30_000)}LAST-WORD`;
    expect((await runBackend(backend, task({ prompt }))).end.how).toBe("result");
    expect(model.calls[0]?.request.messages.at(-1)?.text).toBe(prompt);
  });

  test("validates the result itself and sends a strict schema", async () => {
    const { backend, model } = await startWith({ json: { status: "perfect" } });
    const { end } = await runBackend(backend, task());
    expect(end).toMatchObject({ how: "failed", reason: "invalid_result", again: true, usage: { input: 100 } });
    expect(model.calls[0]?.body).toMatchObject({
      text: { format: { type: "json_schema", strict: true, schema: { additionalProperties: false } } },
    });
  });

  test.each(["All is done, believe me.", '{"status":"done"', ""])(
    "fails without a result after a completed turn that says %j",
    async (text) => {
      const { backend } = await startWith({ text });
      const { end } = await runBackend(backend, task());
      expect(end).toMatchObject({ how: "failed", reason: "no_result", again: true });
    },
  );

  test("reports error items as progress if the turn completes", async () => {
    const { backend } = await startWith({ ...DONE, fault: { cutAfterEvents: 3, times: 1 } });
    const { end, progress } = await runBackend(backend, task());
    expect(end.how).toBe("result");
    expect(progress.at(-1)).toMatch(/high demand|stream disconnected/);
  });

  test("counts only this execution's usage in a resumed conversation", async () => {
    const { backend, model } = await start(
      { name: "first", when: { prompt: "FIRST" }, turns: [{ ...DONE, usage: { input: 1000, output: 5 } }] },
      { name: "broken", when: { prompt: "BROKEN" }, turns: [{ fault: { status: 400 } }] },
      { name: "second", when: { prompt: "SECOND" }, turns: [{ ...DONE, usage: { input: 30, output: 7 } }] },
    );
    const first = (await runBackend(backend, task({ prompt: "FIRST" }))).end;
    expect(first.usage).toEqual({ input: 1000, output: 5, usd: null });
    const broken = (await runBackend(backend, task({ prompt: "BROKEN", session: first.session }))).end;
    expect(broken).toMatchObject({ how: "failed", usage: null, session: first.session });
    const second = (await runBackend(backend, task({ prompt: "SECOND", session: broken.session }))).end;
    expect(second).toMatchObject({ how: "result", usage: { input: 30, output: 7, usd: null } });
    expect(second.session?.slice(0, 36)).toBe(first.session?.slice(0, 36));
    expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain("Written.");
  });

  test("removes write access from a conversation resumed by a reviewer", async () => {
    const verdict = { approved: true, issues: [], summary: "" };
    const { backend } = await start(
      { name: "writes", when: { prompt: "WRITE" }, turns: [{ calls: [{ shell: "touch a" }] }, DONE] },
      { name: "reads", when: { prompt: "READ" }, turns: [{ calls: [{ shell: "touch b" }] }, { json: verdict }] },
    );
    const { session } = (await runBackend(backend, task({ prompt: "WRITE" }))).end;
    const { end } = await runBackend(backend, task({ prompt: "READ", role: "reviewer", session }));
    expect(end.how).toBe("verdict");
    expect(["a", "b"].map((name) => existsSync(join(cwd, name)))).toEqual([true, false]);
  });

  test("ignores rules that run a command outside the sandbox", async () => {
    const { backend, home } = await startWith(
      { calls: [{ shell: "touch ruled" }] },
      { json: { approved: true, issues: [], summary: "" } },
    );
    mkdirSync(join(home, "rules"));
    writeFileSync(join(home, "rules/default.rules"), 'prefix_rule(pattern=["touch"], decision="allow")\n');
    expect((await runBackend(backend, task({ role: "reviewer" }))).end.how).toBe("verdict");
    expect(existsSync(join(cwd, "ruled"))).toBe(false);
  });

  test.each(["the folder", "a subfolder"])(
    "ignores hooks, servers and instructions of a trusted folder, in %s [S4]",
    async (place) => {
      const mark = join(cwd, "marked");
      const inner = place === "the folder" ? cwd : join(cwd, "inner");
      for (const folder of new Set([cwd, inner])) writeHostileSettings(folder, mark);
      execFileSync("git", ["init", "-q", cwd]);
      const { backend, model, home } = await startWith(DONE);
      const settings = readFileSync(join(home, "config.toml"), "utf8");
      writeFileSync(join(home, "config.toml"), `${settings}\n[projects."${cwd}"]\ntrust_level = "trusted"\n`);
      expect((await runBackend(backend, task({ cwd: inner, persona: "" }))).end.how).toBe("result");
      expect(model.calls[0]?.request.system).not.toContain("HOSTILE");
      expect(existsSync(mark)).toBe(false);
    },
  );
});

function toTurn(answer: unknown): Turn {
  return answer === null ? { text: "bye" } : { json: answer };
}

/** Writes a server and a hook that leave a mark, and instructions. */
function writeHostileSettings(folder: string, mark: string): void {
  mkdirSync(join(folder, ".codex"), { recursive: true });
  const server = `[mcp_servers.bad]\ncommand = "touch"\nargs = ["${mark}"]\n`;
  writeFileSync(join(folder, ".codex/config.toml"), `developer_instructions = "HOSTILE"\n${server}`);
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: `touch ${mark}` }] }] };
  writeFileSync(join(folder, ".codex/hooks.json"), JSON.stringify({ hooks }));
}
