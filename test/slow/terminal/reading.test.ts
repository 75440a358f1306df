import { describe, expect, test } from "vitest";
import { atFirstGate, atHome, PROMPT } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

describe.skipIf(!hasTmux())("summaries at a terminal", () => {
  test("prints the summary without Markdown markup", async () => {
    const { terminal } = await atFirstGate();
    terminal.press("r");
    const seen = await terminal.shows("When ready, say 'continue'");
    expect(seen).toMatch(/Phase Summary: Plan\n=+\n\nStatus: Completed\n/);
    expect(seen).toMatch(/\nFile +Status\n\S*plan\.md +/);
    expect(seen).not.toMatch(/\*\*|^#|```/m);
  });

  test("formats isdlc gate at a terminal, and prints Markdown to a program", async () => {
    const { terminal, sandbox } = await atFirstGate();
    terminal.press("q");
    await terminal.exitCode();
    terminal.isdlc("gate");
    expect(await terminal.shows("[exit 0]")).toMatch(/Phase Summary: Plan\n=+\n/);
    expect((await sandbox.script("gate")).stdout).toContain("# Phase Summary: Plan\n");
  });

  test.each([
    { width: 80, lines: 2 },
    { width: 45, lines: 4 },
    { width: 120, lines: 1 },
  ])("prints the keys on $lines lines at $width columns without breaking one", async ({ width, lines }) => {
    const { terminal } = await atHome({ width });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(PROMPT);
    terminal.press("d");
    await terminal.shows("additional guidance");
    terminal.type("more");
    terminal.press("Enter");
    await terminal.shows("Your choice (C R D V S E T Q):");
    const rows = terminal.rows();
    const keys = rows.filter((row) => /^\[[VSETQ]\] /.test(row));
    expect(keys).toHaveLength(lines);
    expect(keys.join("  ")).toBe(
      "[V] view changes  [S] changes since your last review  [E] edit files  [T] run checks  [Q] leave it open",
    );
  });
});
