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

Files since the run began (1 file, +3 -0):
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

/** Sets a foreground or background colour; bold and inverse are none. */
const COLOUR = new RegExp(String.raw`\u001B\[(?:[0-9;]*;)?(?:3[0-8]|4[0-8]|9[0-7])[;m]`);

const TESTED = { "package.json": `{ "scripts": { "test": "node --test" } }\n` };

describe.skipIf(!hasTmux())("at a terminal", () => {
  test("the test command is trusted once; then progress shows, and is gone when the gate opens", async () => {
    const plan = { turns: { plan: [{ says: ["looking around"], delay: 2500 }] } };
    const { terminal, sandbox } = await atHome({ plan, files: TESTED });
    terminal.isdlc('"add greeting" --supervised');
    expect(await terminal.shows("Your choice (Y A N):")).toContain("Tests would be run with: npm test");
    terminal.press("y");
    await terminal.shows("Supervised mode: ENABLED (review gates after every phase)");
    await terminal.shows(/Running plan with command · 1s · looking around/);
    const gate = await terminal.shows(PROMPT);
    expect(gate).not.toContain("Running plan");
    expect(gate.slice(gate.indexOf("----")).replace(/work\/[0-9a-z-]+\//, "work/<run>/")).toBe(PLAN_BANNER);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect((await sandbox.script("cancel", "--reason", "x")).code).toBe(1);

    terminal.isdlc();
    await terminal.shows(PROMPT);
    expect(terminal.screen()).not.toContain("Your choice (Y A N):");
  });

  test("leaving the question about the test command starts nothing", async () => {
    const { terminal, sandbox } = await atHome({ files: TESTED });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (Y A N):");
    terminal.press("Escape");
    const seen = await terminal.shows("[exit 3]");
    expect(seen).toContain("Nothing was started. To choose beforehand: --tests trust, --tests none");
    expect(seen).not.toContain("Run it again");
    expect(existsSync(join(sandbox.root, ".isdlc"))).toBe(false);
  });

  test("without git, Enter gives nothing up, and a no is told what to do first", async () => {
    const { terminal, sandbox } = await atHome({ git: false });
    terminal.isdlc('"add greeting"');
    await terminal.shows("Your choice (Y N):");
    terminal.press("Enter");
    await terminal.shows("Unknown key. Press one of Y N.");
    terminal.press("n");
    expect(await terminal.shows("[exit 3]")).toContain('Nothing was started. Create one first ("git init")');
    expect(existsSync(join(sandbox.root, ".isdlc"))).toBe(false);
  });

  test("what is typed before the gate is shown does not answer it", async () => {
    const { terminal, sandbox } = await atHome({ plan: { turns: { plan: [{ says: ["busy"], delay: 1500 }] } } });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("busy");
    terminal.press("c", "Enter", "c");
    await terminal.shows(PROMPT);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect((await sandbox.status()).waiting.id).toMatch(/^plan#1\/gate-/);
  });

  test("SM-AC-03a: the box ends with the choice, and the further keys stand below it", async () => {
    const { terminal } = await atFirstGate();
    expect(terminal.screen()).toMatch(/\[D\] Redo .*\n\nYour choice: _\n-{44}\n\[V\] view changes .*\n/);
  });

  test("SM-ERR-303: a key that is no choice asks again, and Continue goes on at once", async () => {
    const { terminal } = await atFirstGate();
    terminal.press("x");
    await terminal.shows(/Unknown key\. Press one of C R D V E T Q\.\nYour choice \(C R D V E T Q\):$/);
    terminal.press("C");
    await terminal.shows("PHASE COMPLETE: Implementation");
  });

  test("v shows the changes in the pager of the person, or in none when they want none", async () => {
    const { terminal } = await atFirstGate({ env: { PAGER: "head -n 3" } });
    terminal.press("v");
    const paged = await terminal.shows(/Changes since the run began: 1 file, \+3 -0\n\ndiff --git[^]*Your choice/);
    expect(paged).not.toContain("made by plan#1");
  });

  test("the pager of the person's own git settings comes first; one that the repository names is never started", async () => {
    const { terminal, sandbox } = await atHome({ env: { PAGER: "head -n 1" } });
    sandbox.git("config", "core.pager", "touch started-by-repository");
    writeFileSync(join(sandbox.base, "home/.gitconfig"), "[core]\n\tpager = head -n 3\n");
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(PROMPT);
    terminal.press("v");
    await terminal.shows(/Changes since the run began: 1 file, \+3 -0\n\ndiff --git[^]*Your choice/);
    expect(existsSync(join(sandbox.root, "started-by-repository"))).toBe(false);
  });

  test("v without a pager shows the whole change, and a stray q does not leave the gate", async () => {
    const { terminal } = await atFirstGate({ env: { PAGER: "" } });
    terminal.press("v");
    expect(await terminal.shows(/made by plan#1[^]*Your choice/)).toMatch(/\+# plan\n\+\n\+made by plan#1, turn 0/);
    terminal.press("q");
    await terminal.shows(/Press Q again to leave it open and go\.\nYour choice/);
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
  });

  test.each([
    { pager: "not there", env: { PAGER: "no-such-pager" } },
    { pager: "not named", env: {} },
  ])("v pages even a short change with a pager that is $pager, and its q closes only the pager", async ({ env }) => {
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

  test("s shows only what changed since the last look, v still everything", async () => {
    const turns = [{ writes: { "{item}/one.md": "1\n" } }, { writes: { "{item}/two.md": "2\n" } }];
    const { terminal } = await atFirstGate({ env: { PAGER: "" }, plan: { turns: { plan: turns } } });
    terminal.press("d");
    await terminal.shows("additional guidance");
    terminal.type("more");
    terminal.press("Enter");
    await terminal.shows("Your choice (C R D V S E T Q):");
    terminal.press("s");
    const since = await terminal.shows(/Changes since your last look: [^]*Your choice/);
    expect(since).toContain("two.md b/");
    expect(since).not.toContain("one.md b/");
    terminal.press("v");
    expect(await terminal.shows(/Changes since the run began: [^]*Your choice/)).toContain("one.md b/");
  });

  test("Ctrl-C in a pager leaves neither the pager nor the gate", async () => {
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

  test("x takes out what was written where the phase may not, and the gate is shown without it", async () => {
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

  test("a gate that is still open after an answer is shown anew", async () => {
    const plan = { turns: { plan: [{ writes: { "src/stray.txt": "x" } }] } };
    const { terminal } = await atFirstGate({ plan });
    terminal.press("q");
    await terminal.exitCode();
    terminal.isdlc("answer take-out");
    const seen = await terminal.shows(PROMPT);
    expect(seen).toMatch(/Put back[^]*- src\/stray\.txt[^]*PHASE COMPLETE: Plan[^]*\[C\] Continue/);
  });

  test("t runs the checks and changes nothing", async () => {
    const { terminal, sandbox } = await atFirstGate();
    const before = parsed(await sandbox.script("history", "--json"));
    terminal.press("t");
    await terminal.shows(/artifacts: passed 1 of 1 present\ntests: Not run: .*\nYour choice \(C R D V E T Q\):$/);
    expect(parsed(await sandbox.script("history", "--json"))).toEqual(before);
  });

  test("t runs the trusted tests, also at the gate of a phase that has none", async () => {
    const files = { "package.json": `{ "scripts": { "test": "node -e 'process.exit(3)'" } }\n` };
    const { terminal } = await atHome({ files });
    terminal.isdlc('"add greeting" --supervised --yes');
    await terminal.shows(PROMPT);
    terminal.press("t");
    await terminal.shows(/Running npm test …[^]*tests: FAILED [^]*Your choice/);
  });

  test("Ctrl-C at the gate leaves it open and says how to come back", async () => {
    const { terminal, sandbox } = await atFirstGate();
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.screen()).toMatch(/Waiting for you at the gate plan#1\/gate-[0-9]+:\n {2}isdlc continue\n/);
    expect((await sandbox.status()).status).toBe("waiting");
  });

  test.each([
    { wish: "with NO_COLOR", env: { NO_COLOR: "1" }, colours: false },
    { wish: "unless told otherwise", env: {}, colours: true },
  ])("colours are shown $wish: $colours", async ({ env, colours }) => {
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

  test("the gate fits 80 columns and 24 rows", async () => {
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
