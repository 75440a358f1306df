import { expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import { BUILD, DOCUMENTS, prepareItem, turns } from "../../../items-cli/prepared-item.ts";

const BACKLOG = "# Backlog\n\n## Open\n\n- 3.1 [A] Login page -> [requirements](docs/requirements/login/)\n";

/** An analyzed item whose build asks how to finish, while the base has changed the same file. */
async function beforeConflict(...options: string[]): Promise<{ sandbox: Sandbox; item: string }> {
  const sandbox = await createSandbox({ files: { "src/a.txt": "old\n", "BACKLOG.md": BACKLOG } });
  sandbox.plan({ turns });
  const item = prepareItem(sandbox);
  const asked = await sandbox.script("build", "login", "--yes", ...options, ...sandbox.agent);
  expect(asked.code).toBe(3);
  await toFinish(sandbox);
  sandbox.git("switch", "--quiet", "main");
  sandbox.write("src/a.txt", "other\n");
  sandbox.git("commit", "--quiet", "--all", "--message", "Other");
  sandbox.git("switch", "--quiet", "feature/login");
  return { sandbox, item };
}

async function toFinish(sandbox: Sandbox): Promise<void> {
  for (const phase of BUILD) expect([phase, (await sandbox.person("continue")).code]).toEqual([phase, 3]);
  expect((await sandbox.status()).waiting.kind).toBe("finish");
}

const completedAt = (sandbox: Sandbox, item: string): unknown =>
  sandbox.json(`${item}/meta.json`).build_completed_at ?? null;

test.concurrent("records no build if the merge conflicts and the run is cancelled [VERBS-BUILD]", async () => {
  const { sandbox, item } = await beforeConflict("--supervised");
  const moved = parsed(await sandbox.person("answer", "merge", "--json")).run.waiting;
  expect([moved.kind, moved.moved[0]]).toEqual(["finish", expect.stringMatching(/^main moved/)]);
  const asked = parsed(await sandbox.person("answer", "merge", "--json")).run.waiting;
  expect(asked).toMatchObject({ kind: "escalation", reason: "merge_conflict" });
  const cancelled = await sandbox.person("cancel", "--reason", "not like this");
  expect(cancelled).toMatchObject({ stderr: "" });
  expect(completedAt(sandbox, item)).toBeNull();
  expect(sandbox.json(`${item}/meta.json`)).toMatchObject({ analysis_status: "analyzed", description: "Login page" });
  expect(sandbox.read("BACKLOG.md")).toBe(BACKLOG);
  expect(sandbox.git("status", "--porcelain")).toBe("");
  expect(sandbox.git("show", "feature/login:BACKLOG.md")).toBe(BACKLOG.trim());
  expect(parsed(await sandbox.script("items", "--json")).items).toMatchObject([{ slug: "login", status: "analyzed" }]);
});

test.concurrent("records the build on the branch if the conflicting work is kept there [VERBS-BUILD]", async () => {
  const { sandbox, item } = await beforeConflict("--supervised");
  await sandbox.person("answer", "merge");
  await sandbox.person("answer", "merge");
  const kept = parsed(await sandbox.person("skip", "--json")).run;
  expect(kept).toMatchObject({ status: "completed", finish: "keep" });
  expect(completedAt(sandbox, item)).toMatch(/Z$/);
  expect(sandbox.git("show", "feature/login:BACKLOG.md")).toContain("- 3.1 [x] Login page");
  expect(sandbox.git("show", "main:BACKLOG.md")).toBe(BACKLOG.trim());
});

test.concurrent("merges the work and its completion record in one commit [VERBS-BUILD]", async () => {
  const sandbox = await createSandbox({ files: { "BACKLOG.md": BACKLOG } });
  sandbox.plan({ turns });
  const item = prepareItem(sandbox);
  expect((await sandbox.script("build", "login", "--yes", "--merge", ...sandbox.agent)).code).toBe(0);
  expect(sandbox.git("branch", "--show-current")).toBe("main");
  expect(sandbox.git("log", "-1", "--format=%s", "main")).toMatch(/^Merge feature\/login/);
  expect(completedAt(sandbox, item)).toMatch(/Z$/);
  expect(sandbox.git("show", "main:BACKLOG.md")).toContain("- 3.1 [x] Login page");
  expect(sandbox.git("status", "--porcelain")).toBe("");
});

test.concurrent("keeps the record of an earlier build if a new run is cancelled [VERBS-BUILD]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  const earlier = "2026-01-02T00:00:00.000Z";
  const item = prepareItem(sandbox, { more: { build_completed_at: earlier } });
  expect((await sandbox.script("build", "login", "--yes", "--supervised", ...sandbox.agent)).code).toBe(3);
  await sandbox.person("cancel", "--reason", "not now");
  expect(completedAt(sandbox, item)).toBe(earlier);
});

test.concurrent("includes analysis and completion record in the one commit of --commits end [BUILD-AC-002-04]", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns });
  const item = prepareItem(sandbox);
  sandbox.write("BACKLOG.md", BACKLOG);
  const built = await sandbox.script("build", "login", "--yes", "--allow-dirty", "--commits", "end", ...sandbox.agent);
  expect(built).toMatchObject({ code: 0 });
  expect(sandbox.git("log", "--format=%s", "main..feature/login").split("\n")).toHaveLength(1);
  for (const name of DOCUMENTS)
    expect(sandbox.git("show", `feature/login:${item}/${name}`)).toBe(`# ${name} of the analysis`);
  expect(sandbox.git("show", `feature/login:${item}/meta.json`)).toContain("build_completed_at");
  expect(sandbox.git("show", "feature/login:BACKLOG.md")).toContain("- 3.1 [x] Login page");
  expect(sandbox.git("show", "feature/login:src/a.txt")).toBe("by the agent");
  expect(sandbox.git("status", "--porcelain")).toBe("");
});
