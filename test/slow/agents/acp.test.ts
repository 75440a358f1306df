import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemProcessTable } from "../../../src/adapters/process/process-table.ts";
import type { AgentTask } from "../../../src/ports/agent-backend.ts";
import { ACP_RECIPES, withAcpAgent, type AcpSetup } from "../../agent-acp/with-acp-agent.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary } from "../../support/agent-binaries.ts";
import { createSampleRepository } from "./sample-repository.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const DONE: Turn = { json: { status: "done", summary: "Written." } };

/** Differences between the agents. */
const agents = await Promise.all(
  [
    {
      name: "gemini" as const,
      usage: { input: 106, output: 5, usd: null },
      goesOn: "when it was saved in time",
      tellsStatus: true,
      settings: ".gemini/settings.json",
      servers: (mark: string) => ({ mcpServers: { bad: { command: "touch", args: [mark] } } }),
    },
    {
      name: "opencode" as const,
      usage: { input: 106, output: 5, usd: expect.closeTo(0.000116, 9) as number },
      goesOn: "always",
      tellsStatus: false,
      settings: "opencode.json",
      servers: (mark: string) => ({ mcp: { bad: { type: "local", command: ["touch", mark] } } }),
    },
  ].map(async (agent) => ({ ...agent, binary: await agentBinary(ACP_RECIPES[agent.name].agent) })),
);

const alive = (nonce: string) => {
  const table = systemProcessTable();
  return table.all().filter(({ pid }) => table.environment(pid)?.includes(`ISDLC_NONCE=${nonce}`));
};

