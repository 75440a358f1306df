import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ACP_RECIPES, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import { isKnownTool } from "../../../src/surfaces/hook/known-tools.ts";
import type { Rule, ScriptedCall, Turn } from "../../stub-model/scenario.ts";
import { agentBinary } from "../../support/agent-binaries.ts";
import { createSandbox, parsed, type Sandbox } from "../../support/cli.ts";
import { heldClaim, writesDocument } from "./claude-session.ts";

const products = await Promise.all(
  [
    {
      name: "gemini" as const,
      words: [...ACP_RECIPES.gemini.args, "--approval-mode", "yolo", "-p", "Go on"],
      tool: (name: string) => `mcp_isdlc_${name}`,
      check: (folder: string) => ["extensions", "validate", folder],
      accepted: /successfully validated/i,
    },
    {
      name: "opencode" as const,
      words: ["run", "Go on"],
      tool: (name: string) => `isdlc_${name}`,
      check: () => ["debug", "config"],
      accepted: /(?=[\s\S]*"isdlc-next")(?=[\s\S]*"isdlc-status")/,
    },
  ].map(async (product) => ({ ...product, binary: await agentBinary(ACP_RECIPES[product.name].agent) })),
);

const shell = (command: string): Turn => ({ calls: [{ shell: command }] });
const write = (path: string): Turn => ({ calls: [{ write: { path, content: "{}" } }] });

/** Forbidden actions of a session, with every kind of tool. */
const tries = ({ root }: Sandbox): Turn[] => [
  write(`${root}/.isdlc/state.json`),
  shell("echo x > .isdlc/state.json"),
  shell("isdlc continue"),
  shell("git commit --allow-empty -m x"),
  write(`${root}/early.ts`),
];

function rulesFor(sandbox: Sandbox, tool: (name: string) => string): Rule[] {
  const reported: ScriptedCall = {
    tool: tool("report"),
    get input() {
      return { nonce: String(heldClaim(sandbox)?.nonce), summary: "Done" };
    },
  };
  const begun: Turn = { calls: [{ tool: tool("begin"), input: {} }] };
  const turns = [
    begun,
    ...tries(sandbox),
    writesDocument(sandbox, "plan.md"),
    { calls: [reported] },
    { text: "Done." },
  ];
  return [{ name: "plan", when: { prompt: "Go on" }, turns }];
}

describe.each(products)("session of $name with isdlc installed", ({ name, words, tool, check, accepted, binary }) => {
  test.skipIf(!binary.ok)("receives its context, is blocked outside its phase and reaches a gate", async () => {
    const sandbox = await createSandbox();
    const [, command = ""] = sandbox.agent;
    await sandbox.script("add a greeting", "--supervised", "--agent", "session", "--reviewer-command", command);
    const setup = await withAcpAgent(name, rulesFor(sandbox, tool));
    onTestFinished(() => setup.close().catch(() => undefined)); // a session that has just ended may still write notes
    const env = {
      ...sandbox.env,
      ...setup.env,
      ...ACP_RECIPES[name].env(setup.url),
      XDG_CONFIG_HOME: join(setup.home, ".config"),
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    };
    expect((await sandbox.start(["install", name, "--json"], env).ended).code).toBe(0);
    await new Promise<void>((resolve, reject) => {
      const child = execFile(setup.program, words, { cwd: sandbox.root, env }, (error, stdout, stderr) =>
        error === null
          ? resolve()
          : reject(new Error(`${error.message}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`)),
      );
      child.stdin?.end();
    });
    const calls = setup.model.calls.filter(({ matched }) => matched?.rule === "plan");
    expect(JSON.stringify(calls[0]?.request)).toContain("Next: isdlc begin");
    expect(calls[0]?.request.tools.filter((offered) => !isKnownTool(offered))).toEqual([]);
    const answers = calls.map(({ request }) => request.messages.findLast(({ role }) => role === "tool")?.text ?? "");
    expect(answers[1]).toContain("phase plan");
    const refusals = answers.slice(2, 2 + tries(sandbox).length);
    for (const [at, refusal] of refusals.entries())
      expect(refusal, JSON.stringify(tries(sandbox)[at])).toMatch(/isdlc: /);
    expect(answers.at(-1)).toContain("Only they decide");
    expect(await sandbox.status()).toMatchObject({ waiting: { kind: "gate" } });
    expect(sandbox.git("status", "--porcelain")).toBe("");
    expect(sandbox.read(".isdlc/reviews/phase-plan-summary.md")).not.toContain("hooks were not seen");
  });

  test.skipIf(!binary.ok)("accepts the installed files by its own check", async () => {
    const sandbox = await createSandbox();
    const setup = await withAcpAgent(name, []);
    onTestFinished(() => setup.close().catch(() => undefined));
    const env = {
      ...sandbox.env,
      ...setup.env,
      ...ACP_RECIPES[name].env(setup.url),
      XDG_CONFIG_HOME: join(setup.home, ".config"),
    };
    const installed = parsed(await sandbox.start(["install", name, "--json"], env).ended);
    const folder = dirname(installed.files[0].file);
    const output = await new Promise<string>((resolve) => {
      execFile(setup.program, check(folder), { cwd: sandbox.root, env }, (_error, stdout, stderr) =>
        resolve(`${stdout}${stderr}`),
      );
    });
    expect(output).toMatch(accepted);
  });
});
