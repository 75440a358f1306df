import { describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import {
  ANALYSIS,
  BUILD,
  DOCUMENTS,
  fingerprint,
  moveOn,
  phasesRun,
  prepareItem,
  readySandbox,
  turns,
} from "../../../items-cli/prepared-item.ts";

const build = (sandbox: Sandbox, ...more: string[]) => sandbox.script("build", "login", ...more, ...sandbox.agent);
const meta = (sandbox: Sandbox) => sandbox.json("docs/requirements/login/meta.json");

describe.concurrent("partial analysis", () => {
  test("offers three choices, lists completed and missing phases, and writes nothing [BUILD-US-002-01, BUILD-AC-003-01, BUILD-AC-003-02]", async () => {
    const sandbox = await readySandbox();
    const item = prepareItem(sandbox, { phases: 2 });
    const before = fingerprint(sandbox, item);
    const asked = await build(sandbox, "--json", "--yes");
    expect(asked.code).toBe(3);
    const { kind, options, flag, about } = parsed(asked).choice;
    expect([kind, options, flag]).toEqual(["partial", ["resume", "skip", "restart"], "--on-partial <option>"]);
    const text = about.join("\n");
    for (const number of ["00", "01"]) expect(text).toContain(`[done] Phase ${number}`);
    for (const number of ["02", "03", "04"]) expect(text).toContain(`[pending] Phase ${number}`);
    expect(fingerprint(sandbox, item)).toBe(before);
  });

  test("runs 02 to 08 with --on-partial resume [BUILD-AC-003-03, BUILD-US-002-02, BUILD-AC-005-03]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { phases: 2 });
    const built = await build(sandbox, "--on-partial", "resume", "--yes");
    expect(built.code).toBe(0);
    expect(built.stderr).toContain("[done] Phase 01: Requirements\n");
    expect(built.stderr).toContain("[pending] Phase 02: Impact Analysis\n");
    expect(phasesRun(sandbox)).toEqual([...ANALYSIS.slice(2), ...BUILD]);
    expect(meta(sandbox)).toMatchObject({ phases_completed: ANALYSIS, analysis_status: "analyzed" });
    expect(sandbox.read("docs/requirements/login/quick-scan.md")).toBe("# quick-scan.md of the analysis\n");
  });

  test("starts at 05 with --on-partial skip and warns about lower quality [BUILD-AC-003-04, BUILD-US-002-03]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { phases: 2 });
    const built = await build(sandbox, "--on-partial", "skip", "--yes");
    expect(built).toMatchObject({ code: 0, stderr: expect.stringContaining("lower quality") });
    expect(phasesRun(sandbox)).toEqual(BUILD);
    expect(meta(sandbox)).toMatchObject({ phases_completed: ANALYSIS.slice(0, 2), analysis_status: "partial" });
  });

  test("clears completed phases and starts at 00 with --on-partial restart [BUILD-AC-003-05]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { phases: 2 });
    sandbox.plan({ turns: { ...turns, "00-quick-scan": [{ reads: ["{item}/meta.json"] }] } });
    const built = await build(sandbox, "--on-partial", "restart", "--supervised");
    expect(built.code).toBe(3);
    const [seen] = Object.values(sandbox.log()[0]?.reads ?? {});
    expect(JSON.parse(seen ?? "")).toMatchObject({ phases_completed: [], analysis_status: "raw" });
    expect((await sandbox.status()).phases).toHaveLength(9);
  });

  test("ignores completed phases after a gap and unknown phases [BUILD-AC-003-06, BUILD-ERR-003, BUILD-NFR-004]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, {
      phases: 1,
      more: { phases_completed: ["00-quick-scan", "77-unknown", "02-impact-analysis"] },
    });
    const asked = await build(sandbox, "--json");
    expect(asked.stderr).toContain("warning: Non-contiguous phases detected");
    expect(parsed(asked).choice.about.join("\n")).toContain("[pending] Phase 01");
  });
});

