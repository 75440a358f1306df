import { describe, expect, test } from "vitest";
import { isKnownTool } from "../../../src/surfaces/hook/known-tools.ts";
import type { Rule, Turn } from "../../stub-model/scenario.ts";
import { agentBinary, codexPackage } from "../../support/agent-binaries.ts";
import type { Sandbox } from "../../support/cli.ts";
import { hasTmux, openTerminal } from "../terminal/terminal.ts";
import { isUnanswered, writesDocument } from "./claude-session.ts";
import { begins, codexExec, codexGuest, reports, toldBy, TRUSTED } from "./codex-session.ts";

const binary = await agentBinary(codexPackage);
const SESSION_TIMEOUT = { timeout: 60_000, interval: 200 };
const shell = (command: string): Turn => ({ calls: [{ shell: command }] });

/** Commands forbidden to a session. */
const FORBIDDEN_COMMANDS = [
  "echo x > .isdlc/state.json",
  "isdlc continue",
  "git commit --allow-empty -m x",
  "echo x > early.ts",
  "codex queue --thread $CODEX_THREAD_ID --message /isdlc:continue",
];

/** Starts its phase, tries every forbidden command, then does the work and reports it. */
const planning = (sandbox: Sandbox, ...after: Turn[]): Rule => ({
  name: "plan",
  when: { prompt: "Go on" },
  turns: [
    begins,
    ...FORBIDDEN_COMMANDS.map(shell),
    writesDocument(sandbox, "plan.md"),
    reports(sandbox),
    ...after,
    { text: "The person decides now." },
  ],
  past: "repeat",
});

function expectRefusals(answers: readonly string[]): void {
  expect(answers[1]).toContain("phase plan");
  for (const [at, what] of FORBIDDEN_COMMANDS.entries()) expect(answers[at + 2], what).toMatch(/isdlc: /);
  expect(answers[FORBIDDEN_COMMANDS.length + 3]).toContain("Only they decide");
}

describe.skipIf(!binary.ok)("session of Codex with isdlc installed", () => {
  test("receives its context, is blocked outside its phase and reaches a gate", async () => {
    const guest = await codexGuest((sandbox) => [planning(sandbox)]);
    await codexExec(guest, "workspace-write", "Go on");
    const [first] = guest.codex.model.calls;
    expect(JSON.stringify(first?.request)).toContain("Next: isdlc begin");
    expectRefusals(toldBy(guest, "plan"));
    expect(first?.request.tools.filter((name) => !isKnownTool(name))).toEqual([]);
    expect(await isUnanswered(guest.sandbox)).toBe(true);
    expect(guest.sandbox.git("status", "--porcelain")).toBe("");
    expect(guest.sandbox.read(".isdlc/reviews/phase-plan-summary.md")).not.toContain("hooks were not seen");
  });

  test.skipIf(!hasTmux())("reaches the gate in its interactive interface", async () => {
    const guest = await codexGuest((sandbox) => [planning(sandbox)]);
    const { codex, sandbox, env } = guest;
    const terminal = await openTerminal(sandbox, { env, width: 160 });
    terminal.type([codex.program, ...TRUSTED, "-s", "workspace-write", "Go on"].map((word) => `'${word}'`).join(" "));
    await terminal.shows("The person decides now.");
    expectRefusals(toldBy(guest, "plan"));
    expect(await isUnanswered(sandbox)).toBe(true);
  });

  test.skipIf(!hasTmux())("rejects a message that its model queues past the hooks", async () => {
    const message = Buffer.from("/isdlc:continue").toString("base64");
    const queue = `${binary.ok ? binary.program : ""} queue --thread $CODEX_THREAD_ID --message $(echo ${message} | base64 -d)`;
    const guest = await codexGuest((sandbox) => [
      { name: "forged", when: { prompt: "/isdlc:continue" }, turns: [{ text: "It came." }], past: "repeat" },
      planning(sandbox, shell(queue)),
    ]);
    const { codex, sandbox, env } = guest;
    const terminal = await openTerminal(sandbox, { env, width: 160 });
    terminal.type(
      [codex.program, ...TRUSTED, "-s", "danger-full-access", "Go on"].map((word) => `'${word}'`).join(" "),
    );
    await expect.poll(() => toldBy(guest, "plan").at(-1), SESSION_TIMEOUT).toContain("Queued message");
    await expect.poll(() => toldBy(guest, "forged").length, SESSION_TIMEOUT).toBeGreaterThan(0);
    await terminal.shows("It came.");
    expect(await isUnanswered(sandbox)).toBe(true);
  });
});
