import { expect, test } from "vitest";
import { SPEC_FILES } from "../../../../src/core/spec/spec-phases.ts";
import { createSandbox, parsed } from "../../../support/cli.ts";
import {
  BRANCH,
  FEATURE,
  isThere,
  metaAt,
  readMeta,
  prepareFeature,
  spec,
  started,
  worktreePath,
} from "./prepared-feature.ts";

const WRITTEN = ["specify", "design", "create-plan", "create-tasks", "implement"];

test.concurrent("takes a feature through all commands to its merge [SPEC-AC1, SPEC-AC15, SPEC-R2.1, SPEC-R5.2, SPEC-R6.3]", async () => {
  const sandbox = await createSandbox();
  const tree = worktreePath(sandbox);
  const tasks = "# Tasks\n\n- [x] T1: write it\n";
  sandbox.plan({
    turns: {
      "create-tasks tasks": [{ writes: { "{item}/tasks.md": tasks } }],
      implement: [{ writes: { "src/login.js": "export const login = 1;\n" } }],
    },
  });
  const begun = await spec(sandbox, "brainstorm", "Login page", "--worktree");
  expect(begun).toMatchObject({ code: 0, stderr: expect.stringContaining(`Working tree: ${tree} on ${BRANCH}`) });
  for (const verb of [...WRITTEN, "verify"]) {
    const { code, stderr } = await spec(sandbox, "-C", tree, verb);
    expect([verb, code, stderr.includes("warning:")]).toEqual([verb, 0, false]);
    expect(stderr.includes("Phase complete (1 iteration)")).toBe(verb !== "verify");
  }
  const reviewed = WRITTEN.flatMap((phase) => [
    phase === "create-tasks" ? `${phase} tasks` : phase,
    `${phase} reviewer`,
  ]);
  expect(started(sandbox)).toEqual(["brainstorm", ...reviewed, "verify"]);
  expect(isThere(`${tree}/${FEATURE}/.review-history.md`)).toBe(true);
  expect((await spec(sandbox, "-C", tree, "finish")).code).toBe(3);
  const ended = await sandbox.person("-C", tree, "answer", "merge");
  expect(ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/Merged into main[^]*Deleted feature/) });
  const phases = readMeta(sandbox).phases;
  expect(readMeta(sandbox)).toMatchObject({
    status: "completed",
    currentPhase: "finish",
    worktree: `../tree-${FEATURE.slice(14)}`,
  });
  expect(Object.keys(phases)).toEqual(["brainstorm", ...WRITTEN, "verify", "finish"]);
  for (const phase of Object.values<object>(phases))
    expect(phase).toMatchObject({ started: expect.any(String), completed: expect.any(String), iterations: 1 });
  expect(phases.implement.verified, "verify says so about what was implemented").toBe(true);
  for (const [, file] of SPEC_FILES) expect(sandbox.read(`${FEATURE}/${file}`)).not.toBe("");
  expect(sandbox.read("src/login.js")).toContain("login");
  expect(isThere(`${sandbox.root}/${FEATURE}/.review-history.md`)).toBe(false);
  expect(isThere(tree)).toBe(false);
  expect(sandbox.git("branch", "--list")).toBe("* main");
  expect(sandbox.git("status", "--porcelain")).toBe("");
}, 120_000);

test.concurrent("implements a hotfix in place with one review and records missing documents [SPEC-AC2, SPEC-AC13, SPEC-R4.4]", async () => {
  const sandbox = await createSandbox();
  const refused = { approved: false, summary: "no", issues: [{ severity: "blocker", description: "No test." }] };
  sandbox.plan({ turns: { implement: [{ writes: { "a.js": "1\n" } }], "implement reviewer": [{ verdict: refused }] } });
  const { code, stdout, stderr } = await spec(sandbox, "implement", "Login page", "--mode", "hotfix");
  expect([code, started(sandbox)]).toEqual([0, ["implement", "implement reviewer"]]);
  expect(stderr).toContain("warning: spec.md is missing; a hotfix continues without it.");
  const [first] = await sandbox.events();
  expect(first).toMatchObject({ warnings: [expect.stringContaining("spec.md is missing")] });
  expect(readMeta(sandbox)).toMatchObject({ mode: "hotfix", worktree: null, phases: { implement: { iterations: 1 } } });
  const hook = await sandbox.script("hook", "session-start");
  expect(hook.stdout).toContain("Next: isdlc verify");
  for (const told of [stdout, stderr, hook.stdout]) expect(told).not.toMatch(/working tree:|not in the feature/i);
  expect(sandbox.git("worktree", "list").split("\n")).toHaveLength(1);
});

test.concurrent("asks before it skips a phase, and records the warning [SPEC-AC5]", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "brainstorm");
  const asked = await spec(sandbox, "design", "--json");
  expect(asked.code).toBe(3);
  expect(parsed(asked).choice).toMatchObject({ kind: "confirm", options: ["yes"], flag: "--yes" });
  expect(parsed(asked).choice.about).toEqual(["warning: Skipped before design: specify."]);
  expect([sandbox.log(), sandbox.git("status", "--porcelain")]).toEqual([[], ""]);
  const agreed = await spec(sandbox, "design", "--yes");
  expect(agreed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("warning: Skipped before design: specify."),
  });
  expect((await sandbox.events())[0]).toMatchObject({ warnings: ["Skipped before design: specify."] });
  expect(readMeta(sandbox)).toMatchObject({ currentPhase: "design" });
});

test.concurrent.for([
  ["SPEC-AC6", "implement", "brainstorm", "spec.md required before implementation", "isdlc specify"],
  ["SPEC-AC7", "create-tasks", "design", "plan.md required before task creation", "isdlc create-plan"],
] as const)("%s: refuses %s without its document, even with --yes", async ([, verb, last, why, fix]) => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, last);
  for (const more of [["--json"], ["--json", "--yes"]]) {
    const blocked = await spec(sandbox, verb, ...more);
    expect(blocked.code).toBe(1);
    const { problem } = parsed(blocked);
    expect([problem.code, problem.what, problem.fix]).toEqual([
      "PREREQUISITE_MISSING",
      expect.stringContaining(why),
      expect.stringContaining(fix),
    ]);
  }
  expect([sandbox.log(), sandbox.git("status", "--porcelain"), await sandbox.status()]).toEqual([[], "", null]);
});

test.concurrent("reports one iteration for work approved at once [SPEC-AC8]", async () => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "brainstorm");
  const { code, stderr } = await spec(sandbox, "specify");
  expect([code, started(sandbox)]).toEqual([0, ["specify", "specify reviewer"]]);
  expect(stderr).toContain("Phase complete (1 iteration)");
  expect(readMeta(sandbox).phases.specify).toMatchObject({ iterations: 1, reviewerNotes: [], verified: false });
  expect(metaAt(sandbox, "HEAD")).toEqual(readMeta(sandbox));
});

test.concurrent("refuses phases of a completed or abandoned feature [SPEC-R5.2, SPEC-R5.3]", async () => {
  const sandbox = await createSandbox();
  for (const [at, status] of ["completed", "abandoned"].entries()) {
    prepareFeature(sandbox, "verify", { folder: `00${at + 1}-${status}`, more: { status } });
    const again = await spec(sandbox, "design", `00${at + 1}`, "--json");
    expect([again.code, parsed(again).problem]).toMatchObject([1, { code: "FEATURE_ENDED", status }]);
  }
  expect(sandbox.log()).toEqual([]);
});
