import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ACP_RECIPES, type AcpSetup, withAcpAgent } from "../../agent-acp/with-acp-agent.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary } from "../../support/agent-binaries.ts";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { heldClaim } from "./claude-session.ts";
import { featureWork } from "./feature-work.ts";

const GEMINI = ["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p"];
const products = await Promise.all(
  [
    { name: "gemini" as const, words: GEMINI, tool: (name: string) => `mcp_isdlc_${name}` },
    { name: "opencode" as const, words: ["run"], tool: (name: string) => `isdlc_${name}` },
  ].map(async (product) => ({ ...product, binary: await agentBinary(ACP_RECIPES[product.name].agent) })),
);
type Product = (typeof products)[number];

/** Waits in the session's shell until the test lets it continue. */
const waiting = (file: string): Turn => ({ calls: [{ shell: `until [ -e ${file} ]; do sleep 0.2; done` }] });

function rules(sandbox: Sandbox, tool: Product["tool"], signal: string): Rule[] {
  const begin: Turn = { calls: [{ tool: tool("begin"), input: {} }] };
  const report: Turn = {
    calls: [
      {
        tool: tool("report"),
        get input() {
          return { nonce: String(heldClaim(sandbox)?.nonce), summary: "Done" };
        },
      },
    ],
  };
  const work = [featureWork(sandbox), report, { text: "Done." }];
  return [
    { name: "first", when: { prompt: "Go first" }, turns: [begin, waiting(signal), ...work] },
    { name: "second", when: { prompt: "Go second" }, turns: [begin, { text: "Done." }] },
    { name: "work", when: { prompt: "Go on" }, turns: [begin, ...work], past: "repeat" },
  ];
}

type Guest = { readonly sandbox: Sandbox; readonly setup: AcpSetup; readonly env: Readonly<Record<string, string>> };

async function createGuest({ name, tool }: Product, signal: (sandbox: Sandbox) => string): Promise<Guest> {
  const sandbox = await createSandbox();
  const [, command = ""] = sandbox.agent;
  await sandbox.script("add a greeting", "--supervised", "--agent", "session", "--reviewer-command", command);
  const setup = await withAcpAgent(name, rules(sandbox, tool, signal(sandbox)));
  onTestFinished(() => setup.close().catch(() => undefined)); // a session that has just ended may still write notes
  const own = { XDG_CONFIG_HOME: join(setup.home, ".config"), GEMINI_CLI_TRUST_WORKSPACE: "true" };
  const env = { ...sandbox.env, ...setup.env, ...ACP_RECIPES[name].env(setup.url), ...own };
  expect((await sandbox.start(["install", name, "--json"], env).ended).code).toBe(0);
  return { sandbox, setup, env };
}

const session = ({ sandbox, setup, env }: Guest, words: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = execFile(setup.program, words, { cwd: sandbox.root, env }, (error, stdout, stderr) =>
      error === null
        ? resolve()
        : reject(new Error(`${error.message}\n${stdout.slice(-2000)}\n${stderr.slice(-2000)}`)),
    );
    child.stdin?.end();
  });

const toldBy = ({ setup }: Guest, rule: string): string =>
  setup.model.calls
    .filter(({ matched }) => matched?.rule === rule)
    .map(({ request }) => JSON.stringify(request.messages))
    .join("\n");

describe.each(products)("change in sessions of $name", (product) => {
  test.skipIf(!product.binary.ok)("goes through two sessions, a redo and a driver to its merge", async () => {
    const signalIn = ({ base }: Sandbox): string => join(base, "continue");
    const guest = await createGuest(product, signalIn);
    const { sandbox } = guest;
    const first = session(guest, [...product.words, "Go first"]);
    await expect.poll(async () => (await sandbox.status()).session, { interval: 300 }).not.toBeNull();
    await session(guest, [...product.words, "Go second"]);
    expect(toldBy(guest, "second")).toContain("SESSION_HOLDS");
    writeFileSync(signalIn(sandbox), "");
    await first;
    expect(await sandbox.status()).toMatchObject({ current: "plan", waiting: { kind: "gate" } });

    await sandbox.person("redo", "Name the file");
    await session(guest, [...product.words, "Go on"]);
    expect(toldBy(guest, "work")).toContain("REDO GUIDANCE: Name the file");
    await sandbox.person("continue");
    const [option = "", command = ""] = sandbox.agent;
    await sandbox.person("resume", option, command);
    expect(await sandbox.status()).toMatchObject({ current: "implement", waiting: { kind: "gate" } });
    await sandbox.person("resume", "--agent", "session");
    await sandbox.person("continue");

    await session(guest, [...product.words, "Go on"]);
    expect(await sandbox.status()).toMatchObject({ current: "final-review", waiting: { kind: "gate" } });
    await sandbox.person("continue");
    await sandbox.person("answer", "merge");
    expect(sandbox.log().filter(({ role }) => role === "phase")).toHaveLength(1);
    expect(sandbox.git("show", "main:src/by-agent.js")).toContain("implement#1");
  });
});
