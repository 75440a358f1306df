import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { isRepositoryHeld } from "../../../src/adapters/agents/acp/known-agents.ts";
import { readChoice } from "../../../src/app/agents/agent-choice.ts";
import { createBackend } from "../../../src/compose/create-backend.ts";
import { ACP_RECIPES, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import { withClaude } from "../../agent-claude/with-claude.ts";
import { withCodex } from "../../agent-codex/with-codex.ts";
import type { IsolatedAgent } from "../../stub-model/isolated-agent.ts";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, claudePackage, codexPackage } from "../../support/agent-binaries.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";
import type { Sandbox } from "../../../src/adapters/process/child-environment.ts";

type Setup = Pick<IsolatedAgent, "env" | "model" | "close">;

const TEXT_RULES: readonly Rule[] = [{ name: "work", turns: [{ json: { status: "done", summary: "Done." } }] }];
const STRUCTURED_RULES: readonly Rule[] = [
  { name: "work", turns: [{ calls: [{ tool: "StructuredOutput", input: { status: "done" } }] }, { text: "Done." }] },
];
const claude = claudePackage("2.1.327");

const agents = await Promise.all(
  [
    { choice: "claude:claude-other-9", agent: claude, start: () => withClaude(claude.version, STRUCTURED_RULES) },
    { choice: "codex:gpt-other", agent: codexPackage, start: () => withCodex(TEXT_RULES) },
    { choice: "gemini:gemini-2.5-flash", agent: ACP_RECIPES.gemini.agent, start: () => withAcp("gemini") },
    { choice: "opencode:scripted/other", agent: ACP_RECIPES.opencode.agent, start: withOtherModel },
  ].map(async (row) => ({ ...row, binary: await agentBinary(row.agent) })),
);

async function withAcp(name: keyof typeof ACP_RECIPES): Promise<IsolatedAgent> {
  const setup = await withAcpAgent(name, TEXT_RULES);
  return { ...setup, env: { ...setup.env, ...ACP_RECIPES[name].env(setup.url) } };
}

/** opencode's settings list the available models. */
async function withOtherModel(): Promise<Setup> {
  const setup = await withAcp("opencode");
  const file = join(setup.home, ACP_RECIPES.opencode.settings(setup.url).file);
  const { models } = ACP_RECIPES.opencode.settings(setup.url).contents.provider.scripted;
  const listed = JSON.stringify({ ...models, other: models.scripted });
  writeFileSync(file, readFileSync(file, "utf8").replace(JSON.stringify(models), listed));
  return setup;
}

/** Some agents refuse to run without a sandbox. Here a pass-through replaces it. */
const wallFor = (name: string): Sandbox | undefined => (isRepositoryHeld(name) ? undefined : (argv) => argv);

let cwd = "";
let setup: Setup | null = null;
beforeEach(() => void (cwd = mkdtempSync(join(tmpdir(), "isdlc-repository-"))));
afterEach(async () => {
  await setup?.close();
  setup = null;
  removeTemporary(cwd);
});

describe.each(agents)("model of $choice", ({ choice, start, binary }) => {
  test.skipIf(!binary.ok)("sends requests to the chosen model", async () => {
    setup = await start();
    const read = readChoice(choice);
    if (!read.ok) throw new Error(read.detail);
    const { end } = await runBackend(
      createBackend(read.agent, setup.env, { sandbox: wallFor(read.agent.name) }),
      agentTask(cwd),
    );
    expect(end).toMatchObject({ how: "result", result: { status: "done" } });
    const asked = setup.model.calls.map(({ request }) => request.model);
    expect(asked).toContain(choice.slice(choice.indexOf(":") + 1).replace("scripted/", ""));
  });
});
