import { expect, test } from "vitest";
import { createSandbox, parsed } from "../../../support/cli.ts";
import { ANALYSIS, BUILD, moveOn, phasesRun, prepareItem, turns } from "../../../items-cli/prepared-item.ts";

test.concurrent("runs 00 to 04 for a new title without a branch or commit [VERBS-ANALYZE]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { ...turns, "01-requirements": [{ reads: ["{item}/meta.json", "BACKLOG.md"] }] } });
  const analysed = await sandbox.script("analyze", "Login page", "--yes", ...sandbox.agent);
  expect(analysed).toMatchObject({ code: 0, stderr: expect.stringContaining("Added docs/requirements/login-page") });
  expect(phasesRun(sandbox)).toEqual(ANALYSIS);
  const [meta, backlog] = Object.values(sandbox.log().find(({ phase }) => phase === "01-requirements")?.reads ?? {});
  expect(JSON.parse(meta ?? "")).toMatchObject({ phases_completed: ["00-quick-scan"], analysis_status: "partial" });
  expect(backlog).toContain("[~] Login page");
  const after = sandbox.json("docs/requirements/login-page/meta.json");
  expect(after).toMatchObject({
    description: "Login page",
    phases_completed: ANALYSIS,
    analysis_status: "analyzed",
    codebase_hash: sandbox.git("rev-parse", "HEAD"),
  });
  expect(Object.keys(after.phase_timestamps)).toEqual(ANALYSIS);
  expect(sandbox.read("BACKLOG.md")).toContain("[A] Login page");
  expect(sandbox.git("branch", "--list")).toBe("* main");
  expect(sandbox.git("rev-list", "--count", "HEAD")).toBe("1");
  expect(sandbox.git("status", "--porcelain", "--untracked-files=no")).toBe("");
  expect(await sandbox.status()).toBeNull();
  const again = await sandbox.script("analyze", "login-page", ...sandbox.agent);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("analyzed already") });
});

test.concurrent("continues a stopped analysis while another run is open [VERBS-ANALYZE]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { ...turns, "02-impact-analysis": [{ exit: 1, silent: true, artifacts: false }] } });
  expect((await sandbox.script("other work", ...sandbox.agent)).code).toBe(3);
  const open = await sandbox.status();
  const stopped = await sandbox.script("analyze", "Login page", "--yes", ...sandbox.agent);
  expect(stopped.code).toBe(3);
  expect(sandbox.json("docs/requirements/login-page/meta.json").phases_completed).toEqual(ANALYSIS.slice(0, 2));
  expect((await sandbox.script("analyze", "login-page", ...sandbox.agent)).code).toBe(3);
  sandbox.plan({ turns });
  const retried = await sandbox.person("retry", "--item", "login-page");
  expect(retried.code).toBe(0);
  expect(sandbox.json("docs/requirements/login-page/meta.json").phases_completed).toEqual(ANALYSIS);
  expect(sandbox.log().filter(({ phase }) => phase === "00-quick-scan")).toHaveLength(1);
  expect(await sandbox.status()).toEqual(open);
});

test.concurrent("runs only the missing phases and warns if the code changed [VERBS-ANALYZE]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  const item = prepareItem(sandbox, { phases: 3 });
  moveOn(sandbox, 2);
  const analysed = await sandbox.script("analyze", "login", "--yes", ...sandbox.agent);
  expect(analysed.code).toBe(0);
  expect(analysed.stderr).toMatch(/warning: Analysis was performed at commit [0-9a-f]{7} \(2 commits ago\)/);
  expect(phasesRun(sandbox)).toEqual(ANALYSIS.slice(3));
  expect(sandbox.json(`${item}/meta.json`)).toMatchObject({ phases_completed: ANALYSIS, analysis_status: "analyzed" });
});

test.concurrent("creates no item if a question comes before the analysis [VERBS-ANALYZE]", async () => {
  const sandbox = await createSandbox({ git: false });
  const asked = await sandbox.script("analyze", "Login page", "--json", ...sandbox.agent);
  expect(asked.code).toBe(3);
  expect(parsed(asked).choice).toMatchObject({ kind: "confirm", flag: "--no-git" });
  expect(() => sandbox.read("docs/requirements/login-page/meta.json")).toThrow("ENOENT");
  expect(() => sandbox.read("BACKLOG.md")).toThrow("ENOENT");
});