describe.each(agents)("$name over the Agent Client Protocol", ({ name, binary, usage, goesOn, ...agent }) => {
  let cwd = "";
  let setup: AcpSetup | null = null;

  beforeEach(() => {
    cwd = createSampleRepository();
  });
  afterEach(async () => {
    await setup?.close();
    setup = null;
    removeTemporary(cwd);
  });

  const start = async (...rules: Rule[]): Promise<AcpSetup> => (setup = await withAcpAgent(name, rules));
  const startWith = (...turns: Turn[]) => start({ name: "work", turns });
  const task = (more: Partial<AgentTask> = {}) => agentTask(cwd, more);

  describe.skipIf(!binary.ok)("with a scripted model", () => {
    test("reports the agent's version", async () => {
      const { backend } = await startWith();
      expect(await backend.probe()).toMatchObject({ version: ACP_RECIPES[name].agent.version });
    });

    test("writes a file in a phase and returns a result with usage and session", async () => {
      const file = join(cwd, "docs/overview.md");
      const { backend, model } = await startWith(
        {
          text: "Writing the overview.",
          calls: [{ write: { path: file, content: "# Overview\n" } }],
          usage: { input: 6, output: 3 },
        },
        { json: { status: "done", artifacts: ["docs/overview.md"] }, usage: { input: 100, output: 2 } },
      );
      const { end, progress } = await runBackend(backend, task({ prompt: "PROMPT-MARK", persona: "PERSONA-MARK" }));

      expect(end).toMatchObject({ how: "result", result: { status: "done", artifacts: ["docs/overview.md"] }, usage });
      expect(end.session).toMatch(/./);
      expect(readFileSync(file, "utf8")).toBe("# Overview\n");
      expect(progress[0]).toBe("Writing the overview.");
      expect(progress.slice(1).join()).toContain("docs/overview.md");
      expect(JSON.stringify(model.calls[0]?.request.messages)).toMatch(/PERSONA-MARK.*PROMPT-MARK/);
      expect(model.refused).toEqual([]);
    });

    test("allows reading git, and denies other commands and writes outside the folder", async () => {
      const [touched, outside] = [join(cwd, "touched"), `${cwd}-outside`];
      const { backend, model } = await startWith(
        { calls: [{ shell: `touch ${touched}` }] },
        { calls: [{ write: { path: outside, content: "x" } }] },
        { calls: [{ shell: "git status" }] },
        DONE,
      );
      const { end, progress } = await runBackend(backend, task());
      expect(end).toMatchObject({ how: "result", denied: expect.arrayContaining(["touch touched"]) as string[] });
      expect(progress).toContain("Not allowed: touch touched");
      expect([existsSync(touched), existsSync(outside)]).toEqual([false, false]);
      expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain("nothing to commit");
    });

    test("returns a reviewer's verdict and blocks its writes", async () => {
      const [written, touched] = [join(cwd, "written"), join(cwd, "touched")];
      const verdict = { approved: false, issues: [{ severity: "blocker", description: "No tests." }] };
      const { backend, model } = await startWith(
        { calls: [{ write: { path: written, content: "x" } }] },
        { calls: [{ shell: `touch ${touched}` }] },
        { calls: [{ read: join(cwd, "README.md") }] },
        { json: verdict },
      );
      const { end } = await runBackend(backend, task({ role: "reviewer" }));
      expect(end).toMatchObject({ how: "verdict", verdict });
      expect([existsSync(written), existsSync(touched)]).toEqual([false, false]);
      expect(JSON.stringify(model.calls.at(-1)?.request.messages)).toContain("Sample");
    });

    test("asks again for a missing result, because the protocol has no structured results", async () => {
      const { backend, model } = await startWith({ text: "All is done, believe me." }, DONE);
      const { end, progress } = await runBackend(backend, task());
      expect(end).toMatchObject({ how: "result", result: { summary: "Written." } });
      expect(progress).toContain("Its answer has no valid result; asking again");
      expect(model.calls).toHaveLength(2);
    });

    test("ignores servers and settings of the repository [S4]", async () => {
      const mark = join(cwd, "marked");
      mkdirSync(dirname(join(cwd, agent.settings)), { recursive: true });
      writeFileSync(join(cwd, agent.settings), JSON.stringify(agent.servers(mark)));
      const { backend } = await startWith(DONE);
      expect((await runBackend(backend, task())).end.how).toBe("result");
      expect(existsSync(mark)).toBe(false);
    });

    test("reports a rejected key [R12]", async () => {
      const { backend } = await startWith({ fault: { status: 401, message: "bad key" } });
      const { end } = await runBackend(backend, task());
      expect(end).toMatchObject({ how: "failed", reason: "agent_failed", usage: null });
      const told = agent.tellsStatus ? /bad key.*sign in/ : /bad key/; // one agent reports only the message
      expect(end).toMatchObject({ detail: expect.stringMatching(told) as string, again: !agent.tellsStatus });
    });

    test("ends the agent and its processes after an abort [R9]", async () => {
      const { backend } = await startWith(
        { text: "Working.\n", calls: [{ read: "README.md" }] },
        { fault: { hang: true } },
      );
      const aborted = task();
      const stop = new AbortController();
      const reasons: string[] = [];
      for await (const event of backend.run(aborted, stop.signal)) {
        if (event.type === "end") reasons.push(event.how === "failed" ? event.reason : event.how);
        else stop.abort();
      }
      expect(reasons).toEqual(["aborted"]);
      expect(alive(aborted.nonce)).toEqual([]);
    });

    test("resumes a conversation, or starts a new one if it is missing", async () => {
      const { backend, model } = await start(
        { name: "first", when: { prompt: "FIRST" }, turns: [{ text: "Remember 42." }, DONE] },
        { name: "second", when: { prompt: "SECOND" }, turns: [DONE] },
      );
      const first = (await runBackend(backend, task({ prompt: "FIRST" }))).end;
      const { end, progress } = await runBackend(backend, task({ prompt: "SECOND", session: first.session }));
      expect(end.how).toBe("result");
      const wentOn = end.session === first.session;
      if (goesOn === "always") expect(wentOn).toBe(true);
      expect(progress.includes("The earlier conversation is gone; starting a new one")).toBe(!wentOn);
      expect(JSON.stringify(model.calls.at(-1)?.request.messages).includes("Remember 42.")).toBe(wentOn);
    });
  });
});

/** Mostly waits for the limit; tests run concurrently. */
describe.concurrent.each(agents)("$name over the Agent Client Protocol", ({ name, binary }) => {
  test.skipIf(!binary.ok)(
    "ends a silent agent and its processes if the model never answers [R9, R12]",
    async ({ onTestFinished }) => {
      const cwd = createSampleRepository();
      const setup = await withAcpAgent(name, [{ name: "work", turns: [{ fault: { hang: true } }] }]);
      const { backend, model } = setup;
      onTestFinished(async () => {
        await setup.close();
        removeTemporary(cwd);
      });
      const hanging = agentTask(cwd, { limits: { silence: 25, turns: null, usd: null } });
      const { end } = await runBackend(backend, hanging);
      expect(end).toMatchObject({ how: "failed", reason: "silent", usage: null, again: true });
      expect(model.calls.length).toBeGreaterThan(0);
      expect(alive(hanging.nonce)).toEqual([]);
    },
  );
});
