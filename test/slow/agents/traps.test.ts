import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ACP_RECIPES, withAcpAgent, type AcpSetup } from "../../agent-acp/with-acp-agent.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary } from "../../support/agent-binaries.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

const gemini = await agentBinary(ACP_RECIPES.gemini.agent);
const DONE: Turn = { json: { status: "done", summary: "Written." } };

const closings: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closings) await close();
});

async function start(rule: Rule): Promise<AcpSetup & { readonly cwd: string }> {
  const cwd = mkdtempSync(join(tmpdir(), "isdlc-repository-"));
  const setup = await withAcpAgent("gemini", [rule]);
  closings.push(async () => {
    await setup.close();
    removeTemporary(cwd);
  });
  return { ...setup, cwd };
}

/** gemini waits before each retry; tests run concurrently. */
describe.concurrent("gemini", () => {
  test.skipIf(!gemini.ok).each([
    { name: "during a text", text: "All is done, believe me." },
    { name: "during a result", text: '{"status":"done","summary":"Half of it' },
  ])("rejects a stream cut off $name", async ({ text }) => {
    const turns: Turn[] = [{ text, fault: { endAfterEvents: 1 } }];
    const { backend, model, cwd } = await start({ name: "work", turns, past: "repeat" });
    const { end } = await runBackend(backend, agentTask(cwd));
    expect(end).toMatchObject({ how: "failed" });
    expect(model.calls.length).toBeGreaterThan(1);
  });

  test.skipIf(!gemini.ok)("sends every request to the configured model", async () => {
    const { backend, model, cwd } = await start({ name: "work", turns: [DONE] });
    expect((await runBackend(backend, agentTask(cwd))).end.how).toBe("result");
    expect(new Set(model.calls.map(({ request }) => request.model))).toEqual(new Set(["gemini-2.5-pro"]));
    expect(model.refused).toEqual([]);
  });
});
