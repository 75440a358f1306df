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
