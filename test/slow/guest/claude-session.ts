import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type ClaudeSetup, withClaude } from "../../agent-claude/with-claude.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { builtProgram } from "../../support/built-program.ts";
import { createSandbox, type Json, type Sandbox } from "../../support/cli.ts";

export const SERVER = "mcp__plugin_isdlc_isdlc__";
const KEY = "sk-ant-api03-dummy-0123456789abcdefghij";

/** A person with a repository, a run that a session is to work on, and a real Claude Code with the plugin. */
export type Guest = {
  readonly sandbox: Sandbox;
  readonly setup: ClaudeSetup;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that give Claude Code the plugin and what it may use. */
  readonly args: readonly string[];
};

export async function guestOf(
  version: string,
  rules: (sandbox: Sandbox) => Rule[],
  start: readonly string[] = ["add a greeting"],
): Promise<Guest> {
  const sandbox = await createSandbox();
  const [, command = ""] = sandbox.agent;
  const options = ["--supervised", "--agent", "session", "--reviewer-command", command];
  const started = await sandbox.script(...start, ...options);
  if (started.code !== 0) throw new Error(started.stderr);
  const setup = await withClaude(version, rules(sandbox));
  onTestFinished(() => setup.close().catch(() => undefined)); // a session that has just ended may still write its notes
  const env: Record<string, string> = { ...sandbox.env, ...setup.env, ANTHROPIC_API_KEY: KEY };
  seedHome(env["HOME"] ?? "", sandbox.root);
  const plugin = join(dirname(dirname(dirname(await builtProgram()))), "plugin");
  const tools = ["begin", "report", "ask", "status", "typed"].map((name) => `${SERVER}${name}`);
  const args = [
    "--permission-mode",
    "default",
    "--plugin-dir",
    plugin,
    "--allowedTools",
    [...tools, "Write", "Bash", "Read", "Skill"].join(","),
  ];
  return { sandbox, setup, env, args };
}

/** One session without a terminal, which answers one prompt and ends. */
export function headless({ setup, sandbox, env, args }: Guest, prompt: string): Promise<string> {
  const words = ["-p", prompt, "--output-format", "stream-json", "--verbose", ...args];
  return new Promise((resolve, reject) => {
    const child = execFile(setup.program, words, { cwd: sandbox.root, env, maxBuffer: 1 << 26 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout.slice(-2000)}`)),
    );
    child.stdin?.end();
  });
}

/** So that the first screens, which nobody needs here, are past. */
function seedHome(home: string, project: string): void {
  const settings = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  };
  writeFileSync(join(home, ".claude.json"), JSON.stringify(settings));
  mkdirSync(join(home, ".claude"), { recursive: true });
}

/** What the session was told with its task; known only once it has begun. */
export function heldClaim({ root }: Sandbox): Json {
  const folder = join(root, ".isdlc/journal");
  const name = readdirSync(folder).find((file) => file.endsWith(".jsonl")) ?? "";
  const lines = readFileSync(join(folder, name), "utf8").trim().split("\n");
  const events: Json[] = lines.flatMap((line) => eventsIn(JSON.parse(line)));
  return events.findLast(({ type, claim }) => type === "execution.started" && claim.session !== undefined)?.claim;
}

const eventsIn = (record: Json): Json[] =>
  (Array.isArray(record) ? record : Object.values(record)).flat().filter((one: Json) => typeof one?.type === "string");

export const begin: Turn = { calls: [{ tool: `${SERVER}begin`, input: {} }] };

export const report = (sandbox: Sandbox): Turn => ({
  calls: [
    {
      tool: `${SERVER}report`,
      get input() {
        return { nonce: String(heldClaim(sandbox)?.nonce), summary: "Done" };
      },
    },
  ],
});

/** Writes a document of the run's own folder, whose name is not known before. */
export const writesDocument = (sandbox: Sandbox, name: string): Turn => ({
  calls: [
    {
      get write() {
        return { path: join(sandbox.root, itemOf(sandbox), name), content: `# ${name}\n` };
      },
    },
  ],
});

function itemOf({ root }: Sandbox): string {
  const marker = join(root, ".isdlc/active");
  return existsSync(marker) ? String(JSON.parse(readFileSync(marker, "utf8")).item) : "";
}
