import { join } from "node:path";
import { expect, test } from "vitest";
import { createSandbox, parsed } from "../../../support/cli.ts";
import { FEATURE, FOLDER, metaOf, prepareFeature, spec, started } from "./prepared-feature.ts";

const active = `Active feature: ${FOLDER} (standard)`;

test.concurrent("SPEC-R5.4: the active feature is named with its next verb from another branch, from another working tree and after a pull request", async () => {
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

test.concurrent("SPEC-R1.4: phases that a new feature's verb would skip are asked about", async () => {
  const sandbox = await createSandbox();
  const asked = await spec(sandbox, "specify", "Login page", "--json");
  expect(parsed(asked).choice).toMatchObject({ kind: "confirm", flag: "--yes" });
  expect(parsed(asked).choice.about.join()).toContain("Skipped before specify: brainstorm.");
  expect(started(sandbox)).toEqual([]);
  expect((await spec(sandbox, "specify", "Login page", "--yes")).code).toBe(0);
});

test.concurrent("SPEC-R7.2: continue tells the agent that a half-written document is there", async () => {
  const sandbox = await createSandbox();
  const begun = { started: "2026-01-01T00:00:00.000Z", completed: null };
  prepareFeature(sandbox, "specify", {
    more: { phases: { specify: { started: "x", completed: "y" }, design: begun } },
  });
  sandbox.write(`${FEATURE}/design.md`, "# half a design\n");
  sandbox.git("add", "--all");
  sandbox.git("commit", "--quiet", "--message", "half");
  await spec(sandbox, "design", "--yes", "--on-partial", "continue");
  expect(sandbox.log()[0]?.prompt).toContain(`go on with it:\n- ${FEATURE}/design.md`);
});

test.concurrent("SPEC-R7.2: with --json, --on-partial review prints one object that holds the document", async () => {
  const sandbox = await createSandbox();
  const begun = { started: "2026-01-01T00:00:00.000Z", completed: null };
  prepareFeature(sandbox, "specify", { more: { phases: { design: begun } } });
  sandbox.write(`${FEATURE}/design.md`, "# half a design\n");
  const asked = await spec(sandbox, "design", "--yes", "--on-partial", "review", "--json");
  expect(parsed(asked).choice.about.join("\n")).toContain("# half a design");
});

test.concurrent("verified is set by verify, with and without a phase, and taken back by a later one that fails", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "implement");
  expect((await spec(sandbox, "verify", "design")).code).toBe(0);
  expect(metaOf(sandbox).phases.design.verified).toBe(true);
  const verdict = { approved: false, issues: [{ severity: "blocker", description: "wrong" }], summary: "no" };
  sandbox.plan({ turns: { "verify-design reviewer": [{ verdict }] } });
  expect((await spec(sandbox, "verify", "design")).code).toBe(1);
  expect(metaOf(sandbox).phases.design.verified).toBe(false);
  await spec(sandbox, "verify");
  expect(metaOf(sandbox).phases.implement.verified).toBe(true);
});

test.concurrent("later commands of a feature use the agent of its last command", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "specify");
  expect((await spec(sandbox, "design")).code).toBe(0);
  expect((await sandbox.script("create-plan")).code).toBe(0);
  expect(started(sandbox)).toContain("create-plan");
});

test.concurrent("a .meta.json without currentPhase is judged by its files", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "specify", { more: { currentPhase: undefined, phases: {} } });
  const designed = await spec(sandbox, "design");
  expect(designed.code).toBe(0);
  expect(designed.stderr).not.toContain("Skipped");
});

test.concurrent("SPEC-AC5: what is skipped is judged by what was done, not by position; going back names what rests on it", async () => {
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

test.concurrent("SPEC-AC12: elsewhere than the feature's working tree the person may go there, work here, or stop", async () => {
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

test.concurrent("SPEC-R5.2: finish is recorded in phases and currentPhase", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "verify");
  await spec(sandbox, "finish", "--yes");
  await sandbox.person("answer", "pr");
  expect(metaOf(sandbox)).toMatchObject({
    status: "completed",
    currentPhase: "finish",
    phases: { finish: { completed: expect.stringMatching(/Z$/), iterations: 1 } },
  });
});

test.concurrent("a hotfix has no working tree of its own, and run spec in mode full always has", async () => {
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

test.concurrent("a planned feature becomes active with its first phase, and an unknown status is told as such", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "brainstorm", { more: { status: "planned" } });
  expect((await spec(sandbox, "specify", "1")).code).toBe(0);
  expect(metaOf(sandbox).status).toBe("active");
  prepareFeature(sandbox, "brainstorm", { folder: "002-odd", more: { status: "paused" } });
  const refused = parsed(await spec(sandbox, "specify", "2", "--json"));
  expect(refused.problem ?? refused).toMatchObject({ code: "FEATURE_STATUS_UNKNOWN" });
});
