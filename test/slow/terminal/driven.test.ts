import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { MAX_FAILED_CALLS, MAX_IDLE_CALLS } from "../../../src/core/execution-watch.ts";
import { missing } from "../../sandbox/sandbox-fixture.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import { builtProgram } from "../../support/built-program.ts";
import { createSandbox, type Sandbox } from "../../support/cli.ts";
import { withClaude } from "../../agent-claude/with-claude.ts";
import { changeRules, DEFECT, FIXED } from "../agents/claude-scripts.ts";
import { atHome } from "./at-home.ts";
import { hasTmux, openTerminal, type Terminal } from "./terminal.ts";

const NEWEST = CLAUDE_VERSIONS.at(-1) ?? "";
const binary = await agentBinary(claudePackage(NEWEST));
const FAKE_CLAUDE = join(import.meta.dirname, "../../agent-claude/fake-claude.mjs");
const START = '"do it" --tests without --agent claude';
const FILES = { ...DEFECT, "page-1.md": "# One\n", "page-2.md": "# Two\n", "page-3.md": "# Three\n" };

let close: (() => Promise<void>) | null = null;
afterEach(async () => {
  await close?.();
  close = null;
});

type Driven = { readonly sandbox: Sandbox; readonly terminal: Terminal };

/** A user whose Claude Code has a scripted model. */
async function atDriven(rules: (sandbox: Sandbox) => readonly Rule[]): Promise<Driven> {
  const sandbox = await createSandbox({ files: FILES });
  const setup = await withClaude(NEWEST, rules(sandbox));
  close = () => setup.close();
  const { PATH = "", ...env } = setup.env;
  const terminal = await openTerminal({ ...sandbox, env: { ...sandbox.env, PATH } }, { env, width: 100 });
  return { sandbox, terminal };
}

/** A user whose Claude Code prints only these lines. */
async function atSaying(lines: readonly object[]): Promise<Driven> {
  const sandbox = await createSandbox();
  writeFileSync(join(sandbox.config, "config.json"), JSON.stringify({ "agent-variables": ["FAKE_CLAUDE"] }));
  const plays = [{ lines: lines.map((line) => JSON.stringify(line)), hang: true }];
  const env = { ISDLC_CLAUDE: FAKE_CLAUDE, FAKE_CLAUDE: JSON.stringify({ plays }) };
  return { sandbox, terminal: await openTerminal(sandbox, { env, width: 100 }) };
}

const retry = { type: "system", subtype: "api_retry", attempt: 1, max_retries: 99, error_status: 500 };
const times = <T>(count: number, make: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, number) => make(number));
const answer = (number: number): object => ({
  type: "assistant",
  message: {
    id: `m${number}`,
    content: [{ type: "text", text: "Thinking." }],
    usage: { input_tokens: 100, output_tokens: 1 },
  },
});

/** Joins wrapped lines of the screen. */
const joined = (seen: string): string => seen.replaceAll(/\s*\n\s*/g, " ");

describe.skipIf(!hasTmux())("failing agent at a terminal", () => {
  test("counts model service errors on the status line", async () => {
    const { terminal } = await atSaying(times(MAX_FAILED_CALLS - 1, () => retry));
    terminal.isdlc(START);
    await terminal.shows(`retrying (${MAX_FAILED_CALLS - 1}), service error 500`);
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(130);
  });

  test("ends the execution after too many service errors, with the reason", async () => {
    const { terminal } = await atSaying(times(MAX_FAILED_CALLS, () => retry));
    terminal.isdlc(START);
    expect(joined(await terminal.shows("What should happen?"))).toContain(
      "the agent did not finish its work (unavailable): The model service failed 12 times in a row: service error 500.",
    );
  });

  test("ends an agent that calls the model repeatedly without progress, and records its usage", async () => {
    const { terminal, sandbox } = await atSaying(times(MAX_IDLE_CALLS, answer));
    terminal.isdlc(START);
    expect(joined(await terminal.shows("What should happen?"))).toContain(
      "(no progress): It asked the model 25 times in a row without a tool result or a written file.",
    );
    terminal.press("Enter");
    await terminal.shows("[exit 3]");
    const ended = (await sandbox.events()).find(({ type }) => type === "execution.ended");
    expect(ended).toMatchObject({
      reason: expect.stringMatching(/^no_progress: /),
      usage: { input: 2500, output: 25 },
    });
  });

  test.skipIf(!binary.ok)("names a model that does not exist", async () => {
    const fault: Turn = { fault: { status: 404, message: "model nope not found" } };
    const { terminal } = await atDriven(() => [{ name: "missing", turns: [fault], past: "repeat" }]);
    terminal.isdlc(`${START}:nope`);
    expect(joined(await terminal.shows("What should happen?"))).toMatch(/the agent did not finish[^]*\bnope\b/);
  });
});

