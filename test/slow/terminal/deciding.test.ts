import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atFirstGate, atHome, type Home, PROMPT } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const GREET = "export const greet = (name) => `Hello ${name}`;\n";
const HELPED = 'import { nameOr } from "./name-or.js";\nexport const greet = (name) => `Hello ${nameOr(name)}`;\n';
const HELPER = 'export const nameOr = (name) => name ?? "you";\n';
const LAST_PROMPT = /Your choice \(C R D B V (?:S )?E T Q\):/;
const PATCH = /^diff --git [^]*?(?=^Not committed:|^Your choice)/m;

const finding = { severity: "note", description: "No test for the empty name.", location: "src/greet.js:1" };
const STORY = {
  turns: {
    implement: [
      { writes: { "src/greet.js": GREET.replace("(name)", '(name = "you")') } },
      { writes: { "src/greet.js": HELPED, "src/name-or.js": HELPER } },
    ],
    "implement reviewer": [{ verdict: { approved: true, issues: [finding], summary: "Good." } }],
  },
};
const TESTED = { "package.json": '{ "scripts": { "test": "node -e 0" } }\n', "src/greet.js": GREET };

async function atLastGate(plan = STORY): Promise<Home> {
  const home = await atHome({ plan, files: TESTED, env: { PAGER: "" } });
  home.terminal.isdlc('"greet anybody" --tests trust');
  await home.terminal.shows(LAST_PROMPT);
  return home;
}

