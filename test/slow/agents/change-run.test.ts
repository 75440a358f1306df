import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { ACP_RECIPES, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import { withClaude } from "../../agent-claude/with-claude.ts";
import { withCodex } from "../../agent-codex/with-codex.ts";
import type { IsolatedAgent } from "../../stub-model/isolated-agent.ts";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage, codexPackage } from "../../support/agent-binaries.ts";
import { createSandbox, type Json, parsed, type Sandbox } from "../../support/cli.ts";
import { expectNothingLeft } from "./after-run.ts";
import { changeRules, DEFECT, IS_REVIEWER, FIXED } from "./claude-scripts.ts";

const TITLE = "the greeting lacks its comma";
const NEWEST_CLAUDE = CLAUDE_VERSIONS.at(-1) ?? "";

type Setup = Pick<IsolatedAgent, "env" | "model" | "close">;

/** The settings of opencode are where the person of the sandbox has theirs, and it runs in bubblewrap only. */
async function withOpencode(sandbox: Sandbox, rules: readonly Rule[]): Promise<Setup> {
  const setup = await withAcpAgent("opencode", rules, { isolate: false });
  const { contents } = ACP_RECIPES.opencode.settings(setup.url);
  const file = join(dirname(sandbox.config), "opencode", "opencode.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(contents));
  return { ...setup, env: { ...setup.env, ...ACP_RECIPES.opencode.env(), ISDLC_SANDBOX: "on" } };
}

async function withGemini(rules: readonly Rule[]): Promise<Setup> {
  const setup = await withAcpAgent("gemini", rules);
  return { ...setup, env: { ...setup.env, ...ACP_RECIPES.gemini.env(setup.url) } };
}

const agents = await Promise.all(
  [
    {
      choice: "claude",
      agent: claudePackage(NEWEST_CLAUDE),
      start: (_: Sandbox, rules: readonly Rule[]): Promise<Setup> => withClaude(NEWEST_CLAUDE, rules),
    },
    {
      choice: "codex",
      agent: codexPackage,
      start: (_: Sandbox, rules: readonly Rule[]): Promise<Setup> => withCodex(rules),
    },
    {
      choice: "gemini:gemini-2.5-pro",
      agent: ACP_RECIPES.gemini.agent,
      start: (_: Sandbox, rules: readonly Rule[]): Promise<Setup> => withGemini(rules),
    },
    { choice: "opencode", agent: ACP_RECIPES.opencode.agent, start: withOpencode },
  ].map(async (row) => ({ ...row, binary: await agentBinary(row.agent) })),
);

/** Over the Agent Client Protocol the persona is part of the prompt. */
const REVIEWER: Rule = {
  name: "reviewer over the protocol",
  when: { prompt: IS_REVIEWER },
  turns: [{ json: { approved: true, issues: [], summary: "The next phase can work from this." } }],
};

let setup: Setup | null = null;
afterEach(async () => {
  await setup?.close();
  setup = null;
});

test.each(agents)("a change with $choice goes from the plan to the merge", async ({ choice, start, binary }) => {
  if (!binary.ok) return;
  const sandbox = await createSandbox({ files: DEFECT });
  let folder = "";
  const workFolder = (): string =>
    (folder ||= join(".isdlc/work", readdirSync(join(sandbox.root, ".isdlc/work"))[0] ?? ""));
  setup = await start(sandbox, [REVIEWER, ...changeRules(sandbox.root, workFolder)]);
  const env = { ...setup.env, ISDLC_OPERATOR_TOKEN: sandbox.token };
  const isdlc = async (...args: string[]): Promise<Json> => {
    const outcome = await sandbox.start([...args, "--json"], env).ended;
    return { code: outcome.code, ...parsed(outcome) };
  };
  const first = await isdlc(TITLE, "--agent", choice, "--tests", "trust");
  expect(first).toMatchObject({ code: 3, run: { current: "final-review", waiting: { kind: "gate" } } });
  await isdlc("continue");
  expect(await isdlc("answer", "merge")).toMatchObject({ code: 0, run: { status: "completed", finish: "merge" } });
  expect(sandbox.git("show", "main:src/greeting.js")).toBe(FIXED.trim());
  expectNothingLeft(await sandbox.events());
});

test("a change with a program of one's own goes from the plan to the merge", async () => {
  const sandbox = await createSandbox({ files: { "a.txt": "a\n" } });
  sandbox.plan({ turns: { implement: [{ writes: { "a.txt": "b\n" } }] } });
  const first = parsed(await sandbox.script(TITLE, "--json", ...sandbox.agent));
  expect(first).toMatchObject({ run: { current: "final-review", waiting: { kind: "gate" } } });
  await sandbox.person("continue");
  expect((await sandbox.person("answer", "merge")).code).toBe(0);
  expect(sandbox.git("show", "main:a.txt")).toBe("b");
});
