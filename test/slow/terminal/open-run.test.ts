import { describe, expect, test } from "vitest";
import { atFirstGate, atHome, type Home, PROMPT } from "./at-home.ts";
import { gone, hasTmux, openTerminal } from "./terminal.ts";

const HANGS_ONCE = { turns: { plan: [{ says: ["busy"], hangs: true }, {}] } };

async function agentAtWork(): Promise<Home> {
  const home = await atHome({ plan: HANGS_ONCE });
  home.terminal.isdlc('"add greeting" --supervised');
  await home.terminal.shows("· busy");
  return home;
}

describe.skipIf(!hasTmux())("interrupted run at a terminal", () => {
  test("continues an interrupted run only on resume", async () => {
    const { terminal, sandbox } = await agentAtWork();
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(130);
    terminal.isdlc();
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.screen()).toMatch(/change: add greeting\ninterrupted[^]*To continue: isdlc resume\n\[exit/);
    terminal.isdlc('feature "Other thing"');
    expect(await terminal.exitCode()).toBe(3);
    expect(terminal.screen().replaceAll("\n", " ")).toContain(
      '"Other thing" was not started, because a run is open: "add greeting" (change, interrupted in plan).',
    );
    expect(terminal.screen()).toMatch(/To continue: isdlc resume\nOr end it: isdlc cancel --reason "…"\n\[exit/);
    expect(sandbox.log()).toHaveLength(1);
    terminal.isdlc("resume");
    await terminal.shows(PROMPT);
    expect(sandbox.log()).toHaveLength(2);
  });

  test("ends an orphaned agent in the next command", async () => {
    const { terminal, sandbox } = await agentAtWork();
    const lost = sandbox.log()[0]?.pid ?? 0;
    process.kill(terminal.running(), "SIGKILL");
    await terminal.exitCode();
    terminal.isdlc();
    expect(await terminal.exitCode()).toBe(3);
    await gone(lost);
    expect(sandbox.log()).toHaveLength(1);
  });
});

describe.skipIf(!hasTmux())("open gate at a terminal", () => {
  test("reports the refused start above the recovery menu", async () => {
    const { terminal } = await atFirstGate();
    terminal.press("q");
    await terminal.exitCode();
    terminal.isdlc('feature "Other thing"');
    expect(await terminal.shows(PROMPT)).toMatch(
      /"Other thing" was not started, because a run is open: "add greeting" \(change, waiting in plan\)\.\n\nA review was in/,
    );
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
  });

  test.each([
    { args: "", told: '"add greeting" (change, waiting in plan)' },
    { args: "resume", told: '"add greeting" (change, waiting in plan)' },
    { args: 'fix "Other thing"', told: '"Other thing" was not started' },
  ])("names the terminal with the open gate and offers no keys: isdlc $args", async ({ args, told }) => {
    const { terminal, sandbox } = await atFirstGate();
    const other = await openTerminal(sandbox);
    other.isdlc(args);
    expect(await other.exitCode()).toBe(3);
    const seen = other.screen();
    expect(seen.split(told)).toHaveLength(2);
    expect(seen.split('"add greeting"')).toHaveLength(2);
    expect(seen).toContain(
      `The gate is open at another terminal (process ${terminal.running()}).\nAnswer it there, or press q there first.\n`,
    );
    expect(seen).not.toMatch(/\[C\]|isdlc continue|watching|nterrupted/);
  });

  test("ends the watch at a gate and names the terminal that has it", async () => {
    const { terminal, sandbox } = await atHome({ plan: { turns: { plan: [{ says: ["busy"], delay: 2500 }] } } });
    const other = await openTerminal(sandbox);
    terminal.isdlc('"add greeting" --supervised');
    await terminal.shows("· busy");
    other.isdlc("resume");
    await other.shows("is already driving this run; watching it.");
    await terminal.shows(PROMPT);
    expect(await other.exitCode()).toBe(3);
    expect(other.screen()).toContain(`The gate is open at another terminal (process ${terminal.running()}).`);
    expect(other.screen()).not.toContain("isdlc continue");
  });
});

const TESTED = { files: { "package.json": '{"scripts":{"test":"node -e 0"}}' } };
const LONG = "A plan with very many words about how people are greeted by their name, and by whom, and why.";

describe.skipIf(!hasTmux())("completed steps at a terminal", () => {
  test("keeps phases, documents, tests, verdicts and commits above the status line", async () => {
    const plan = {
      turns: {
        implement: [{ writes: { "hello.js": "1\n" } }],
        "final-review": [{ says: ["looking"], hangs: true }],
      },
    };
    const { terminal } = await atHome({ plan, ...TESTED });
    terminal.isdlc('"add greeting" --tests trust');
    const seen = await terminal.shows("· looking");
    expect(seen).toMatch(
      /▸ Plan\n {2}✓ made plan\.md · Did plan[^\n]*\n▸ Implementation\n {2}✓ npm test passed · Did [^\n]*\n {2}✓ reviewer approves: fine\n {2}✓ committed [0-9a-f]{7}\n/,
    );
    expect(seen).toMatch(/\n▸ Final Review\n▸ Running Final Review with command · [0-9]+s · looking$/);
    terminal.press("C-c");
    expect(await terminal.exitCode()).toBe(130);
  });

  test("prints each failed check once", async () => {
    const refused = {
      verdict: { approved: false, issues: [{ severity: "blocker", description: "No name." }], summary: "" },
    };
    const plan = { turns: { "implement reviewer": [refused, {}] } };
    const { terminal } = await atHome({ plan });
    terminal.isdlc('"add greeting"');
    const seen = await terminal.shows(/\[exit [0-9]|Your choice|What should happen/);
    expect(seen.match(/ {2}✗ reviewer: No name\./g)).toHaveLength(1);
    expect(seen.match(/^▸ Plan$/gm)).toHaveLength(1);
    expect(seen).toMatch(/✗ reviewer: No name\.\n {2}✓ [^\n]+\n {2}✓ reviewer approves/);
  });

  test.each([
    { width: 48, env: { NO_COLOR: "1" }, colours: false },
    { width: 48, env: {}, colours: true },
  ])("prints one row per step, even in $width columns; colors: $colours", async ({ width, env, colours }) => {
    const plan = {
      turns: { plan: [{ result: { status: "done", summary: LONG } }], implement: [{ hangs: true }] },
    };
    const { terminal } = await atHome({ plan, width, env });
    terminal.isdlc('"add greeting"');
    await terminal.shows("▸ Implementation");
    const rows = terminal.rows();
    const [begun, made, next] = rows.slice(rows.findIndex((row) => row.includes("▸ Plan")));
    expect([begun, made, next]).toEqual([
      expect.stringContaining("▸ Plan"),
      expect.stringMatching(/made plan\.md · A plan with very.*…/),
      expect.stringContaining("▸ Implementation"),
    ]);
    // oxlint-disable-next-line no-control-regex -- a colour is such a sequence
    expect([begun, made].some((row) => /\u001B\[/.test(row ?? ""))).toBe(colours);
    terminal.press("C-c");
    await terminal.exitCode();
  });
});
