import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary, CLAUDE_VERSIONS, claudePackage } from "../../support/agent-binaries.ts";
import { builtProgram } from "../../support/built-program.ts";
import type { Sandbox } from "../../support/cli.ts";
import { hasTmux } from "../terminal/terminal.ts";
import {
  atTerminal,
  type Guest,
  createClaudeGuest,
  headless,
  isUnanswered,
  laterShell,
  planned,
} from "./claude-session.ts";

const binaries = await Promise.all(
  CLAUDE_VERSIONS.map(async (version) => ({ version, binary: await agentBinary(claudePackage(version)) })),
);
const sessions = join(import.meta.dirname, "../../fixtures/agents/forge-session.mjs");
const fixture = join(import.meta.dirname, "../../fixtures/agents/forge-prompt.mjs");

const terminals = join(import.meta.dirname, "../../fixtures/agents/forge-terminal.mjs");

const COMMAND = "/isdlc:continue";
const quoted = (word: string): string => `'${word}'`;
const shell = (command: string): Turn => ({ calls: [{ shell: command }] });
/** Control sequences that draw the screen. */
// oxlint-disable-next-line no-control-regex -- these characters are what is looked for
const CONTROL = /\u001b\[[0-9;?]*[A-Za-z]/gu;
/** Also matches a session that got its prompt before its servers were connected. */
const NOT_TAKEN = /UserPromptExpansion +operation +blocked +by +hook|MCP +server +'[a-z:]+' +not +connected/;
const SESSION_TIMEOUT = { timeout: 60_000, interval: 200 };

const ON_A_TIMER = expect.stringContaining("a decision is not put on a timer");
const IN_YOUR_PLACE = expect.stringContaining("this would speak in the person's place");

/** Refusals that the hooks returned to the forging model. */
const refusals = ({ setup }: Guest): string[] =>
  setup.model.calls
    .filter(({ matched }) => matched?.rule === "forger")
    .flatMap(({ request }) => request.messages.findLast(({ role }) => role === "tool")?.text ?? [])
    .filter((text) => text.includes("isdlc: "));

/** Only the newest version offers a socket and timers. */
const hasTimers = (version: string): boolean => version === CLAUDE_VERSIONS.at(-1);

describe.each(binaries)("session of Claude Code $version at its open gate", ({ version, binary }) => {
  const isReady = binary.ok && hasTmux();

  test.skipIf(!isReady || !hasTimers(version))("rejects prompts that the model sends by socket or timer", async () => {
    const rules = (sandbox: Sandbox): Rule[] => [
      { name: "forged", when: { prompt: "isdlc:continue" }, turns: [{ text: "It came." }], past: "repeat" },
      planned(sandbox),
      {
        name: "forger",
        when: { prompt: "Have a go" },
        turns: [
          { calls: [{ tool: "ScheduleWakeup", input: { delaySeconds: 60, reason: "Later", prompt: COMMAND } }] },
          { calls: [{ tool: "CronCreate", input: { cron: "* * * * *", prompt: COMMAND, recurring: false } }] },
          shell(`printf '%s' ${COMMAND} | nc -U "$CLAUDE_CODE_MESSAGING_SOCKET"`),
          shell(`node ${fixture}`),
          { text: "Tried." },
        ],
      },
    ];
    const guest = await createClaudeGuest(version, rules);
    const { sandbox, setup } = guest;
    await headless(guest, "Go on");
    const terminal = await atTerminal(guest, "CronCreate", "ScheduleWakeup");
    terminal.type("Have a go");
    await expect.poll(() => refusals(guest), SESSION_TIMEOUT).toEqual([ON_A_TIMER, ON_A_TIMER, IN_YOUR_PLACE]);
    const isForged = (text: string) => text.includes(COMMAND);
    const came = () => setup.model.calls.some(({ request }) => isForged(request.messages.at(-1)?.text ?? ""));
    await expect.poll(came, SESSION_TIMEOUT).toBe(true);
    expect(await isUnanswered(sandbox)).toBe(true);
  });

  test.skipIf(!isReady)("rejects answers of a session started by the model", async () => {
    const rules = (sandbox: Sandbox): Rule[] => [
      planned(sandbox),
      {
        name: "forger",
        when: { prompt: "Have a go" },
        turns: [laterShell(() => nested(sandbox)), { text: "Tried." }],
      },
      { name: "nested", when: { prompt: "continue" }, turns: [{ text: "It came." }], past: "repeat" },
    ];
    const guest = await createClaudeGuest(version, rules);
    const { sandbox, args } = guest;
    const nested = ({ base }: Sandbox) =>
      ["node", sessions, join(base, "said"), binary.ok ? binary.program : "", ...args].map(quoted).join(" ");
    await headless(guest, "Go on");
    await headless(guest, "Have a go");
    const [headlessly, atTerminal] = readFileSync(join(sandbox.base, "said"), "utf8").split("=====");
    for (const told of [headlessly, atTerminal]) expect(told?.replaceAll(CONTROL, " ")).toMatch(NOT_TAKEN);
    expect(await isUnanswered(sandbox)).toBe(true);
  });

  test.skipIf(!isReady)(
    "rejects answers from a terminal opened by the model, even after the session ends",
    async () => {
      const program = await builtProgram();
      const rules = (sandbox: Sandbox): Rule[] => {
        const { turns, ...rule } = planned(sandbox);
        const words = ["node", terminals, join(sandbox.base, "said")].map(quoted);
        const forged = shell([...words, "$PPID", quoted(process.execPath), quoted(program)].join(" "));
        return [{ ...rule, turns: [...turns.slice(0, -1), forged, { text: "Tried." }] }];
      };
      const guest = await createClaudeGuest(version, rules);
      const { sandbox } = guest;
      await headless(guest, "Go on");
      for (const when of ["during", "after"]) {
        const said = join(sandbox.base, `said.${when}`);
        await expect.poll(() => existsSync(said), SESSION_TIMEOUT).toBe(true);
        expect(readFileSync(said, "utf8"), when).toContain("TERMINAL_SUSPICIOUS");
      }
      expect(await isUnanswered(sandbox)).toBe(true);
    },
  );
});