describe.skipIf(!hasTmux() || !binary.ok)("driver mode at a terminal", () => {
  test("takes a change from plan to merge", async () => {
    let folder = "";
    const { sandbox, terminal } = await atDriven(({ root }) =>
      changeRules(root, () => (folder ||= join(".isdlc/work", readdirSync(join(root, ".isdlc/work"))[0] ?? ""))),
    );
    terminal.isdlc('"the greeting lacks its comma" --agent claude --tests trust');
    for (const step of ["✓ made plan.md", "✓ npm test passed ·", "✓ committed"]) await terminal.shows(step);
    const gate = await terminal.shows("Your choice (C R D B V E T Q):");
    expect(gate).toMatch(/✗ tests: npm test ended with exit code 1 · a greeting has its comma[^]*✓ npm test passed/);
    expect(gate).toContain("Reviewer (Implementation): approved after 1 review, no open findings");
    terminal.press("c");
    await terminal.shows("Merge, open a pull request, or keep the branch?");
    terminal.press("Down", "Enter");
    expect(await terminal.shows("[exit 0]")).toMatch(/Merged into main as [0-9a-f]{12}\./);
    expect(sandbox.git("show", "main:src/greeting.js")).toBe(FIXED.trim());
  });

  test("asks about the budget while the execution is running", async () => {
    const usage = { input: 400, output: 50 };
    const { terminal } = await atDriven(({ root }) => [
      {
        name: "reads",
        turns: [1, 2, 3].map((page) => ({ calls: [{ read: join(root, `page-${page}.md`) }], usage })),
        past: "repeat",
      },
    ]);
    terminal.isdlc(`${START} --max-tokens 1000`);
    // A call in progress when the agent was stopped may have been served.
    expect(joined(await terminal.shows("What should happen?"))).toMatch(
      /The budget (?:is spent: 1350 of 1000 tokens|would be exceeded: 900 of 1000 tokens spent, and the next step takes about 450 tokens)\./,
    );
  });

  test("lists the agent's denied actions with its failure", async () => {
    const { terminal } = await atDriven(() => [
      {
        name: "refused",
        turns: [
          { calls: [{ tool: "Bash", input: { command: "curl https://example.org" } }] },
          { calls: [{ tool: "StructuredOutput", input: { status: "failed", summary: "No network." } }] },
          { text: "Done." },
        ],
      },
    ]);
    terminal.isdlc(START);
    expect(await terminal.shows("What should happen?")).toMatch(
      / {2}No network\.\n {2}Not allowed: Bash\(curl https:\/\/example\.org\)\n/,
    );
  });
});

/** An agent that runs isdlc commands and reports their output. */
const ASKER = `
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
let input = "";
for await (const chunk of process.stdin) input += chunk;
for (const verb of ["status", "continue"]) {
  const { stdout, stderr } = spawnSync(process.execPath, [process.argv[2], verb], { encoding: "utf8" });
  for (const line of (stdout + stderr).split("\\n")) console.log(JSON.stringify({ type: "progress", text: line }));
}
for (const path of JSON.parse(input).expects.artifacts) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "# Plan\\n");
}
console.log(JSON.stringify({ type: "result", status: "done", summary: "Asked." }));
`;

describe.skipIf(!hasTmux() || missing !== null)("sandboxed agent at a terminal", () => {
  test("reads the run status and cannot answer the gate", async () => {
    const { sandbox, terminal } = await atHome({ env: { ISDLC_SANDBOX: "on" }, width: 100 });
    const asker = join(sandbox.base, "asker.mjs");
    writeFileSync(asker, ASKER);
    const command = `${process.execPath} ${asker} ${await builtProgram()}`;
    terminal.isdlc(`"do it" --supervised --verbose --tests without --agent-command "${command}"`);
    const seen = await terminal.shows("Your choice (");
    expect(seen).toContain("change: do it");
    expect(joined(seen)).toContain(
      'ANSWERED_BY_AGENT: "continue" is a person\'s decision, and this call comes from an agent',
    );
  });
});
