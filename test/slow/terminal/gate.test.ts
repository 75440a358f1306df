import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parsed } from "../../support/cli.ts";
import { atFirstGate, atHome, PROMPT } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const PLAN_BANNER = `--------------------------------------------
PHASE COMPLETE: Plan

Summary: .isdlc/reviews/phase-plan-summary.md
Artifacts: 1 file created/modified
Duration: 0m

Files since the run started (1 file, +3 -0):
  - .isdlc/work/<run>/plan.md +3 -0
Decisions:
  - plan decided
Usage: not reported by the agent
To read: 3 lines, under a minute

[C] Continue -- advance to next phase
[R] Review -- pause for manual review/edits, resume when ready
[D] Redo -- re-run this phase with additional guidance

Your choice: _
--------------------------------------------
[V] view changes  [E] edit files  [T] run checks  [Q] leave it open
${PROMPT}`;

/** Matches foreground and background colors, but not bold and inverse. */
const COLOUR = new RegExp(String.raw`\u001B\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7])[;m]`);

const TESTED = { "package.json": `{ "scripts": { "test": "node --test" } }\n` };

describe.skipIf(!hasTmux())("gate at a terminal", () => {
  test("asks once to trust the test command, and clears progress at the gate", async () => {
    const plan = { turns: { plan: [{ says: ["looking around"], delay: 2500 }] } };
    const { terminal, sandbox } = await atHome({ plan, files: TESTED });
    terminal.isdlc('"add greeting" --supervised');
    expect(await terminal.shows("Your choice (Y A N):")).toContain("Tests would be run with: npm test");
    terminal.press("y");
    await terminal.shows("Supervised mode: ENABLED (review gates after every phase)");
    await terminal.shows(/Running Plan with command · 1s · looking around/);
    const gate = await terminal.shows(PROMPT);
    expect(gate).not.toContain("Running Plan");
    expect(gate.slice(gate.indexOf("----")).replace(/work\/[0-9a-z-]+\//, "work/<run>/")).toBe(PLAN_BANNER);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect((await sandbox.script("cancel", "--reason", "x")).code).toBe(1);

    terminal.isdlc();
    await terminal.shows(PROMPT);
    expect(terminal.screen()).not.toContain("Your choice (Y A N):");
  });

  test("starts nothing if the user leaves the test command question", async () => {
    const { terminal, sandbox } = await atHome({ files: TESTED });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (Y A N):");
    terminal.press("Escape");
    const seen = await terminal.shows("[exit 3]");
    expect(seen).toContain("Nothing was started. To choose in advance: --tests trust, --tests none");
    expect(seen).not.toContain("Run it again");
    expect(existsSync(join(sandbox.root, ".isdlc"))).toBe(false);
  });

  test("ignores Enter without git, and suggests git init after no", async () => {
    const { terminal, sandbox } = await atHome({ git: false });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (Y N):");
    terminal.press("Enter");
    await terminal.shows("Unknown key. Press one of Y N.");
    terminal.press("n");
    expect(await terminal.shows("[exit 3]")).toContain('Nothing was started. Create one first ("git init")');
    expect(existsSync(join(sandbox.root, ".isdlc"))).toBe(false);
  });

  test("ignores keys typed before the gate is shown", async () => {
    const { terminal, sandbox } = await atHome({ plan: { turns: { plan: [{ says: ["busy"], delay: 1500 }] } } });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("busy");
    terminal.press("c", "Enter", "c");
    await terminal.shows(PROMPT);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect((await sandbox.status()).waiting.id).toMatch(/^plan#1\/gate-/);
  });

  test("prints the choice last in the box and other keys under it [SM-AC-03a]", async () => {
    const { terminal } = await atFirstGate();
    expect(terminal.screen()).toMatch(/\[D\] Redo .*\n\nYour choice: _\n-{44}\n\[V\] view changes .*\n/);
  });

  test("asks again after an unknown key and continues at once on C [SM-ERR-303]", async () => {
    const { terminal } = await atFirstGate();
    terminal.press("x");
    await terminal.shows(/Unknown key\. Press one of C R D V E T Q\.\nYour choice \(C R D V E T Q\):$/);
    terminal.press("C");
    await terminal.shows("PHASE COMPLETE: Implementation");
  });

  test("shows the changes in the user's pager on v", async () => {
    const { terminal } = await atFirstGate({ env: { PAGER: "head -n 3" } });
    terminal.press("v");
    const paged = await terminal.shows(
      /Changes since the run started: 1 file, \+3 -0\n\nDocuments \(1 file[^]*Your choice/,
    );
    expect(paged).not.toContain("made by plan#1");
  });

  test("prefers the pager of the user's git configuration and ignores the repository's", async () => {
    const { terminal, sandbox } = await atHome({ env: { PAGER: "head -n 1" } });
    sandbox.git("config", "core.pager", "touch started-by-repository");
    writeFileSync(join(sandbox.base, "home/.gitconfig"), "[core]\n\tpager = head -n 3\n");
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(PROMPT);
    terminal.press("v");
    await terminal.shows(/Changes since the run started: 1 file, \+3 -0\n\nDocuments \(1 file[^]*Your choice/);
    expect(existsSync(join(sandbox.root, "started-by-repository"))).toBe(false);
  });

  test("shows the whole change without a pager, and needs a second q to leave", async () => {
    const { terminal } = await atFirstGate({ env: { PAGER: "" } });
    terminal.press("v");
    expect(await terminal.shows(/made by plan#1[^]*Your choice/)).toMatch(/\+# plan\n\+\n\+made by plan#1, turn 0/);
    terminal.press("q");
    await terminal.shows(/Press Q again to leave it open and go\.\nYour choice/);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
  });

  test.each([
    { pager: "missing", env: { PAGER: "no-such-pager" } },
    { pager: "not configured", env: {} },
  ])("pages short changes with less if the pager is $pager; q closes only the pager", async ({ env }) => {
    const { terminal } = await atFirstGate({ env });
    terminal.press("v");
    expect(await terminal.shows("made by plan#1, turn 0")).not.toContain("Your choice");
    terminal.press("q");
    await terminal.shows(PROMPT);
    terminal.press("q");
    await terminal.shows(/Press Q again to leave it open and go\.\nYour choice/);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
  });

  test("shows only changes since the last review on s, and everything on v", async () => {
    const turns = [{ writes: { "{item}/one.md": "1\n" } }, { writes: { "{item}/two.md": "2\n" } }];
    const { terminal } = await atFirstGate({ env: { PAGER: "" }, plan: { turns: { plan: turns } } });
    terminal.press("d");
    await terminal.shows("additional guidance");
    terminal.type("more");
    terminal.press("Enter");
    await terminal.shows("Your choice (C R D V S E T Q):");
    terminal.press("s");
    const since = await terminal.shows(/Changes since your last review: [^]*Your choice/);
    expect(since).toContain("two.md b/");
    expect(since).not.toContain("one.md b/");
    terminal.press("v");
    expect(await terminal.shows(/Changes since the run started: [^]*Your choice/)).toContain("one.md b/");
  });

  test("stays in the pager and at the gate on Ctrl-C", async () => {
    const lines = Array.from({ length: 90 }, (_, at) => `line ${at}`).join("\n");
    const { terminal } = await atFirstGate({ plan: { turns: { plan: [{ writes: { "long.txt": lines } }] } } });
    terminal.press("v");
    await terminal.shows("diff --git");
    terminal.press("C-c");
    await terminal.shows(/:$/);
    terminal.press("G");
    await terminal.shows("line 89");
    terminal.press("q");
    await terminal.shows("Your choice (C R D X V E T Q):");
  });

  test("reverts files outside the phase's scope on x and shows the gate again", async () => {
    const { terminal, sandbox } = await atFirstGate({
      plan: { turns: { plan: [{ writes: { "src/stray.txt": "x" } }] } },
    });
    expect(terminal.screen()).toContain("[X] Revert");
    terminal.press("x");
    const seen = await terminal.shows(PROMPT);
    expect(seen).toMatch(
      /Put back as they were before this phase:\n {2}- src\/stray\.txt\n.* git show [0-9a-f]{12}:<path>/,
    );
    expect(() => sandbox.read("src/stray.txt")).toThrow("ENOENT");
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
  });

  test("shows the gate again if an answer does not close it", async () => {
    const plan = { turns: { plan: [{ writes: { "src/stray.txt": "x" } }] } };
    const { terminal } = await atFirstGate({ plan });
    terminal.press("q");
    await terminal.exitCode();
    terminal.isdlc("answer take-out");
    const seen = await terminal.shows(PROMPT);
    expect(seen).toMatch(/Put back[^]*- src\/stray\.txt[^]*PHASE COMPLETE: Plan[^]*\[C\] Continue/);
  });

  test("runs the checks on t and records nothing", async () => {
    const { terminal, sandbox } = await atFirstGate();
    const before = parsed(await sandbox.script("history", "--json"));
    terminal.press("t");
    await terminal.shows(/artifacts: passed 1 of 1 present\ntests: Not run: .*\nYour choice \(C R D V E T Q\):$/);
    expect(parsed(await sandbox.script("history", "--json"))).toEqual(before);
  });

  test("runs the trusted tests on t, even at a gate without tests", async () => {
    const files = { "package.json": `{ "scripts": { "test": "node -e 'process.exit(3)'" } }\n` };
    const { terminal } = await atHome({ files });
    terminal.isdlc('"add greeting" --supervised --yes');
    await terminal.shows(PROMPT);
    terminal.press("t");
    await terminal.shows(/Running npm test …[^]*tests: FAILED [^]*Your choice/);
  });

  test("leaves the gate open on Ctrl-C and prints how to answer it", async () => {
    const { terminal, sandbox } = await atFirstGate();
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.screen()).toMatch(/Waiting for you at the gate of Plan:\n {2}isdlc continue\n/);
    expect((await sandbox.status()).status).toBe("waiting");
  });

  test.each([
    { wish: "with NO_COLOR", env: { NO_COLOR: "1" }, colours: false },
    { wish: "by default", env: {}, colours: true },
  ])("shows colors $wish: $colours", async ({ env, colours }) => {
    const { terminal } = await atFirstGate({ env: { PAGER: "", ...env } });
    const seen = terminal.rows();
    terminal.press("v");
    await terminal.shows(PROMPT);
    seen.push(...terminal.rows());
    terminal.press("d");
    await terminal.shows("What additional guidance");
    seen.push(...terminal.rows());
    expect(seen.some((row) => COLOUR.test(row))).toBe(colours);
  });

  test("fits the gate into 80 columns and 24 rows", async () => {
    const wrote = { writes: { "a.js": "1\n" }, result: { summary: "Wrote a.js" } };
    const { terminal } = await atFirstGate({ plan: { turns: { implement: [wrote] } } });
    terminal.press("q");
    await terminal.exitCode();
    terminal.isdlc("resume");
    await terminal.shows(PROMPT);
    const rows = terminal.rows();
    expect(rows.some((row) => row.startsWith("A review was in progress"))).toBe(true);
    terminal.press("c");
    await terminal.shows("PHASE COMPLETE: Implementation");
    await terminal.shows(PROMPT);
    const gate = terminal.rows();
    expect(gate.some((row) => row.startsWith("PHASE COMPLETE"))).toBe(true);
    expect(gate.findLast((row) => row !== "")).toContain(PROMPT);
    expect(gate.filter((row) => row.startsWith("["))).toHaveLength(4);
  });
});
