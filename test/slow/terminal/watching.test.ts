import { describe, expect, test } from "vitest";
import { atHome, PROMPT } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const SAYS = { turns: { plan: [{ says: ["Read src/greet.js", "Not allowed: curl example.org"], delay: 2500 }] } };
const BELL = "\u0007";
const ESCAPE = "\u001B";

describe.skipIf(!hasTmux())("watching agents at a terminal", () => {
  test("--verbose keeps what the agent says and is refused on the screen, above the gate", async () => {
    const { terminal } = await atHome({ plan: SAYS });
    terminal.isdlc('"add greeting" --supervised --verbose');
    const seen = await terminal.shows(PROMPT);
    expect(seen).toMatch(/^▸ plan\n {4}Read src\/greet\.js\n {4}Not allowed: curl example\.org\n {2}✓ made plan\.md/m);
  });

  test("without it the last words are on the line that renews itself, and go with it", async () => {
    const { terminal } = await atHome({ plan: SAYS });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(/Running plan with command · .* · Not allowed: curl/);
    expect(await terminal.shows(PROMPT)).not.toContain("Not allowed");
  });

  test("logs -f in a second terminal shows the same, and where the run waits", async () => {
    const { terminal, sandbox } = await atHome({ plan: SAYS });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(/Not allowed: curl/);
    const { stdout } = await sandbox.script("logs");
    expect(stdout).toMatch(/^▸ plan#1\.1\nRead src\/greet\.js\nNot allowed: curl example\.org\n/);
    await terminal.shows(PROMPT);
  });

  test("the window's title has the phase, then that somebody is needed; bell and notification tell the same", async () => {
    const { terminal } = await atHome({ plan: SAYS });
    terminal.type(`printf '${String.raw`\033]2;mine\007`}'`);
    await expect.poll(() => terminal.title()).toBe("mine");
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("Not allowed");
    expect(terminal.title()).toBe("isdlc: Running plan with command");
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

  test("whoever wants no notification gets neither, and whoever comes back is not called", async () => {
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

  test("paths at the gate open their files where the terminal can, and are plain text elsewhere", async () => {
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
