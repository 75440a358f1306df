import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { type ClaudeSetup, withClaude } from "../../agent-claude/with-claude.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { builtProgram } from "../../support/built-program.ts";
import { createSandbox, type Json, type Sandbox } from "../../support/cli.ts";
import { openTerminal, type Terminal } from "../terminal/terminal.ts";

export const SERVER = "mcp__plugin_isdlc_isdlc__";
const KEY = "sk-ant-api03-dummy-0123456789abcdefghij";

/** A user with a repository, a run for a session, and a real Claude Code with the plugin. */
export type Guest = {
  readonly sandbox: Sandbox;
  readonly setup: ClaudeSetup;
  readonly env: Readonly<Record<string, string>>;
  /** Arguments that load the plugin and allow its tools. */
  readonly args: readonly string[];
};

export async function createClaudeGuest(
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
  onTestFinished(() => setup.close().catch(() => undefined)); // a session that has just ended may still write notes
  const env: Record<string, string> = { ...sandbox.env, ...setup.env, ANTHROPIC_API_KEY: KEY };
  seedHome(env["HOME"] ?? "", sandbox.root);
  const plugin = dirname(dirname(dirname(await builtProgram())));
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

/** Runs a session without a terminal that answers one prompt. */
export function headless({ setup, sandbox, env, args }: Guest, prompt: string): Promise<string> {
  const words = ["-p", prompt, "--output-format", "stream-json", "--verbose", ...args];
  return new Promise((resolve, reject) => {
    const child = execFile(setup.program, words, { cwd: sandbox.root, env, maxBuffer: 1 << 26 }, (error, stdout) =>
      error === null ? resolve(stdout) : reject(new Error(`${error.message}\n${stdout.slice(-2000)}`)),
    );
    child.stdin?.end();
  });
}

/** Opens a session at a terminal, ready for typed input. `more` are further arguments. */
export async function atTerminal(guest: Guest, ...more: string[]): Promise<Terminal> {
  const { sandbox, setup, env, args } = guest;
  const terminal = await openTerminal(sandbox, { env, width: 160 });
  terminal.type([setup.program, ...args, ...more].map((word) => `'${word}'`).join(" "));
  await terminal.shows("❯");
  return terminal;
}

/** Tool results returned to the model in the turns of a rule. */
export const said = ({ setup }: Guest, rule: string): string[] =>
  setup.model.calls
    .filter(({ matched }) => matched?.rule === rule)
    .map(({ request }) => request.messages.findLast(({ role }) => role === "tool")?.text ?? "");

/** Answers a session's request for the run's status. */
export const STATUS: Rule = {
  name: "status",
  when: { prompt: /Call the tool .{1,4}status/ },
  turns: [{ calls: [{ tool: `${SERVER}status`, input: {} }] }, { text: "Status told." }],
};

/** Milliseconds until a typed line must be shown, before it counts as lost. */
const SHOWN_WITHIN = 5000;
const MAX_TYPING_ATTEMPTS = 12;

/**
 * Types a line, checks that it is shown before it presses Enter, and types it again if it was lost: the product
 * ignores keys at the end of a turn. Removes text that the product restored into its prompt.
 */
export async function enter(terminal: Terminal, line: string): Promise<void> {
  for (let tries = 1; !(await isTyped(terminal, line)); tries++)
    if (tries === MAX_TYPING_ATTEMPTS) throw new Error(`The terminal never showed ${line}:\n${terminal.screen()}`);
  terminal.press("Enter");
}

async function isTyped(terminal: Terminal, line: string): Promise<boolean> {
  terminal.press("C-u");
  terminal.press("-l", line);
  for (const until = performance.now() + SHOWN_WITHIN; performance.now() < until; await delay(50))
    if (terminal.screen().includes(line)) return true;
  return false;
}

/** The product connects to its servers some time after its first screen. */
export async function served(guest: Guest, terminal: Terminal): Promise<void> {
  const asked = (): number => said(guest, "status").length;
  do {
    const before = asked();
    await enter(terminal, "/isdlc:status");
    await expect.poll(asked, { timeout: 60_000, interval: 100 }).toBe(before + 2); // the call, and the message after it
    await terminal.shows("Status told.");
  } while (said(guest, "status").at(-1)?.includes("No such tool") === true);
}

/** Skips the product's first screens. */
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

/** Claim of the session, known only after its first call. */
export function heldClaim({ root }: Sandbox): Json {
  const folder = join(root, ".isdlc/journal");
  const name = readdirSync(folder).find((file) => file.endsWith(".jsonl")) ?? "";
  const lines = readFileSync(join(folder, name), "utf8").trim().split("\n");
  const events: Json[] = lines.flatMap((line) => eventsIn(JSON.parse(line)));
  return events.findLast(({ type, claim }) => type === "execution.started" && claim.session !== undefined)?.claim;
}

const eventsIn = (record: Json): Json[] =>
  (Array.isArray(record) ? record : Object.values(record)).flat().filter((one: Json) => typeof one?.type === "string");

/** Runs a shell line that is known only after the session started. */
export const laterShell = (line: () => string): Turn => ({
  calls: [
    {
      get shell() {
        return line();
      },
    },
  ],
});

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

/** Works up to the gate of the plan. */
export const planned = (sandbox: Sandbox): Rule => ({
  name: "plan",
  when: { prompt: "Go on" },
  turns: [begin, writesDocument(sandbox, "plan.md"), report(sandbox), { text: "The gate is open." }],
});

/** True if the journal has no answer and the gate is still open. */
export async function isUnanswered(sandbox: Sandbox): Promise<boolean> {
  const answers = (await sandbox.events()).filter(({ type }) => type === "gate.answered");
  return answers.length === 0 && (await sandbox.status()).waiting?.kind === "gate";
}

/** Writes a document into the run's folder, whose name is not known in advance. */
export const writesDocument = (sandbox: Sandbox, name: string): Turn => ({
  calls: [
    {
      get write() {
        return { path: join(sandbox.root, readItem(sandbox), name), content: `# ${name}\n` };
      },
    },
  ],
});

function readItem({ root }: Sandbox): string {
  const marker = join(root, ".isdlc/active");
  return existsSync(marker) ? String(JSON.parse(readFileSync(marker, "utf8")).item) : "";
}

/** Settings of Claude Code's sandbox with this user's folders. */
export const productSandbox = (env: Readonly<Record<string, string>>): Json => ({
  sandbox: {
    enabled: true,
    failIfUnavailable: true,
    allowUnsandboxedCommands: false,
    filesystem: {
      denyRead: [env["XDG_CONFIG_HOME"], env["XDG_STATE_HOME"]].map((folder) => join(folder ?? "", "isdlc")),
      denyWrite: ["./.isdlc", "./.git"],
    },
  },
});
