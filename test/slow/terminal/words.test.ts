import { describe, expect, test } from "vitest";
import { atFirstGate, atHome } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

describe.skipIf(!hasTmux())("messages at a terminal", () => {
  test.each([
    ["stats", 2, 'USAGE: Unknown command "stats"; did you mean "status"?'],
    ["config set max-usd five", 2, 'USAGE: Invalid value "five" for max-usd (expected dollars).'],
    ['"add greeting" --max-minutes soon', 2, 'Invalid value "soon" for --max-minutes (expected'],
    ["status now", 2, '"status" takes no further arguments, but got "now".'],
    ["continue", 1, "NO_RUN: No run is open in this working tree."],
    ["build '#42'", 1, "ITEM_UNKNOWN: There is no item with the number or reference #42."],
    ["verify-commits nowhere", 1, "COMMITS_UNKNOWN: Git finds no commits for nowhere."],
    ['"add greeting" --agent nobody', 2, 'Invalid value for --agent: "nobody" is not one of claude, codex,'],
  ])("prints the error and the exit code for isdlc %s", async (args, code, told) => {
    const { terminal } = await atHome({ width: 120 });
    terminal.isdlc(args);
    expect(await terminal.exitCode()).toBe(code);
    expect(terminal.screen()).toContain(told);
  });

  test("uses the singular for one file and reports missing usage", async () => {
    const { terminal } = await atFirstGate();
    const gate = terminal.screen();
    expect(gate).toContain("Artifacts: 1 file created/modified");
    expect(gate).toContain("Usage: not reported by the agent");
    terminal.press("z");
    await terminal.shows("Unknown key. Press one of C R D V E T Q.");
    terminal.press("r");
    await terminal.shows("or q to leave it paused");
    terminal.type("what");
    await terminal.shows("Unknown command. Type continue, redo, review or q.");
  });

  test("marks a second attempt and a failed reviewer", async () => {
    const plan = {
      turns: { plan: [{ raw: "no result\n" }, { delay: 1500 }], "implement reviewer": [{ raw: "no verdict\n" }] },
    };
    const { terminal } = await atHome({ plan });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("PHASE COMPLETE: Plan");
    terminal.press("d");
    await terminal.shows("What additional guidance");
    terminal.type("shorter");
    await terminal.shows("Running Plan (attempt 2)");
    await terminal.shows("PHASE COMPLETE: Plan");
    terminal.press("c");
    const gate = await terminal.shows("PHASE COMPLETE: Implementation");
    expect(gate).toContain("✗ reviewer failed: asked twice, and gave no verdict that could be read");
    expect(await terminal.shows("Your choice (")).toContain("\nReviewer: failed; this was not reviewed\n");
  });
});
