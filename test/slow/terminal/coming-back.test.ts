import { describe, expect, test } from "vitest";
import { atFirstGate, atHome, PROMPT } from "./at-home.ts";
import { gone, hasTmux, isAlive, openTerminal } from "./terminal.ts";

const PAUSED = "continue, review again, redo, or q to leave it paused";

describe.skipIf(!hasTmux())("return to an interrupted gate", () => {
  test("shows the recovery menu after a kill at the gate, and continues [SM-NFR-04]", async () => {
    const { terminal } = await atFirstGate();
    process.kill(terminal.running(), "SIGKILL");
    expect(await terminal.exitCode()).toBe(137);
    terminal.isdlc();
    const seen = await terminal.shows(PROMPT);
    expect(seen).toContain(
      "A review was in progress for Plan.\nSummary: .isdlc/reviews/phase-plan-summary.md\n\n" +
        "[C] Continue to next phase\n[R] Show summary and review again\n[D] Redo",
    );
    expect(seen).not.toContain("PHASE COMPLETE");
    terminal.press("c");
    await terminal.shows("PHASE COMPLETE: Implementation");
  });

  test("resumes a review after a kill during the pause [SM-NFR-04]", async () => {
    const { terminal, sandbox } = await atFirstGate();
    terminal.press("r");
    await terminal.shows(PAUSED);
    process.kill(terminal.running(), "SIGKILL");
    await terminal.exitCode();
    expect((await sandbox.status()).waiting.paused).toBe(true);
    terminal.isdlc('fix "something else"');
    expect(await terminal.shows(PAUSED)).toContain("A review was in progress for Plan.");
    terminal.type("r");
    await terminal.shows(/Phase Summary: Plan[^]*continue, review again/);
    terminal.type("done");
    await terminal.shows("PHASE COMPLETE: Implementation");
  });

  test("reruns the phase after a kill during a redo and ends its agent [SM-NFR-04]", async () => {
    const plan = { turns: { plan: [{}, { says: ["again"], hangs: true }, {}] } };
    const { terminal, sandbox } = await atFirstGate({ plan });
    terminal.press("d");
    await terminal.shows("What additional guidance");
    terminal.type("be shorter");
    await terminal.shows(/Running Plan \(attempt 2\) with command · [0-9]+s · again/);
    const lost = sandbox.log().at(-1)?.pid ?? 0;
    process.kill(terminal.running(), "SIGKILL");
    await terminal.exitCode();
    expect(isAlive(lost)).toBe(true);
    terminal.isdlc();
    const seen = await terminal.shows("Your choice (C R D V S E T Q):");
    expect(seen).toContain("A redo was in progress for Phase Plan. The phase will be re-run.");
    expect(seen).toContain("PHASE COMPLETE: Plan");
    await gone(lost);
    const turns = sandbox.log().map(({ attempt, prompt }) => [attempt, prompt.includes("REDO GUIDANCE: be shorter")]);
    expect(turns).toEqual([
      ["plan#1", false],
      ["plan#2", true],
      ["plan#2", true],
    ]);
    expect((await sandbox.status()).phases[0]).toMatchObject({ redos: 1 });
    terminal.press("c");
    await terminal.shows("PHASE COMPLETE: Implementation");
  });

  test("exits with 130 on Ctrl-C, ends the agent, and resumes later", async () => {
    const plan = { turns: { plan: [{ says: ["busy"], hangs: true }, {}] } };
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("· busy");
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(130);
    expect(terminal.screen()).toContain("To continue: isdlc resume");
    expect(terminal.screen()).not.toContain("Running Plan");
    await gone(sandbox.log()[0]?.pid ?? 0);
    terminal.isdlc("resume");
    await terminal.shows(PROMPT);
  });

  test("refuses a second terminal while the first has the gate", async () => {
    const { terminal, sandbox } = await atFirstGate();
    const other = await openTerminal(sandbox);
    other.isdlc("continue");
    expect(await other.exitCode()).toBe(1);
    expect(other.screen()).toContain("GATE_HELD");
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    other.isdlc("continue");
    await other.shows("PHASE COMPLETE: Implementation");
  });

  test("continues in the open terminal if the gate is answered with a token", async () => {
    const { terminal, sandbox } = await atFirstGate();
    const answered = sandbox.person("continue");
    const seen = await terminal.shows("PHASE COMPLETE: Implementation");
    expect(seen).toContain("Answered elsewhere.");
    expect((await answered).code).toBe(3);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    const answers = (await sandbox.events()).filter(({ type }) => type === "gate.answered");
    expect(answers).toMatchObject([{ choice: "continue", by: { channel: "token" } }]);
  });

  test.each([
    { where: "the gate", keys: [], shown: PROMPT },
    { where: "a pause", keys: ["r"], shown: PAUSED },
    { where: "the guidance prompt", keys: ["d"], shown: "What additional guidance" },
  ])("ends the program and releases the gate if the window closes at $where", async ({ keys, shown }) => {
    const { terminal, sandbox } = await atFirstGate();
    if (keys.length > 0) terminal.press(...keys);
    await terminal.shows(shown);
    const pid = terminal.running();
    terminal.close();
    await gone(pid);
    const other = await openTerminal(sandbox);
    other.isdlc("continue");
    await other.shows("PHASE COMPLETE: Implementation");
  });

  test("exits with 143 on SIGTERM and leaves the gate open", async () => {
    const { terminal, sandbox } = await atFirstGate();
    process.kill(terminal.running(), "SIGTERM");
    expect(await terminal.exitCode()).toBe(143);
    expect((await sandbox.status()).status).toBe("waiting");
  });
});
