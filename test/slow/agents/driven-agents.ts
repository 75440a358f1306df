import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ACP_RECIPES, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import { withClaude } from "../../agent-claude/with-claude.ts";
import { withCodex } from "../../agent-codex/with-codex.ts";
import type { IsolatedAgent } from "../../stub-model/isolated-agent.ts";
import type { Rule } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage, codexPackage } from "../../support/agent-binaries.ts";
import type { Sandbox } from "../../support/cli.ts";

const NEWEST_CLAUDE = CLAUDE_VERSIONS.at(-1) ?? "";

export type Setup = Pick<IsolatedAgent, "env" | "model" | "close">;

/** Writes opencode's settings into the sandbox user's home. opencode runs only in bubblewrap. */
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

/** Every agent that isdlc drives, each with a scripted model. */
export const drivenAgents = () =>
  Promise.all(
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
