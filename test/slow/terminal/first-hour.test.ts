import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { atHome } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

describe.skipIf(!hasTmux())("the demo at a terminal", () => {
  test("starts with a gate, keeps the sample and names the command to continue", async () => {
    const { terminal } = await atHome();
    terminal.isdlc("demo");
    const gate = await terminal.shows("Your choice (C R D V E T Q):");
    expect(gate).toContain("Try Redo here");
    expect(gate).not.toContain("How large is this work?");
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(0);
    const end = terminal.screen();
    expect(end).toMatch(/You left the demo before its end\. To continue it:\n {2}XDG_STATE_HOME=\S+ isdlc -C \S+/);
    expect(end).toContain("Now try it on your code.");
    const [, root = ""] = /The sample project is in\s(\S+)\.\sLook at:/.exec(end) ?? [];
    expect(existsSync(root)).toBe(true);
  });
});

/** Lines that a terminal of 80 columns would break within a word. Menus of a library have their own layout. */
const tooLong = (screen: string): string[] =>
  screen.split("\n").filter((line) => line.length > 80 && !line.includes("; echo"));

describe.skipIf(!hasTmux())("the spec workflow at a terminal, with skipped phases", () => {
  test("names the branch, the next command, the changed code and the approval after each phase", async () => {
    const { terminal } = await atHome();
    const run = async (command: string): Promise<string> => {
      terminal.isdlc(command);
      expect(await terminal.exitCode(), terminal.screen()).toBe(0);
      expect(tooLong(terminal.screen())).toEqual([]);
      expect(terminal.screen()).not.toMatch(/\.meta\.json|\.review-history\.md/);
      return terminal.screen();
    };
    const begun = await run('brainstorm "Login page" --mode quick');
    expect(begun).toContain("Creating branch feature/001-login-page from main.");
    expect(begun).toMatch(/Brainstorm completed: Login page[^]*Gate decisions: none[^]*Next: isdlc specify\n/);
    expect(await run("specify")).toMatch(
      /Specify completed and approved by the reviewer: Login page\n {2}docs\/features\/001-login-page\/spec\.md\n[^]*Next: isdlc design\n/,
    );
    const built = await run("implement --yes");
    expect(built).toContain("warning: Skipped before implement: design, create-plan, create-tasks.");
    expect(built).toMatch(/Implement completed and approved by the reviewer: Login page\n {2}src\/by-agent\.js\n/);
    expect(built).toContain("\nNext: isdlc verify\n");
    terminal.isdlc("hook session-start");
    await terminal.shows(/Current phase: implement[^]*Next: isdlc verify/);
    terminal.type("git switch --quiet main");
    const verified = await run("verify --yes");
    expect(verified).toContain("Switching to branch feature/001-login-page.");
    expect(verified).toContain("\nNext: isdlc finish\n");
  });
});
