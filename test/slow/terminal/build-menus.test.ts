import { describe, expect, test } from "vitest";
import { ANALYSIS, BUILD, fingerprint, moveOn, phasesRun, prepareItem, turns } from "../../items-cli/prepared-item.ts";
import { atHome, type Home, PROMPT } from "./at-home.ts";
import { hasTmux } from "./terminal.ts";

const PARTIAL = "Your choice (R S F, Enter for R):";
const STALE = "Your choice (P Q A V):";

type PreparedHome = Home & { readonly item: string; readonly before: string };

/** Opens the menu for an analysis that stopped after two phases. */
async function atPartialMenu(): Promise<PreparedHome> {
  const home = await atHome({ plan: { turns } });
  const item = prepareItem(home.sandbox, { phases: 2 });
  const before = fingerprint(home.sandbox, item);
  home.terminal.isdlc("build login --supervised");
  await home.terminal.shows(PARTIAL);
  return { ...home, item, before };
}

/** Opens the menu for an analysis made three commits ago. */
async function atStaleMenu(): Promise<PreparedHome> {
  const home = await atHome({ plan: { turns } });
  const item = prepareItem(home.sandbox);
  moveOn(home.sandbox, 3);
  const before = fingerprint(home.sandbox, item);
  home.terminal.isdlc("build login --supervised");
  await home.terminal.shows(STALE);
  return { ...home, item, before };
}

/** Leaves the first gate. Returns the phases that ran and all phases. */
async function leaveFirstGate({ terminal, sandbox }: Home): Promise<{ ran: string[]; phases: string[] }> {
  await terminal.shows(PROMPT);
  terminal.press("q");
  expect(await terminal.exitCode()).toBe(3);
  const { phases } = await sandbox.status();
  return { ran: phasesRun(sandbox), phases: phases.map(({ key }: { key: string }) => key) };
}

const readMeta = ({ sandbox, item }: PreparedHome) => sandbox.json(`${item}/meta.json`);

describe.skipIf(!hasTmux())("build menu of a partly analyzed item", () => {
  test("shows completed phases, missing phases and three choices [BUILD-AC-003-01, BUILD-AC-003-02]", async () => {
    const { terminal } = await atPartialMenu();
    const seen = terminal.screen();
    expect(seen).toMatch(/The analysis of this item is not complete\.\n {2}\[done\] Phase 00[^]*\[pending\] Phase 04/);
    expect(seen).toMatch(/\[R\] Resume analysis[^]*\[S\] Skip to implementation[^]*\[F\] Full restart/);
  });

  test.each([
    { key: "r", way: "Resume", phases: [...ANALYSIS.slice(2), ...BUILD] },
    { key: "s", way: "Skip", phases: BUILD },
  ])("builds after one confirmation for $way [BUILD-AC-003-03, BUILD-AC-003-04]", async ({ key, phases }) => {
    const home = await atPartialMenu();
    home.terminal.press(key);
    const summary = await home.terminal.shows("Proceed?");
    expect(summary).toContain("Analysis Status: Partial");
    expect(summary.replaceAll(/\s+/g, " ").includes("lower quality")).toBe(key === "s");
    expect(fingerprint(home.sandbox, home.item)).toBe(home.before);
    home.terminal.press("y");
    expect(await leaveFirstGate(home)).toEqual({ ran: phases.slice(0, 1), phases });
  });

  test("restarts at 00 without another question and clears completed phases [BUILD-AC-003-05]", async () => {
    const home = await atPartialMenu();
    home.terminal.press("f");
    expect(await leaveFirstGate(home)).toEqual({ ran: ["00-quick-scan"], phases: [...ANALYSIS, ...BUILD] });
    expect(readMeta(home).phases_completed).toEqual([]);
  });

  test("asks again after another key, and writes nothing after Ctrl-C or no", async () => {
    const home = await atPartialMenu();
    home.terminal.press("x");
    await home.terminal.shows(/Unknown key\. Press one of R S F\.\n[^]*Your choice \(R S F, Enter for R\):/);
    home.terminal.press("C-c");
    expect(await home.terminal.exitCode()).toBe(3);
    expect(home.terminal.screen()).toContain("Run it again with --on-partial resume,");
    home.terminal.isdlc("build login --supervised");
    await home.terminal.shows(PARTIAL);
    home.terminal.press("r");
    await home.terminal.shows("Proceed?");
    home.terminal.press("n");
    expect(await home.terminal.exitCode()).toBe(3);
    expect(home.terminal.screen()).toContain("Build cancelled. Nothing was written.");
    expect(fingerprint(home.sandbox, home.item)).toBe(home.before);
    expect(home.sandbox.log()).toEqual([]);
  });
});

