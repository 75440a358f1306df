import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createAcpBackend } from "../../../src/adapters/agents/acp/backend.ts";
import { acpEnvironment, knownAcpAgent } from "../../../src/adapters/agents/acp/known-agents.ts";
import { createClaudeBackend } from "../../../src/adapters/agents/claude/backend.ts";
import { createCodexBackend } from "../../../src/adapters/agents/codex/backend.ts";
import type { Sandbox } from "../../../src/adapters/process/child-environment.ts";
import { agentNeeds } from "../../../src/adapters/sandbox/agent-needs.ts";
import { createSandbox } from "../../../src/adapters/sandbox/create-sandbox.ts";
import { forwardNetwork } from "../../../src/adapters/sandbox/forwarded-network.ts";
import { sandboxAvailable } from "../../../src/adapters/sandbox/sandbox-available.ts";
import type { AgentBackend } from "../../../src/ports/agent-backend.ts";
import { ACP_RECIPES, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import { agentTask } from "../../agent-claude/agent-task.ts";
import { runBackend } from "../../agent-claude/run-backend.ts";
import { withCodex } from "../../agent-codex/with-codex.ts";
import { isolatedAgent, type IsolatedAgent } from "../../stub-model/isolated-agent.ts";
import type { Rule } from "../../stub-model/scenario.ts";
import {
  type AgentPackage,
  agentBinary,
  CACHE,
  CLAUDE_VERSIONS,
  claudePackage,
  codexPackage,
} from "../../support/agent-binaries.ts";
import { removeTemporary } from "../../support/remove-temporary.ts";

/** Programs use a proxy for this address, unlike for 127.0.0.1. */
const FAR = { isolate: false, host: "127.0.0.2" } as const;

type Started = { readonly setup: IsolatedAgent; readonly backend: (sandbox: Sandbox) => AgentBackend };
type Product = {
  readonly name: string;
  readonly agent: AgentPackage;
  readonly start: (rules: readonly Rule[]) => Promise<Started>;
};

const claude = claudePackage(CLAUDE_VERSIONS.at(-1) ?? "");
const acp = (name: keyof typeof ACP_RECIPES): Product => ({
  name,
  agent: ACP_RECIPES[name].agent,
  async start(rules) {
    const setup = await withAcpAgent(name, rules, FAR);
    const known = knownAcpAgent(name);
    if (known === null) throw new Error(`${name} is not known`);
    const env = acpEnvironment(known, { ...setup.env, ...ACP_RECIPES[name].env(setup.url) });
    const argv = [...known.argv, ...ACP_RECIPES[name].args];
    return { setup, backend: (sandbox) => createAcpBackend({ name, ...known, argv, env, sandbox }) };
  },
});

const products: readonly Product[] = [
  {
    name: "claude",
    agent: claude,
    async start(rules) {
      const setup = await isolatedAgent(claude, rules, FAR);
      const env = {
        ...setup.env,
        ANTHROPIC_BASE_URL: setup.url,
        ANTHROPIC_API_KEY: "no-real-key",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      };
      return { setup, backend: (sandbox) => createClaudeBackend({ program: "claude", env, sandbox }) };
    },
  },
  {
    name: "codex",
    agent: codexPackage,
    async start(rules) {
      const setup = await withCodex(rules, "", FAR);
      return { setup, backend: (sandbox) => createCodexBackend({ program: "codex", env: setup.env, sandbox }) };
    },
  },
  acp("gemini"),
  acp("opencode"),
];

const available = sandboxAvailable(process.env);
const rows = await Promise.all(products.map(async (row) => ({ ...row, binary: await agentBinary(row.agent) })));

let [base, tree] = ["", ""];
let started: Started | null = null;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "isdlc-forwarded-")));
  tree = join(base, "tree");
  mkdirSync(join(tree, ".isdlc"), { recursive: true });
});
afterEach(async () => {
  await started?.setup.close();
  started = null;
  removeTemporary(base);
});

describe.skipIf(!available.ok)("a separate network, forwarded to the model", () => {
  for (const { name, binary, start } of rows)
    test.skipIf(!binary.ok)(`${name} works in it`, async () => {
      const file = join(tree, "overview.md");
      started = await start([
        {
          name: "work",
          turns: [
            { text: "Writing.", calls: [{ write: { path: file, content: "# Overview\n" } }] },
            { json: { status: "done", summary: "Written." } },
          ],
        },
      ]);
      const { setup, backend } = started;
      const sandbox = forwardingSandbox(name, setup);
      const { end } = await runBackend(backend(sandbox), agentTask(tree, { prompt: "Write the overview." }));
      expect(end, JSON.stringify(end)).toMatchObject({ how: "result", result: { status: "done" } });
      expect(existsSync(file) && readFileSync(file, "utf8")).toBe("# Overview\n");
      expect(setup.model.calls.length).toBeGreaterThan(0);
    });
});

function forwardingSandbox(name: string, { home, env, url, program }: IsolatedAgent): Sandbox {
  const made = createSandbox({
    root: tree,
    gitDirs: [],
    documents: null,
    home,
    secret: [],
    needs: agentNeeds(name, env, home),
    extra: { read: [CACHE], write: [] },
    command: [program],
    path: env["PATH"] ?? "",
    bwrap: available.ok ? available.bwrap : "",
    network: () => forwardNetwork({ SERVICE: url }),
  });
  if (!made.ok) throw new Error(made.why);
  return made.sandbox;
}
