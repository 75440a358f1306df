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

describe.skipIf(!hasTmux())("deciding at a terminal", () => {
  test("the last gate tells of the code what was tested, found and spent", async () => {
    const { terminal } = await atLastGate();
    const seen = terminal.screen();
    expect(seen).toMatch(/Files against main \([0-9a-f]{7}\) \(3 files, \+7 -1\):\n {2}- src\/greet\.js \+1 -1\n/);
    expect(seen).toMatch(/Tests \(Implementation\): npm test: passed/);
    expect(seen).toContain("Reviewer (Implementation): approved after 1 review, 1 open finding\n  - F1  note");
    expect(seen).toContain("Usage: not reported by the agent");
  });

  test("work goes back from the review with guidance; what is shown then is, byte for byte, what is merged", async () => {
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
    expect(shown.trimEnd()).toBe(sandbox.git("diff", "-M", "--no-color", `${fork}...main`));
    expect(shown).toContain("+++ b/src/name-or.js");
    expect(sandbox.git("branch", "--format=%(refname:short)")).toBe("main");
  });

  test("redos that are left stand in the menu", async () => {
    const { terminal } = await atFirstGate();
    terminal.press("d");
    expect(await terminal.shows("additional guidance")).toContain("3 redos left");
    terminal.type("shorter");
    await terminal.shows("Your choice (C R D V S E T Q):");
    expect(terminal.screen()).toContain("[D] Redo -- re-run this phase with additional guidance (2 of 3 left)");
  });

  test("another branch under an open gate is told, and Continue goes back to the run's own", async () => {
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

  test("failing tests are named with their reason, at the stop and to the agent", async () => {
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

  test("money is asked about before it is exceeded, and Enter alone raises nothing", async () => {
    const plan = { always: { usage: { input: 100, output: 10, usd: 0.4 } } } as object;
    const { terminal, sandbox } = await atHome({ plan });
    terminal.isdlc('"add greeting" --max-usd 1');
    const asked = await terminal.shows("What should happen?");
    expect(asked.replaceAll(/\n */g, " ")).toContain(
      "The budget would be exceeded: 220 tokens, $0.80 of $1.00 spent, and what comes next takes about $0.40.",
    );
    terminal.press("Down", "Enter");
    await terminal.shows("How many dollars may the run cost in all?");
    terminal.press("Enter");
    expect(await terminal.shows("[exit 3]")).toContain("The budget stays as it is.");
    expect(sandbox.log()).toHaveLength(2);
  });

  test("settings are shown with where they come from, and words that are no value are told", async () => {
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

  test("an unknown item is asked about before it is created, the address of an issue becomes one", async () => {
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

  test("the notice that gates stay on breaks between words", async () => {
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