describe.skipIf(!hasTmux())("build menu of an item analyzed at an older commit", () => {
  test("shows both commits, their distance and the choices [BUILD-AC-004-02, BUILD-AC-004-03]", async () => {
    const { terminal, sandbox } = await atStaleMenu();
    const [old = "", head = ""] = ["HEAD~3", "HEAD"].map((commit) => sandbox.git("rev-parse", "--short=7", commit));
    const seen = terminal.screen();
    expect(seen).toContain(`Analysis was performed at commit ${old} (3 commits ago).\nCurrent HEAD is ${head}.`);
    expect(seen).toMatch(/changed since it was made:\n {2}- /);
    expect(seen).toMatch(/\[P\] Proceed anyway[^]*\[Q\] Re-run quick-scan[^]*\[A\] Re-analyze[^]*\[V\] View/);
    terminal.press("v");
    await terminal.shows("diff --git");
    terminal.press("q");
    await terminal.shows(STALE);
    terminal.press("q");
    await terminal.shows("Press Q again to re-run the quick-scan.");
  });

  test("keeps the analysis on Proceed and records the accepted commit [BUILD-AC-004-04]", async () => {
    const home = await atStaleMenu();
    home.terminal.press("p");
    await home.terminal.shows("Proceed?");
    home.terminal.press("y");
    expect(await leaveFirstGate(home)).toEqual({ ran: BUILD.slice(0, 1), phases: BUILD });
    expect(readMeta(home)).toMatchObject({ accepted_stale: [{ hash: home.sandbox.git("rev-parse", "main") }] });
  });

  test("reruns only the quick scan before the build on Quick-scan [BUILD-AC-004-05]", async () => {
    const home = await atStaleMenu();
    home.terminal.press("q");
    await home.terminal.shows("Proceed?");
    home.terminal.press("y");
    const phases = ["00-quick-scan", ...BUILD];
    expect(await leaveFirstGate(home)).toEqual({ ran: ["00-quick-scan"], phases });
  });

  test("restarts at 00 without another question on Re-analyze [BUILD-AC-004-06]", async () => {
    const home = await atStaleMenu();
    home.terminal.press("a");
    expect(await leaveFirstGate(home)).toEqual({ ran: ["00-quick-scan"], phases: [...ANALYSIS, ...BUILD] });
    expect(readMeta(home)).toMatchObject({ phases_completed: [], analysis_status: "raw" });
  });

  test("writes nothing on Ctrl-C and prints the option to use", async () => {
    const home = await atStaleMenu();
    home.terminal.press("C-c");
    expect(await home.terminal.exitCode()).toBe(3);
    expect(home.terminal.screen()).toContain("Run it again with --on-stale proceed,");
    expect(fingerprint(home.sandbox, home.item)).toBe(home.before);
  });
});

describe.skipIf(!hasTmux())("build of an ambiguous item", () => {
  test("lists matching items that are not built, and builds by exact name [VERBS-BUILD]", async () => {
    const home = await atHome({ plan: { turns } });
    const { terminal, sandbox } = home;
    prepareItem(sandbox, { slug: "page-login" });
    prepareItem(sandbox, { slug: "mail-login" });
    prepareItem(sandbox, { slug: "old-login", more: { build_completed_at: "2026-01-02T00:00:00.000Z" } });
    terminal.isdlc("build login --supervised");
    expect(await terminal.exitCode()).toBe(3);
    const seen = terminal.screen();
    expect(seen).toMatch(/Several items match:\n {2}mail-login\n {2}page-login\n/);
    expect(seen).toContain("Run it again with one of these names instead.");
    expect(seen).not.toContain("old-login");
    expect(sandbox.log()).toEqual([]);
    terminal.isdlc("build mail-login --supervised");
    await terminal.shows("Proceed?");
    terminal.press("q");
    expect(await terminal.exitCode()).toBe(3);
    expect(sandbox.log()).toEqual([]);
    terminal.isdlc("build mail-login --supervised");
    await terminal.shows("Proceed? [Y/n]");
    terminal.press("Enter");
    expect(await leaveFirstGate(home)).toEqual({ ran: BUILD.slice(0, 1), phases: BUILD });
    expect(await sandbox.status()).toMatchObject({ item: "docs/requirements/mail-login" });
  });
});