test.concurrent("starts the build at 05 after a complete analysis [BUILD-NFR-005, BUILD-US-001-01, BUILD-AC-002-01]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { ...turns, "05-test-strategy": [{ reads: ["{item}/requirements-spec.md"] }] } });
  expect((await sandbox.script("analyze", "Login page", "--yes", ...sandbox.agent)).code).toBe(0);
  const spec = sandbox.read("docs/requirements/login-page/requirements-spec.md");
  const built = await sandbox.script("build", "login-page", "--yes", "--supervised", ...sandbox.agent);
  expect(built.code).toBe(3);
  for (const label of ["Quick Scan", "Requirements", "Impact Analysis", "Architecture", "Design"])
    expect(built.stderr).toMatch(
      new RegExp(`\\[done\\] Phase 0\\d: ${label} \\(\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\)`),
    );
  const { phases, current } = await sandbox.status();
  expect([phases.map(({ key }: { key: string }) => key), current]).toEqual([BUILD, "05-test-strategy"]);
  expect(sandbox.json(".isdlc/state.json").active_workflow.phases).toEqual(BUILD);
  const strategy = sandbox.log().find(({ phase, role }) => phase === "05-test-strategy" && role === "phase");
  expect(Object.values(strategy?.reads ?? {})).toEqual([spec]);
});

test.concurrent("offers three choices in build after phases 00 and 01 of the analysis [BUILD-NFR-005]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { "02-impact-analysis": [{ exit: 1, silent: true, artifacts: false }] } });
  await sandbox.script("analyze", "Login page", ...sandbox.agent);
  const open = parsed(await sandbox.script("build", "login-page", "--json", ...sandbox.agent)).choice;
  expect(open).toMatchObject({ kind: "confirm", flag: "--yes" });
  expect(open.about.join("\n")).toMatch(
    /analysis of login-page is open, at 02-impact-analysis[^]*isdlc analyze login-page/,
  );
  const asked = await sandbox.script("build", "login-page", "--yes", "--json", ...sandbox.agent);
  expect(asked.code).toBe(3);
  expect(asked.stderr).toContain("The analysis of login-page is open");
  expect(parsed(asked).choice).toMatchObject({ kind: "partial", options: ["resume", "skip", "restart"] });
});

test.concurrent("discards and lists files that the agent writes outside the item's folder [VERBS-ANALYZE]", async () => {
  const sandbox = await createSandbox();
  const stray = { "src/stray.txt": "stray", "README.md": "overwritten", "docs/requirements/other/a.md": "not mine" };
  const own = { "{item}/notes/deep.md": "kept" };
  sandbox.plan({ turns: { ...turns, "00-quick-scan": [{ writes: { ...stray, ...own } }] } });
  sandbox.write("README.md", "the person's own\n");
  const analysed = await sandbox.script("analyze", "Login page", "--yes", ...sandbox.agent);
  expect(analysed.code).toBe(0);
  expect(sandbox.read("docs/requirements/login-page/notes/deep.md")).toBe("kept");
  expect(sandbox.read("README.md")).toBe("the person's own\n");
  for (const path of ["src/stray.txt", "docs/requirements/other/a.md"])
    expect(() => sandbox.read(path)).toThrow("ENOENT");
  const told =
    "Not kept, as it lies outside of the item's folder or is a link: README.md, docs/requirements/other, src";
  expect(analysed.stdout).toContain(told);
});

test.concurrent("discards and lists a symbolic link in the item's folder [VERBS-ANALYZE]", async () => {
  const sandbox = await createSandbox({ files: { "secret.txt": "secret" } });
  sandbox.plan({ turns: { ...turns, "00-quick-scan": [{ links: { "{item}/link.md": "/etc/hostname" } }] } });
  const analysed = await sandbox.script("analyze", "Login page", "--yes", ...sandbox.agent);
  expect(analysed).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("or is a link: docs/requirements/login-page/link.md"),
  });
  expect(() => sandbox.read("docs/requirements/login-page/link.md")).toThrow("ENOENT");
});
