import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed } from "../../../support/cli.ts";
import { FEATURE, FOLDER, readMeta, prepareFeature, spec, started } from "./prepared-feature.ts";

const active = `Active feature: ${FOLDER} (standard)`;

test.concurrent("names the active feature and its next command on other branches and worktrees [SPEC-R5.4]", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "specify");
  sandbox.git("switch", "--quiet", "main");
  for (const args of [[], ["status"], ["hook", "session-start"]]) {
    const { stdout } = await sandbox.script(...args);
    expect([args, stdout]).toEqual([args, expect.stringContaining(active)]);
    expect([args, stdout]).toEqual([args, expect.stringContaining("isdlc design")]);
  }
  sandbox.git("worktree", "add", "--quiet", "../second", `feature/${FOLDER}`);
  expect((await sandbox.script("status")).stdout).toMatch(new RegExp(`Next: isdlc -C \\S*second design`));
  sandbox.git("worktree", "remove", "--force", "../second");
  prepareFeature(sandbox, "finish", { folder: "002-done", more: { status: "completed" } });
  expect((await sandbox.script("hook", "session-start")).stdout).toContain(active);
  expect((await spec(sandbox, "design", "--yes")).code).toBe(0);
  expect(sandbox.git("branch", "--show-current")).toBe(`feature/${FOLDER}`);
});

test.concurrent("asks about skipped phases of a new feature [SPEC-R1.4]", async () => {
  const sandbox = await createSandbox();
  const asked = await spec(sandbox, "specify", "Login page", "--json");
  expect(parsed(asked).choice).toMatchObject({ kind: "confirm", flag: "--yes" });
  expect(parsed(asked).choice.about.join()).toContain("Skipped before specify: brainstorm.");
  expect(started(sandbox)).toEqual([]);
  expect((await spec(sandbox, "specify", "Login page", "--yes")).code).toBe(0);
});

test.concurrent("lists the unfinished document in the prompt after continue [SPEC-R7.2]", async () => {
  const sandbox = await createSandbox();
  const begun = { started: "2026-01-01T00:00:00.000Z", completed: null };
  prepareFeature(sandbox, "specify", {
    more: { phases: { specify: { started: "x", completed: "y" }, design: begun } },
  });
  sandbox.write(`${FEATURE}/design.md`, "# half a design\n");
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", "half");
  await spec(sandbox, "design", "--yes", "--on-partial", "continue");
  expect(sandbox.log()[0]?.prompt).toContain(`continue with them:\n- ${FEATURE}/design.md`);
});

test.concurrent("prints one JSON object that contains the document with --on-partial review [SPEC-R7.2]", async () => {
  const sandbox = await createSandbox();
  const begun = { started: "2026-01-01T00:00:00.000Z", completed: null };
  prepareFeature(sandbox, "specify", { more: { phases: { design: begun } } });
  sandbox.write(`${FEATURE}/design.md`, "# half a design\n");
  const asked = await spec(sandbox, "design", "--yes", "--on-partial", "review", "--json");
  expect(parsed(asked).choice.about.join("\n")).toContain("# half a design");
});

test.concurrent("sets verified in verify, and resets it if a later review fails", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "implement");
  expect((await spec(sandbox, "verify", "design")).code).toBe(0);
  expect(readMeta(sandbox).phases.design.verified).toBe(true);
  const verdict = { approved: false, issues: [{ severity: "blocker", description: "wrong" }], summary: "no" };
  sandbox.plan({ turns: { "verify-design reviewer": [{ verdict }] } });
  expect((await spec(sandbox, "verify", "design")).code).toBe(1);
  expect(readMeta(sandbox).phases.design.verified).toBe(false);
  await spec(sandbox, "verify");
  expect(readMeta(sandbox).phases.implement.verified).toBe(true);
});

test.concurrent("uses the agent of a feature's last command in later commands", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "specify");
  expect((await spec(sandbox, "design")).code).toBe(0);
  expect((await sandbox.script("create-plan")).code).toBe(0);
  expect(started(sandbox)).toContain("create-plan");
});

test.concurrent("derives the phase from the documents if .meta.json has no currentPhase", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "specify", { more: { currentPhase: undefined, phases: {} } });
  const designed = await spec(sandbox, "design");
  expect(designed.code).toBe(0);
  expect(designed.stderr).not.toContain("Skipped");
});

test.concurrent("finds skipped phases by document and warns about later documents [SPEC-AC5]", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "create-plan", { more: { phases: {} } });
  sandbox.git("rm", "--quiet", `${FEATURE}/design.md`);
  sandbox.git("commit", "--quiet", "--message", "no design");
  const asked = parsed(await spec(sandbox, "create-tasks", "--json")).choice;
  expect(asked.about.join()).toContain("Skipped before create-tasks: design.");
  const back = await spec(sandbox, "specify");
  expect(back.code).toBe(0);
  expect(back.stderr).toContain("warning: Going back to specify: plan.md rest on the spec.md that is there now.");
});

test.concurrent("lets the user continue in the feature's worktree or in place [SPEC-AC12]", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "specify", { more: { worktree: "../tree-001-login-page" } });
  sandbox.git("switch", "--quiet", "-c", "other");
  sandbox.git("worktree", "add", "--quiet", "../tree-001-login-page", `feature/${FOLDER}`);
  const asked = parsed(await spec(sandbox, "design", "1", "--json")).choice;
  expect(asked).toMatchObject({ kind: "place", options: ["there", "here"] });
  expect(started(sandbox)).toEqual([]);
  expect((await spec(sandbox, "design", "1", "--here", "--yes")).code).toBe(0);
  expect(sandbox.log()[0]?.cwd).toBe(sandbox.root);
  expect((await spec(sandbox, "design", "1", "--yes")).code).toBe(0);
  expect(
    sandbox
      .log()
      .filter(({ key }) => key === "design")
      .at(-1)?.cwd,
  ).toBe(join(sandbox.base, "tree-001-login-page"));
});

test.concurrent("records finish in phases and currentPhase [SPEC-R5.2]", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "verify");
  await spec(sandbox, "finish", "--yes");
  await sandbox.person("answer", "pr");
  expect(readMeta(sandbox)).toMatchObject({
    status: "completed",
    currentPhase: "finish",
    phases: { finish: { completed: expect.stringMatching(/Z$/), iterations: 1 } },
  });
});

test.concurrent("refuses a worktree for a hotfix, and always creates one in full mode", async () => {
  const sandbox = await createSandbox();
  for (const args of [
    ["implement", "Login page"],
    ["run", "spec", "Login page"],
  ]) {
    const refused = await spec(sandbox, ...args, "--mode", "hotfix", "--worktree");
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("A hotfix is done in place");
  }
  const full = await spec(sandbox, "run", "spec", "Login page", "--mode", "full", "--review", "brainstorm");
  expect(full.stderr).toMatch(/Working tree: \S+tree-001-login-page on feature\/001-login-page/);
});

test.concurrent("activates a planned feature with its first phase and rejects unknown statuses", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "brainstorm", { more: { status: "planned" } });
  expect((await spec(sandbox, "specify", "1")).code).toBe(0);
  expect(readMeta(sandbox).status).toBe("active");
  prepareFeature(sandbox, "brainstorm", { folder: "002-odd", more: { status: "paused" } });
  const refused = parsed(await spec(sandbox, "specify", "2", "--json"));
  expect(refused.problem ?? refused).toMatchObject({ code: "FEATURE_STATUS_UNKNOWN" });
});
