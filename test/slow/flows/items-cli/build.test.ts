import { expect, test } from "vitest";
import { parsed, type Sandbox } from "../../../support/cli.ts";
import { readEndedCpuSeconds } from "../../../support/cpu-time.ts";
import {
  ANALYSIS,
  BUILD,
  DOCUMENTS,
  fingerprint,
  phasesRun,
  prepareItem,
  readySandbox,
  turns,
} from "../../../items-cli/prepared-item.ts";

const keys = async (sandbox: Sandbox): Promise<string[]> =>
  (await sandbox.status()).phases.map(({ key }: { key: string }) => key);

test.concurrent("builds an analyzed item from 05 in its folder after a confirmation [BUILD-AC-002-01, BUILD-AC-007-01]", async () => {
  const sandbox = await readySandbox();
  const item = prepareItem(sandbox);
  const before = fingerprint(sandbox, item);
  const asked = await sandbox.script("build", "login", "--json", ...sandbox.agent);
  expect(asked.code).toBe(3);
  expect(parsed(asked).choice).toMatchObject({ kind: "confirm", options: ["yes"], flag: "--yes" });
  expect(fingerprint(sandbox, item)).toBe(before);
  expect(sandbox.log()).toEqual([]);
  await sandbox.script("build", "login", "--yes", "--supervised", ...sandbox.agent);
  expect(await keys(sandbox)).toEqual(BUILD);
  expect(await sandbox.status()).toMatchObject({ item, branch: "feature/login", current: "05-test-strategy" });
  expect(sandbox.json(".isdlc/state.json").active_workflow).toMatchObject({ phases: BUILD, artifact_folder: "login" });
});

test.concurrent("commits the analysis on the branch without changing it or its status [BUILD-AC-002-04, BUILD-US-001-02, BUILD-AC-008-01, BUILD-AC-008-02]", async () => {
  const sandbox = await readySandbox();
  const item = prepareItem(sandbox);
  const reads = DOCUMENTS.slice(1).map((name) => `{item}/${name}`);
  sandbox.plan({ turns: { ...turns, "05-test-strategy": [{ reads }] } });
  const built = await sandbox.script("build", "login", "--yes", ...sandbox.agent);
  expect(built.code).toBe(0);
  expect(phasesRun(sandbox)).toEqual(BUILD);
  for (const name of DOCUMENTS)
    expect(sandbox.git("show", `feature/login:${item}/${name}`)).toBe(`# ${name} of the analysis`);
  const strategy = sandbox.log().find(({ phase }) => phase === "05-test-strategy");
  for (const name of DOCUMENTS.slice(1)) {
    expect(strategy?.prompt).toContain(`${item}/${name}`);
    expect(strategy?.reads[`${item}/${name}`]).toBe(`# ${name} of the analysis\n`);
  }
  expect(sandbox.json(`${item}/meta.json`)).toMatchObject({
    workflow_type: "feature",
    build_started_at: expect.stringMatching(/Z$/),
    build_completed_at: expect.stringMatching(/Z$/),
    analysis_status: "analyzed",
    phases_completed: ANALYSIS,
  });
  expect(sandbox.git("status", "--porcelain")).toBe("");
});

test.concurrent("keeps the number of a folder and names the branch after the folder [BUILD-AC-007-02, BUILD-AC-002-03]", async () => {
  const sandbox = await readySandbox();
  const item = prepareItem(sandbox, { slug: "REQ-0022-login" });
  for (const wanted of ["login", "REQ-0022"]) {
    const { choice } = parsed(await sandbox.script("build", wanted, "--json", ...sandbox.agent));
    expect([wanted, choice?.kind]).toEqual([wanted, "confirm"]);
  }
  await sandbox.script("build", "login", "--yes", "--supervised", ...sandbox.agent);
  expect(await sandbox.status()).toMatchObject({ item, branch: "feature/REQ-0022-login" });
});

test.concurrent("adds an unknown title as REQ-NNNN and builds it with every phase [BUILD-AC-007-03, BUILD-NFR-003, BUILD-US-003-02]", async () => {
  const sandbox = await readySandbox();
  prepareItem(sandbox, { slug: "REQ-0022-login" });
  const built = await sandbox.script("build", "Dark mode", "--supervised", ...sandbox.agent);
  expect(built.code).toBe(3);
  expect(built.stderr).toContain("Added docs/requirements/REQ-0023-dark-mode");
  expect(built.stderr).toContain("Analysis Status: Not analyzed");
  expect(await keys(sandbox)).toEqual([...ANALYSIS, ...BUILD]);
  const item = "docs/requirements/REQ-0023-dark-mode";
  expect(await sandbox.status()).toMatchObject({
    item,
    branch: "feature/REQ-0023-dark-mode",
    description: "Dark mode",
  });
  expect(sandbox.json(`${item}/meta.json`)).toMatchObject({ description: "Dark mode", workflow_type: "feature" });
  expect(sandbox.read(`${item}/draft.md`)).toContain("# Dark mode");
  expect(sandbox.read("BACKLOG.md")).toContain("[ ] Dark mode");
});

test.concurrent("builds a backlog line without a folder in full, under its title [BUILD-US-003-01]", async () => {
  const sandbox = await readySandbox();
  sandbox.write(
    "BACKLOG.md",
    "# Backlog\n\n## Open\n\n- 3.1 [ ] Dark mode\n- 3.2 [ ] Export -> [requirements](docs/requirements/export-it/)\n",
  );
  const built = await sandbox.script("build", "3.1", "--yes", ...sandbox.agent);
  expect(built.code).toBe(0);
  expect(built.stderr).not.toContain("Proceed");
  expect(phasesRun(sandbox)).toEqual([...ANALYSIS, ...BUILD]);
  expect(sandbox.json("docs/requirements/REQ-0001-dark-mode/meta.json")).toMatchObject({ description: "Dark mode" });
  expect(sandbox.read("BACKLOG.md")).toContain("- 3.1 [x] Dark mode\n");
  expect(sandbox.read("BACKLOG.md").match(/Dark mode/g)).toHaveLength(1);
});