describe.skipIf(!hasTmux())("decisions at a terminal", () => {
  test("shows changed files, tests, findings and usage at the last gate", async () => {
    const { terminal } = await atLastGate();
    const seen = terminal.screen();
    expect(seen).toMatch(/Files against main \([0-9a-f]{7}\) \(3 files, \+7 -1\):\n {2}- src\/greet\.js \+1 -1\n/);
    expect(seen).toMatch(/Tests \(Implementation\): npm test: passed/);
    expect(seen).toContain("Reviewer (Implementation): approved after 1 review, 1 open finding\n  - F1  note");
    expect(seen).toContain("Usage: not reported by the agent");
  });

  test("merges exactly the patch shown after the work was sent back", async () => {
    const { terminal, sandbox } = await atLastGate();
    const fork = sandbox.git("rev-parse", "main");
    terminal.press("d");
    expect(await terminal.shows("What should be done again?")).toMatch(
      /● Send back to Implementation with guidance; the code[^]*○ Redo Final Review itself/,
    );
    terminal.press("Enter");
    await terminal.shows("What should Implementation do differently?");
    terminal.type("use a helper named nameOr");
    const again = await terminal.shows(LAST_PROMPT);
    expect(again).toContain("src/name-or.js +1 -0");
    expect(sandbox.log().find(({ attempt }) => attempt === "implement#2")?.prompt).toContain(
      "REDO GUIDANCE: use a helper named nameOr",
    );
    terminal.press("v");
    const shown = PATCH.exec(await terminal.shows(/nameOr[^]*Your choice \(/))?.[0] ?? "";
    terminal.press("c");
    await terminal.shows("What should happen?");
    terminal.press("Down", "Enter");
    await terminal.shows("[exit 0]");
    const merged = sandbox.git("diff", "-M", "--no-color", `${fork}...main`).split(/^(?=diff --git )/m);
    expect(merged).toHaveLength(2);
    for (const patch of merged) expect(shown).toContain(patch.trimEnd());
    expect(shown).toContain("+++ b/src/name-or.js");
    expect(sandbox.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  test("shows the number of remaining redos in the menu", async () => {
    const { terminal } = await atFirstGate();
    terminal.press("d");
    expect(await terminal.shows("additional guidance")).toContain("3 redos left");
    terminal.type("shorter");
    await terminal.shows("Your choice (C R D V S E T Q):");
    expect(terminal.screen()).toContain("[D] Redo -- re-run this phase with additional guidance (2 of 3 left)");
  });

  test("reports a switched branch at the gate and returns to the run's branch", async () => {
    const { terminal, sandbox } = await atFirstGate();
    sandbox.git("switch", "--quiet", "main");
    terminal.press("c");
    const told = await terminal.shows(/Changed after the summary[^]*Your choice \(/);
    expect(told.replaceAll(/\n +/g, " ")).toContain(
      "- main is checked out instead of the run's branch change/add-greeting; Continue goes back to change/add-greeting",
    );
    terminal.press("c");
    await terminal.shows("PHASE COMPLETE: Implementation");
    expect(sandbox.git("branch", "--show-current")).toBe("change/add-greeting");
  });

  test("names failing tests and their errors in the escalation and the prompt", async () => {
    const failing =
      'import test from "node:test";\ntest("greets by name", () => { throw new Error("Hello who?"); });\n';
    const files = { "package.json": '{ "type": "module", "scripts": { "test": "node --test" } }\n' };
    const plan = { turns: { implement: [{ writes: { "greet.test.js": failing } }] } };
    const { terminal, sandbox } = await atHome({ files, plan });
    terminal.isdlc('"greet anybody" --tests trust');
    const stop = await terminal.shows("What should happen?");
    expect(stop).toContain("tests still fail after 3 attempts; stopped");
    expect(stop).toMatch(/greets by name[^]*Hello who\?/);
    expect(sandbox.log().findLast(({ key }) => key === "implement")?.prompt).toMatch(/greets by name[^]*Hello who\?/);
  });

  test("asks before the budget is exceeded, and keeps it on Enter alone", async () => {
    const plan = { always: { usage: { input: 100, output: 10, usd: 0.4 } } } as object;
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting" --max-usd 1');
    const asked = await terminal.shows("What should happen?");
    expect(asked.replaceAll(/\n */g, " ")).toContain(
      "The budget would be exceeded: 220 tokens, $0.80 of $1.00 spent, and the next step takes about $0.40.",
    );
    terminal.press("Down", "Enter");
    await terminal.shows("How many dollars may the run cost in all?");
    terminal.press("Enter");
    expect(await terminal.shows("[exit 3]")).toContain("The budget stays as it is.");
    expect(sandbox.log()).toHaveLength(2);
  });

  test("rejects an invalid setting and lists each setting with its source", async () => {
    const { terminal } = await atHome();
    terminal.isdlc("config set max-usd five");
    expect((await terminal.shows("[exit 2]")).replaceAll(/\n */g, " ")).toContain(
      'Invalid value "five" for max-usd (expected dollars)',
    );
    terminal.isdlc("config set max-usd 5");
    await terminal.shows("[exit 0]");
    terminal.isdlc("config");
    expect(await terminal.shows("[exit 0]")).toMatch(/max-usd +\$5\.00 +\(yours\)\n[^]*redo\.limit +3 +\(default\)/);
  });

  test("asks before it creates an unknown item, and adds an issue by URL", async () => {
    const { terminal, sandbox } = await atHome();
    terminal.isdlc("analyze login");
    await terminal.shows("[Y] Yes, create it and analyze it now  [N] No");
    terminal.press("n");
    await terminal.shows("[exit 3]");
    expect(sandbox.log()).toEqual([]);
    const bin = join(sandbox.base, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "gh"), `#!/bin/sh\necho '{"title":"Log in by mail"}'\n`, { mode: 0o755 });
    terminal.isdlc("add https://github.com/acme/shop/issues/7");
    expect(await terminal.shows("[exit 0]")).toContain("log-in-by-mail");
    terminal.isdlc("items");
    expect(await terminal.shows("[exit 0]")).toMatch(/^\[ \] {2}log-in-by-mail +raw/m);
  });

  test("wraps the supervised mode notice between words", async () => {
    const { terminal } = await atHome({ width: 50 });
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows(PROMPT);
    const rows = terminal.written().replaceAll("\r", "").split("\n");
    const at = rows.findIndex((row) => row.startsWith("It stays on for later runs here;"));
    expect(rows.slice(at, at + 3)).toEqual([
      "It stays on for later runs here; for one run",
      "without gates: --no-supervised.",
      "To undo: isdlc config set supervised-mode.enabled",
    ]);
  });
});
