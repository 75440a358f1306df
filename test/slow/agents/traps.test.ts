import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ACP_RECIPES, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import type { Turn } from "../../stub-model/scenario.ts";
import { agentBinary } from "../../support/agent-binaries.ts";

const gemini = await agentBinary(ACP_RECIPES.gemini.agent);
const DONE: Turn = { json: { status: "done", summary: "Written." } };

let cwd = "";
const closings: (() => Promise<void>)[] = [];
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), "isdlc-repository-"))));
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
  rmSync(cwd, { recursive: true, force: true });
});

describe("gemini", () => {
  test.skipIf(!gemini.ok).each([
    { name: "in the middle of a text", text: "All is done, believe me." },
    { name: "in the middle of a result", text: '{"status":"done","summary":"Half of it' },
  ])("trap: a stream that ends early is taken for a whole answer: $name it is no result", async ({ text }) => {
    const setup = await withAcpAgent("gemini", [
      { name: "work", turns: [{ text, fault: { endAfterEvents: 1 } }], past: "repeat" },
    ]);
    closings.push(() => setup.close());
    const { end } = await runBackend(setup.backend, agentTask(cwd));
    expect(end).toMatchObject({ how: "failed" });
    expect(setup.model.calls.length).toBeGreaterThan(1);
  });

  test.skipIf(!gemini.ok)(
    "trap: without a model it asks another one which to take: named, it asks that one only",
    async () => {
      const setup = await withAcpAgent("gemini", [{ name: "work", turns: [DONE] }]);
      closings.push(() => setup.close());
      expect((await runBackend(setup.backend, agentTask(cwd))).end.how).toBe("result");
      expect(new Set(setup.model.calls.map(({ request }) => request.model))).toEqual(new Set(["gemini-2.5-pro"]));
      expect(setup.model.refused).toEqual([]);
    },
  );
});