test.concurrent("creates a missing folder under the name in the backlog", async () => {
  const sandbox = await readySandbox();
  sandbox.write(
    "BACKLOG.md",
    "# Backlog\n\n## Open\n\n- 3.2 [ ] Export -> [requirements](docs/requirements/export-it/)\n",
  );
  await sandbox.script("build", "3.2", "--supervised", ...sandbox.agent);
  expect(await sandbox.status()).toMatchObject({
    item: "docs/requirements/export-it",
    branch: "feature/export-it",
    description: "Export",
  });
  expect(sandbox.json("docs/requirements/export-it/meta.json")).toMatchObject({
    description: "Export",
    slug: "export-it",
  });
});

test.concurrent("builds a folder without meta.json in full and creates the file [BUILD-US-005-01, BUILD-US-005-02, BUILD-AC-001-04]", async () => {
  const sandbox = await readySandbox();
  sandbox.write("docs/requirements/old-work/notes.md", "of the person\n");
  expect((await sandbox.script("build", "old-work", "--yes", ...sandbox.agent)).code).toBe(0);
  expect(phasesRun(sandbox)).toEqual([...ANALYSIS, ...BUILD]);
  expect(sandbox.json("docs/requirements/old-work/meta.json")).toMatchObject({
    analysis_status: "analyzed",
    build_completed_at: expect.stringMatching(/Z$/),
  });
  expect(sandbox.read("docs/requirements/old-work/notes.md")).toBe("of the person\n");
});

test.concurrent("saves a damaged meta.json, rebuilds it and warns once [BUILD-AC-001-05, BUILD-ERR-002, BUILD-NFR-004, BUILD-ERR-ORCH-META-WRITE-FAIL]", async () => {
  const sandbox = await readySandbox();
  sandbox.write("docs/requirements/login/meta.json", "{ damaged");
  sandbox.write("docs/requirements/login/draft.md", "# Login page\n");
  const built = await sandbox.script("build", "login", "--supervised", ...sandbox.agent);
  expect(built.stderr.match(/meta\.json was damaged\. It is kept as meta\.json\.damaged-1/g)).toHaveLength(1);
  expect(built.stderr).not.toContain("was not read");
  expect(await keys(sandbox)).toEqual([...ANALYSIS, ...BUILD]);
  expect(sandbox.read("docs/requirements/login/meta.json.damaged-1")).toBe("{ damaged");
  expect(sandbox.json("docs/requirements/login/meta.json")).toMatchObject({
    description: "Login page",
    workflow_type: "feature",
  });
});

test.concurrent("restores analyzed phases from the journal if meta.json is damaged [BUILD-AC-001-05]", async () => {
  const sandbox = await readySandbox();
  await sandbox.script("analyze", "Login page", "--yes", ...sandbox.agent);
  const item = "docs/requirements/login-page";
  sandbox.write(`${item}/meta.json`, "[]");
  const built = await sandbox.script("build", "login-page", "--json", ...sandbox.agent);
  expect(built.stderr).toContain(`on record: ${ANALYSIS.join(", ")}`);
  expect(sandbox.json(`${item}/meta.json`)).toMatchObject({ phases_completed: ANALYSIS, analysis_status: "analyzed" });
  const again = await sandbox.script("build", "login-page", "--json", ...sandbox.agent);
  expect(again.stderr).not.toContain("damaged");
});

test.concurrent.for([["#42"], ["GH-42"], ["ABC-12"], ["9.9"]])(
  "rejects %s without writing if no such item exists [BUILD-ERR-001]",
  async ([reference]) => {
    const sandbox = await readySandbox();
    for (const verb of ["build", "fix", "feature", "analyze"]) {
      const refused = await sandbox.script(verb, reference ?? "", "--json", ...sandbox.agent);
      expect(refused.code).toBe(1);
      expect(parsed(refused).problem).toMatchObject({ code: "ITEM_UNKNOWN", reference });
    }
    expect(sandbox.git("status", "--porcelain")).toBe("");
  },
);

test.concurrent("treats feature as build, and starts nothing while a run is open [VERBS-BUILD, BUILD-NFR-003]", async () => {
  const sandbox = await readySandbox();
  prepareItem(sandbox);
  await sandbox.script("feature", "login", "--yes", "--supervised", ...sandbox.agent);
  const open = await sandbox.status();
  expect(open).toMatchObject({ workflow: "feature", branch: "feature/login", current: "05-test-strategy" });
  for (const verb of ["build", "feature", "fix"]) {
    const refused = await sandbox.script(verb, "Something else", "--json", ...sandbox.agent);
    expect(refused.code).toBe(3);
    expect(parsed(refused).run.id).toBe(open.id);
  }
  expect(sandbox.git("branch", "--list", "--format=%(refname:short)").split("\n")).toEqual(["feature/login", "main"]);
});

/** Runs alone and measures CPU time, to exclude other work of the machine. */
test("uses less than two seconds of CPU before the first question [BUILD-NFR-001]", async () => {
  const sandbox = await readySandbox();
  prepareItem(sandbox, { phases: 2 });
  const times: number[] = [];
  for (let run = 0; run < 3; run++) {
    const before = readEndedCpuSeconds();
    expect((await sandbox.script("build", "login", ...sandbox.agent)).code).toBe(3);
    times.push(readEndedCpuSeconds() - before);
  }
  expect(Math.min(...times), "seconds of CPU").toBeLessThan(2);
});
