import { execFile } from "node:child_process";
import { onTestFinished } from "vitest";
import { withCodex } from "../../agent-codex/with-codex.ts";
import type { IsolatedAgent } from "../../stub-model/isolated-agent.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { heldClaim } from "./claude-session.ts";

/** A user with a repository, a run for a session, and a real Codex with isdlc installed. */
export type CodexGuest = {
  readonly sandbox: Sandbox;
  readonly codex: IsolatedAgent;
  readonly env: Readonly<Record<string, string>>;
};

/** Trusts the hooks and the server's tools, and waits for the server. */
export const TRUSTED = [
  "--dangerously-bypass-hook-trust",
  "-c",
  "mcp_servers.isdlc.required=true",
  "-c",
  'mcp_servers.isdlc.default_tools_approval_mode="approve"',
];

export type GuestOptions = {
  /** Arguments that start the run. */
  readonly start?: readonly string[];
  /** Text for the product's settings file. */
  readonly settings?: string;
  readonly isolate?: boolean;
};

export async function codexGuest(
  rules: (sandbox: Sandbox) => Rule[],
  { start = ["add a greeting"], settings = "", isolate = true }: GuestOptions = {},
): Promise<CodexGuest> {
  const sandbox = await createSandbox();
  const [, command = ""] = sandbox.agent;
  const options = ["--supervised", "--agent", "session", "--reviewer-command", command];
  const started = await sandbox.script(...start, ...options);
  if (started.code !== 0) throw new Error(started.stderr);
  const trusted = `projects = { ${JSON.stringify(sandbox.root)} = { trust_level = "trusted" } }`;
  const codex = await withCodex(rules(sandbox), `${settings}\n${trusted}`, { isolate });
  onTestFinished(() => codex.close().catch(() => undefined)); // a session that has just ended may still write notes
  const env = { ...sandbox.env, ...codex.env };
  const installed = await sandbox.start(["install", "codex", "--json"], env).ended;
  if (installed.code !== 0) throw new Error(installed.stderr);
  return { sandbox, codex, env };
}

/** Runs a session without a terminal that answers one prompt. */
export function codexExec(guest: CodexGuest, sandboxMode: string, prompt: string): Promise<string> {
  const { codex, sandbox, env } = guest;
  const words = ["exec", "--json", ...TRUSTED, "-s", sandboxMode, prompt];
  return new Promise((resolve, reject) => {
    const child = execFile(codex.program, words, { cwd: sandbox.root, env, maxBuffer: 1 << 26 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout.slice(-2000)}`)),
    );
    child.stdin?.end();
  });
}

/** Tool results returned to the model in the turns of a rule. */
export const toldBy = ({ codex }: CodexGuest, rule: string): string[] =>
  codex.model.calls
    .filter(({ matched }) => matched?.rule === rule)
    .map(({ request }) => request.messages.findLast(({ role }) => role === "tool")?.text ?? "");

export const begins: Turn = { calls: [{ tool: "mcp__isdlc.begin", input: {} }] };

export const reports = (sandbox: Sandbox): Turn => ({
  calls: [
    {
      tool: "mcp__isdlc.report",
      get input() {
        return { nonce: String(heldClaim(sandbox)?.nonce), summary: "Done" };
      },
    },
  ],
});
