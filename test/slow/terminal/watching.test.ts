import { describe, expect, test } from "vitest";
import { atHome, PROMPT } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const SAYS = { turns: { plan: [{ says: ["Read src/greet.js", "Not allowed: curl example.org"], delay: 2500 }] } };
const BELL = "\u0007";
const ESCAPE = "\u001B";

describe.skipIf(!hasTmux())("agent output at a terminal", () => {
  test("keeps the agent's output and denied actions above the gate with --verbose", async () => {
    const { terminal } = await atHome({ plan: SAYS });
    terminal.isdlc('"add greeting" --supervised --verbose');
    const seen = await terminal.shows(PROMPT);
    expect(seen).toMatch(/^▸ Plan\n {4}Read src\/greet\.js\n {4}Not allowed: curl example\.org\n {2}✓ made plan\.md/m);
  });

  test("shows only the agent's last message on the status line without --verbose", async () => {
    const { terminal } = await atHome({ plan: SAYS });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(/Running Plan with command · .* · Not allowed: curl/);
    expect(await terminal.shows(PROMPT)).not.toContain("Not allowed");
  });

  test("prints the same messages in a second terminal with logs", async () => {
    const { terminal, sandbox } = await atHome({ plan: SAYS });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(/Not allowed: curl/);
    const { stdout } = await sandbox.script("logs");
    expect(stdout).toMatch(/^▸ plan#1\.1\nRead src\/greet\.js\nNot allowed: curl example\.org\n/);
    await terminal.shows(PROMPT);
  });

  test("sets the window title during a phase, and notifies and rings at the gate", async () => {
    const { terminal } = await atHome({ plan: SAYS });
    terminal.type(`printf '${String.raw`\033]2;mine\007`}'`);
    await expect.poll(() => terminal.title()).toBe("mine");
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("Not allowed");
    expect(terminal.title()).toBe("isdlc: Running Plan with command");
    expect(terminal.written()).not.toContain(`${ESCAPE}]9;`);
    await terminal.shows(PROMPT);
    expect(terminal.title()).toBe("isdlc: waiting for you (gate)");
    expect(terminal.written()).toContain(
      `${ESCAPE}]9;tree: Plan of “add greeting” is done and waits for your review (to read: 3 lines, under a minute).${BELL}${BELL}`,
    );
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.title()).toBe("mine");
  });

  test("sends no notification if notifications are off or the user returns to a gate", async () => {
    const { terminal, sandbox } = await atHome();
    terminal.isdlc("config set notify off");
    await terminal.exitCode();
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(PROMPT);
    expect(terminal.written()).not.toContain(`${ESCAPE}]9;`);
    terminal.press("q");
    await terminal.exitCode();
    await sandbox.script("config");
    terminal.isdlc("config set notify on");
    await terminal.exitCode();
    terminal.isdlc();
    await terminal.shows(PROMPT);
    expect(terminal.written()).not.toContain(`${ESCAPE}]9;`);
  });

  test("links file paths at the gate if the terminal supports it", async () => {
    const able = await atHome({ env: { FORCE_HYPERLINK: "1" } });
    able.terminal.isdlc('"add greeting" --supervised');
    await able.terminal.shows(PROMPT);
    const summary = ".isdlc/reviews/phase-plan-summary.md";
    const link = `${ESCAPE}]8;;file://${able.sandbox.root}/${summary}${ESCAPE}\\${summary}${ESCAPE}]8;;${ESCAPE}\\`;
    expect(able.terminal.written()).toContain(link);
    const other = await atHome();
    other.terminal.isdlc('"add greeting" --supervised');
    await other.terminal.shows(PROMPT);
    expect(other.terminal.written()).not.toContain(`${ESCAPE}]8;`);
  });
});
