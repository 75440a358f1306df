import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createClaudeBackend } from "../../../src/adapters/agent-claude/create-claude-backend.ts";
import type { Confine } from "../../../src/adapters/process/confine.ts";
import { ACP_RECIPES, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import { withClaude } from "../../agent-claude/with-claude.ts";
import type { Turn } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";

const claudes = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);
const gemini = await agentBinary(ACP_RECIPES.gemini.agent);
const DONE: Turn = { json: { status: "done", summary: "Written." } };

let cwd = "";
const closings: (() => Promise<void>)[] = [];
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), "isdlc-repository-"))));
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
  rmSync(cwd, { recursive: true, force: true });
});

describe.each(claudes)("claude $version", ({ version, binary }) => {
  const unmoved: Confine = (argv) => argv;
  test.skipIf(!binary.ok).each([
    { name: "behind a wall it may", confine: unmoved, ran: true },
    { name: "without a wall nobody may", confine: undefined, ran: false },
  ])("trap: root may not bypass permissions unless it says it is in a sandbox: $name", async ({ confine, ran }) => {
    const setup = await withClaude(version, [{ name: "work", turns: [{ calls: [{ shell: "sh make.sh" }] }, DONE] }]);
    writeFileSync(join(cwd, "make.sh"), "touch ran\n");
    closings.push(() => setup.close());
    const backend = createClaudeBackend({ program: "claude", env: setup.env, confine, bypass: true });
    const { end } = await runBackend(backend, agentTask(cwd));
    expect(end.how).toBe("result");
    expect(existsSync(join(cwd, "ran"))).toBe(ran);
    expect("denied" in end).toBe(!ran);
  });
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
