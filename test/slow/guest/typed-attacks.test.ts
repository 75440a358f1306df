import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isKnownTool } from "../../../src/surfaces/hook/known-tools.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { Sandbox } from "../../support/cli.ts";
import { hasTmux } from "../terminal/terminal.ts";
import {
  atTerminal,
  enter,
  type Guest,
  createClaudeGuest,
  headless,
  planned,
  productSandbox,
  served,
  STATUS,
} from "./claude-session.ts";
import { attackLine, typedAttacks, withAttackTable } from "./typed-attacks.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);
const guide = join(import.meta.dirname, "../../../docs/guides/sessions.md");

type Column = "plain" | "sandbox";

/** File for the output of one attack. In the product's sandbox only the working tree is writable. */
const outFile = ({ base, root }: Sandbox, column: Column, at: number): string =>
  join(column === "plain" ? base : root, "said", String(at));

async function attackingGuest(version: string, column: Column): Promise<Guest> {
  const program = await builtProgram();
  const rules = (sandbox: Sandbox): Rule[] => {
    const turns = typedAttacks.map(({ deed }, at): Turn => {
      const place = { program, root: sandbox.root, out: outFile(sandbox, column, at) };
      return { calls: [{ shell: attackLine(deed, place) }] };
    });
    return [
      planned(sandbox),
      STATUS,
      { name: "forger", when: { prompt: "Have a go" }, turns: [...turns, DONE], past: "repeat" },
    ];
  };
  return createClaudeGuest(version, rules);
}

/** Printed by the server if it accepts a command, and by the program if it opened the debugger. */
const TAKEN = /UserPromptExpansion.{0,9}additionalContext|the debugger is open/;

const DONE: Turn = { text: "Tried all." };

/** Names of all tools in the requests, including those that the product offers later. */
function offeredTools({ setup }: Guest): readonly string[] {
  const requests = setup.model.calls.map(({ request }) => request);
  const later = requests.flatMap(({ messages }) => messages.flatMap(({ text }) => laterTools(text)));
  return [...new Set([...requests.flatMap(({ tools }) => tools), ...later])];
}

function laterTools(text: string): readonly string[] {
  const list = /deferred tools are now available[^\n]*\n((?:[A-Za-z][\w-]*\n?)+)/.exec(text)?.[1] ?? "";
  return list.split("\n").filter((name) => name !== "");
}

const newest = binaries.at(-1);
const cases = [
  ...binaries.map(({ version, binary }) => ({ version, binary, column: "plain" as const })),
  ...(newest === undefined ? [] : [{ ...newest, column: "sandbox" as const }]),
];

describe.each(cases)("Claude Code $version at its open gate ($column)", ({ version, binary, column }) => {
  test.skipIf(!binary.ok || !hasTmux())("accepts typed commands from the user only", async () => {
    const guest = await attackingGuest(version, column);
    const { sandbox, env } = guest;
    await headless(guest, "Go on");
    mkdirSync(dirname(outFile(sandbox, column, 0)));
    if (column === "sandbox")
      writeFileSync(join(env["HOME"] ?? "", ".claude/settings.json"), JSON.stringify(productSandbox(env)));
    const terminal = await atTerminal(guest);
    await served(guest, terminal);
    await enter(terminal, "Have a go");
    await expect.poll(() => terminal.screen(), { timeout: 180_000, interval: 500 }).toContain("Tried all.");
    for (const [at, { deed, reached }] of typedAttacks.entries()) {
      const file = outFile(sandbox, column, at);
      const told = existsSync(file) ? readFileSync(file, "utf8") : "";
      expect(told, deed).toMatch(column === "plain" ? reached : /./);
      expect(told, deed).not.toMatch(TAKEN);
    }
    const holes = typedAttacks.filter(({ plain }) => column === "plain" && plain === "HOLE");
    const answers = (await sandbox.events()).filter(({ type }) => type === "gate.answered");
    expect(answers).toHaveLength(holes.length);
    expect(offeredTools(guest).length).toBeGreaterThan(15);
    expect(offeredTools(guest).filter((name) => !isKnownTool(name))).toEqual([]);
  });
});

test("matches the attack table of the guide", () => {
  const text = readFileSync(guide, "utf8");
  if (process.env["ROGUE_TABLE"] === "write") writeFileSync(guide, withAttackTable(text));
  expect(readFileSync(guide, "utf8")).toBe(withAttackTable(text));
});
