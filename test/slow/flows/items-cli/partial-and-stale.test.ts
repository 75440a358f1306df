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

describe.concurrent("an analysis done in part:", () => {
  test("BUILD-US-002-01, BUILD-AC-003-01, BUILD-AC-003-02: what is done, what is missing and three ways; nothing is written", async () => {
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

  test("BUILD-AC-003-03, BUILD-US-002-02, BUILD-AC-005-03: resume begins at 02 and runs through 08", async () => {
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

  test("BUILD-AC-003-04, BUILD-US-002-03: skip begins at 05 and says what that costs", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { phases: 2 });
    const built = await build(sandbox, "--on-partial", "skip", "--yes");
    expect(built).toMatchObject({ code: 0, stderr: expect.stringContaining("lower quality") });
    expect(phasesRun(sandbox)).toEqual(BUILD);
    expect(meta(sandbox)).toMatchObject({ phases_completed: ANALYSIS.slice(0, 2), analysis_status: "partial" });
  });

  test("BUILD-AC-003-05: restart empties what is done and runs from 00, without another question", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { phases: 2 });
    sandbox.plan({ turns: { ...turns, "00-quick-scan": [{ reads: ["{item}/meta.json"] }] } });
    const built = await build(sandbox, "--on-partial", "restart", "--supervised");
    expect(built.code).toBe(3);
    const [seen] = Object.values(sandbox.log()[0]?.reads ?? {});
    expect(JSON.parse(seen ?? "")).toMatchObject({ phases_completed: [], analysis_status: "raw" });
    expect((await sandbox.status()).phases).toHaveLength(9);
  });

  test("BUILD-AC-003-06, BUILD-ERR-003, BUILD-NFR-004: only what is done without a gap counts, unknown phases do not", async () => {
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

describe.concurrent("an analysis of older code:", () => {
  test("BUILD-AC-004-02, BUILD-AC-004-03, BUILD-US-004-01: both commits, how many lie between, three ways; nothing is written", async () => {
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

  test("BUILD-AC-004-04, BUILD-US-004-02: proceed keeps hash and documents, is recorded with who and when, and not asked again for that commit", async () => {
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

  test("BUILD-AC-004-05, BUILD-US-004-03: rescan runs 00 again, then goes on where the analysis stood", async () => {
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

  test("BUILD-AC-004-05: rescan of an item that was sized light leaves it analysed", async () => {
    const sandbox = await readySandbox();
    const sizing_decision = { effective_intensity: "light", light_skip_phases: ["03-architecture", "04-design"] };
    prepareItem(sandbox, { phases: 3, more: { analysis_status: "analyzed", sizing_decision } });
    moveOn(sandbox, 1);
    expect((await build(sandbox, "--on-stale", "rescan", "--yes")).code).toBe(0);
    expect(phasesRun(sandbox)).toEqual(["00-quick-scan", ...BUILD]);
    expect(meta(sandbox)).toMatchObject({ phases_completed: ANALYSIS.slice(0, 3), analysis_status: "analyzed" });
  });

  test("BUILD-AC-004-05: rescan of one that is also unfinished asks for that next, and skips or resumes after 00", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { phases: 4 });
    moveOn(sandbox, 1);
    expect(parsed(await build(sandbox, "--json", "--on-stale", "rescan", "--yes")).choice.kind).toBe("partial");
    await build(sandbox, "--on-stale", "rescan", "--on-partial", "skip", "--yes", "--supervised");
    expect((await sandbox.status()).phases.map(({ key }: { key: string }) => key)).toEqual(["00-quick-scan", ...BUILD]);
  });

  test("BUILD-AC-004-06: reanalyze empties what is done, takes the new hash and runs everything", async () => {
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

  test("BUILD-AC-004-07: without a hash nothing is compared, and it is filled in when the build begins", async () => {
    const sandbox = await readySandbox();
    const item = prepareItem(sandbox, { hash: null });
    const before = fingerprint(sandbox, item);
    expect(parsed(await build(sandbox, "--json")).choice.kind).toBe("confirm");
    expect(fingerprint(sandbox, item)).toBe(before);
    await build(sandbox, "--yes", "--supervised");
    expect(meta(sandbox).codebase_hash).toBe(sandbox.git("rev-parse", "main"));
  });

  test("BUILD-AC-004-01: the same commit, given short, and commits of items only ask nothing", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { hash: sandbox.git("rev-parse", "--short=7", "HEAD") });
    expect(parsed(await build(sandbox, "--json")).choice.kind).toBe("confirm");
    sandbox.git("add", "--all");
    sandbox.git("commit", "--quiet", "--message", "Items only");
    const asked = await build(sandbox, "--json");
    expect(parsed(asked).choice.kind).toBe("confirm");
    expect(asked.stderr).not.toContain("changed since");
  });

  test("BUILD-ERR-004, BUILD-NFR-004: without a repository staleness is skipped with a warning", async () => {
    const sandbox = await createSandbox({ git: false });
    sandbox.plan({ turns });
    prepareItem(sandbox, { hash: "a".repeat(40) });
    const built = await build(sandbox, "--no-git", "--yes", "--supervised");
    expect(built.stderr).toContain("warning: git could not tell where HEAD is");
    expect((await sandbox.status()).current).toBe("05-test-strategy");
  });

  test("BUILD-ERR-005: a commit that is gone leaves the count out, and the choice stays", async () => {
    const sandbox = await readySandbox();
    prepareItem(sandbox, { hash: "a".repeat(40) });
    const { kind, about } = parsed(await build(sandbox, "--json")).choice;
    expect(kind).toBe("stale");
    expect(about.join("\n")).not.toContain("commits ago");
  });
});