describe.concurrent("analysis of older code", () => {
  test("offers three choices, shows both commits and their distance, and writes nothing [BUILD-AC-004-02, BUILD-AC-004-03, BUILD-US-004-01]", async () => {
    const sandbox = await readySandbox();
    const item = prepareItem(sandbox);
    const old = sandbox.git("rev-parse", "HEAD");
    moveOn(sandbox, 15);
    const before = fingerprint(sandbox, item);
    for (const more of [[], ["--yes"]]) {
      const { kind, options, about } = parsed(await build(sandbox, "--json", ...more)).choice;
      expect([kind, options]).toEqual(["stale", ["proceed", "rescan", "reanalyze"]]);
      expect(about.join("\n")).toContain(`${old.slice(0, 7)} (15 commits ago)`);
      expect(about.join("\n")).toContain(sandbox.git("rev-parse", "HEAD").slice(0, 7));
    }
    expect(parsed(await build(sandbox, "--json", "--on-stale", "rescan")).choice.kind).toBe("confirm");
    sandbox.write("README.md", "edited\n");
    expect(parsed(await build(sandbox, "--json", "--on-stale", "proceed")).choice.kind).toBe("confirm");
    sandbox.git("checkout", "--quiet", "README.md");
    expect(fingerprint(sandbox, item)).toBe(before);
  });

  test("keeps the analysis with proceed and asks again only after a newer commit [BUILD-AC-004-04, BUILD-US-004-02]", async () => {
    const sandbox = await readySandbox();
    const item = prepareItem(sandbox);
    const old = sandbox.git("rev-parse", "HEAD");
    moveOn(sandbox, 1);
    const head = sandbox.git("rev-parse", "HEAD");
    await build(sandbox, "--on-stale", "proceed", "--yes", "--supervised", "--as", "Ada");
    expect((await sandbox.status()).current).toBe("05-test-strategy");
    expect(meta(sandbox)).toMatchObject({ codebase_hash: old, analysis_status: "analyzed" });
    expect(meta(sandbox).accepted_stale).toEqual([
      { hash: head, by: expect.any(String), at: expect.stringMatching(/Z$/) },
    ]);
    expect(meta(sandbox).accepted_stale[0].by).not.toBe("");
    for (const name of DOCUMENTS) expect(sandbox.read(`${item}/${name}`)).toBe(`# ${name} of the analysis\n`);
    await sandbox.person("cancel", "--reason", "for now");
    sandbox.git("switch", "--quiet", "main");
    expect(parsed(await build(sandbox, "--json")).choice.kind).toBe("confirm");
    moveOn(sandbox, 2);
    expect(parsed(await build(sandbox, "--json")).choice.kind).toBe("stale");
  });

  test("reruns only 00 with rescan, then builds [BUILD-AC-004-05, BUILD-US-004-03]", async () => {
    const sandbox = await readySandbox();
    const item = prepareItem(sandbox);
    moveOn(sandbox, 1);
    const head = sandbox.git("rev-parse", "HEAD");
    expect((await build(sandbox, "--on-stale", "rescan", "--yes")).code).toBe(0);
    expect(phasesRun(sandbox)).toEqual(["00-quick-scan", ...BUILD]);
    expect(meta(sandbox)).toMatchObject({
      codebase_hash: head,
      phases_completed: ANALYSIS,
      analysis_status: "analyzed",
    });
    for (const name of DOCUMENTS.slice(1)) expect(sandbox.read(`${item}/${name}`)).toBe(`# ${name} of the analysis\n`);
  });

  test("keeps a light item analyzed after rescan [BUILD-AC-004-05]", async () => {
    const sandbox = await readySandbox();
    const sizing_decision = { effective_intensity: "light", light_skip_phases: ["03-architecture", "04-design"] };
    prepareItem(sandbox, { phases: 3, more: { analysis_status: "analyzed", sizing_decision } });
    moveOn(sandbox, 1);
    expect((await build(sandbox, "--on-stale", "rescan", "--yes")).code).toBe(0);
    expect(phasesRun(sandbox)).toEqual(["00-quick-scan", ...BUILD]);
    expect(meta(sandbox)).toMatchObject({ phases_completed: ANALYSIS.slice(0, 3), analysis_status: "analyzed" });
  });

  test("asks about missing phases after rescan and runs 00 before the build [BUILD-AC-004-05]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { phases: 4 });
    moveOn(sandbox, 1);
    expect(parsed(await build(sandbox, "--json", "--on-stale", "rescan", "--yes")).choice.kind).toBe("partial");
    await build(sandbox, "--on-stale", "rescan", "--on-partial", "skip", "--yes", "--supervised");
    expect((await sandbox.status()).phases.map(({ key }: { key: string }) => key)).toEqual(["00-quick-scan", ...BUILD]);
  });

  test("clears completed phases, updates the hash and runs everything with reanalyze [BUILD-AC-004-06]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox);
    moveOn(sandbox, 1);
    sandbox.plan({ turns: { ...turns, "00-quick-scan": [{ reads: ["{item}/meta.json"] }] } });
    await build(sandbox, "--on-stale", "reanalyze", "--supervised");
    const [seen] = Object.values(sandbox.log()[0]?.reads ?? {});
    const codebase_hash = sandbox.git("rev-parse", "main");
    expect(JSON.parse(seen ?? "")).toMatchObject({ phases_completed: [], analysis_status: "raw", codebase_hash });
    expect((await sandbox.status()).phases).toHaveLength(9);
  });

  test("skips the comparison without a hash and records it at the start [BUILD-AC-004-07]", async () => {
    const sandbox = await readySandbox();
    const item = prepareItem(sandbox, { hash: null });
    const before = fingerprint(sandbox, item);
    expect(parsed(await build(sandbox, "--json")).choice.kind).toBe("confirm");
    expect(fingerprint(sandbox, item)).toBe(before);
    await build(sandbox, "--yes", "--supervised");
    expect(meta(sandbox).codebase_hash).toBe(sandbox.git("rev-parse", "main"));
  });

  test("asks nothing for an abbreviated hash or commits that change only items [BUILD-AC-004-01]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { hash: sandbox.git("rev-parse", "--short=7", "HEAD") });
    expect(parsed(await build(sandbox, "--json")).choice.kind).toBe("confirm");
    sandbox.git("add", "--all");
    sandbox.git("commit", "--quiet", "--message", "Items only");
    const asked = await build(sandbox, "--json");
    expect(parsed(asked).choice.kind).toBe("confirm");
    expect(asked.stderr).not.toContain("changed since");
  });

  test("warns and skips the staleness check without git [BUILD-ERR-004, BUILD-NFR-004]", async () => {
    const sandbox = await createSandbox({ git: false });
    sandbox.plan({ turns });
    prepareItem(sandbox, { hash: "a".repeat(40) });
    const built = await build(sandbox, "--no-git", "--yes", "--supervised");
    expect(built.stderr).toContain("warning: cannot check if the analysis is stale");
    expect((await sandbox.status()).current).toBe("05-test-strategy");
  });

  test("omits the commit count if the analyzed commit is missing [BUILD-ERR-005]", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { hash: "a".repeat(40) });
    const { kind, about } = parsed(await build(sandbox, "--json")).choice;
    expect(kind).toBe("stale");
    expect(about.join("\n")).not.toContain("commits ago");
  });
});
