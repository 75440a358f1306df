import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import {
  BRANCH,
  FEATURE,
  FOLDER,
  isThere,
  readMeta,
  prepareFeature,
  refuses,
  spec,
  started,
  worktreePath,
} from "./prepared-feature.ts";

/** A feature in a separate worktree, with main checked out in the other. */
async function besideMain(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "brainstorm", { more: { worktree: `../tree-${FOLDER}` } });
  sandbox.git("switch", "--quiet", "main");
  sandbox.git("worktree", "add", "--quiet", worktreePath(sandbox), BRANCH);
  return sandbox;
}

describe.concurrent("place of a new feature", () => {
  test.for([
    ["quick", [], false],
    ["quick", ["--worktree"], true],
    ["full", [], true],
  ] as const)("creates a worktree for %s with %j: %s", async ([mode, more, own]) => {
    const sandbox = await createSandbox();
    expect((await spec(sandbox, "brainstorm", "Login page", "--mode", mode, ...more)).code).toBe(0);
    expect(isThere(worktreePath(sandbox))).toBe(own);
    expect(sandbox.git("branch", "--show-current")).toBe(own ? "main" : BRANCH);
    const feature = own ? join("..", `tree-${FOLDER}`, FEATURE) : FEATURE;
    expect(readMeta(sandbox, feature)).toMatchObject({
      mode,
      worktree: own ? `../tree-${FOLDER}` : null,
      base: "main",
    });
  });

  test("uses one number for branch, worktree and documents of a whole run", async () => {
    const sandbox = await createSandbox();
    const { code } = await spec(sandbox, "run", "spec", "Login page", "--mode", "full", "--review", "brainstorm");
    expect([code, isThere(join(worktreePath(sandbox), FEATURE))]).toEqual([3, true]);
  });

  test("runs several features in separate worktrees and lists them in status --all", async () => {
    const sandbox = await createSandbox();
    const supervised = ["--worktree", "--supervised"];
    for (const title of ["Login page", "Dark mode"])
      expect((await spec(sandbox, "brainstorm", title, ...supervised)).code).toBe(3);
    const trees = [FOLDER, "002-dark-mode"].map((folder) => worktreePath(sandbox, folder));
    const { trees: rows } = parsed(await sandbox.script("status", "--all", "--json"));
    expect(
      rows.map(({ path, run }: { path: string; run: { phase: string; status: string } | null }) => [
        path,
        run?.phase,
        run?.status,
      ]),
    ).toEqual([[sandbox.root, undefined, undefined], ...trees.map((tree) => [tree, "brainstorm", "waiting"])]);
    expect((await sandbox.person("-C", trees[1] ?? "", "continue")).code).toBe(0);
    const after = parsed(await sandbox.script("status", "--all", "--json")).trees;
    expect(after.map(({ run }: { run: { status: string } | null }) => run?.status)).toEqual([
      undefined,
      "waiting",
      "completed",
    ]);
  });

  test("warns a session outside the feature's worktree, and none inside [SPEC-AC11, SPEC-R4.1, SPEC-R4.2, SPEC-R4.4]", async () => {
    const sandbox = await besideMain();
    const outside = (await sandbox.script("hook", "session-start")).stdout;
    expect(
      outside.match(/Warning: this session is not in the feature's worktree "\.\.\/tree-001-login-page"/g),
    ).toHaveLength(1);
    for (const place of ["", FEATURE]) {
      const inside = (await sandbox.script("-C", join(worktreePath(sandbox), place), "hook", "session-start")).stdout;
      expect(inside).toContain("Active feature: 001-login-page (standard)");
      expect(inside).not.toContain("Warning");
    }
    const { hookSpecificOutput } = parsed(await sandbox.script("hook", "session-start", "--json"));
    expect(hookSpecificOutput).toEqual({ hookEventName: "SessionStart", additionalContext: outside.trimEnd() });
  });

  test("asks outside the feature's worktree, then works inside it [SPEC-AC12, SPEC-R4.3]", async () => {
    const sandbox = await besideMain();
    const { choice } = parsed(await spec(sandbox, "specify", "--json"));
    expect([choice.kind, choice.about[0]]).toEqual(["place", expect.stringContaining(worktreePath(sandbox))]);
    expect(sandbox.log()).toEqual([]);
    const agreed = await spec(sandbox, "specify", "--yes");
    expect(agreed).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`is worked on in ${worktreePath(sandbox)}`),
    });
    expect(sandbox.log()[0]?.cwd).toBe(worktreePath(sandbox));
    expect([isThere(join(sandbox.root, FEATURE)), isThere(join(worktreePath(sandbox), FEATURE, "spec.md"))]).toEqual([
      false,
      true,
    ]);
  });

  test("works in this working tree on its branch with --here, even with --yes", async () => {
    const sandbox = await besideMain();
    sandbox.git("merge", "--quiet", BRANCH);
    const { code, stderr } = await spec(sandbox, "specify", "--here", "--yes");
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/Creating|Switching/)]);
    expect(sandbox.log()[0]?.cwd).toBe(sandbox.root);
    expect(sandbox.git("branch", "--format=%(refname:short)")).toBe(`${BRANCH}\nmain`);
    expect(sandbox.git("show", "--name-only", "--format=", "main")).toContain(`${FEATURE}/spec.md`);
  });

  test("names only active features in the session context [SPEC-R5.4]", async () => {
    const sandbox = await createSandbox();
    const told = async (): Promise<string> => (await sandbox.script("hook", "session-start")).stdout;
    expect(await told()).toContain("No active feature");
    prepareFeature(sandbox, "specify");
    for (const [at, status] of ["completed", "abandoned"].entries())
      sandbox.write(`docs/features/00${at + 2}-newer/.meta.json`, JSON.stringify({ id: `00${at + 2}`, status }));
    expect(await told()).toMatch(/Active feature: 001-login-page[^]*Next: isdlc design/);
    sandbox.write(`${FEATURE}/.meta.json`, JSON.stringify({ id: "001", status: "completed" }));
    expect(await told()).toContain("No active feature");
  });
});

describe.concurrent("verification of one phase", () => {
  const rows: readonly (readonly [string, readonly string[], boolean, string])[] = [
    ["no findings", [], true, "design"],
    ["a blocker", ["The errors are not named."], false, "design"],
  ];
  test.for(rows)(
    "reviews once, writes no document and sets verified only without a blocker: %s",
    async ([, faults, verified, phase]) => {
      const sandbox = await createSandbox();
      prepareFeature(sandbox, "design");
      sandbox.plan({ turns: { [`verify-${phase} reviewer`]: [faults[0] === undefined ? {} : refuses(faults[0])] } });
      const { code, stdout, stderr } = await spec(sandbox, "verify", phase);
      expect([code, started(sandbox)]).toEqual([verified ? 0 : 1, [`verify-${phase} reviewer`]]);
      expect(stderr).not.toContain("warning:");
      expect(readMeta(sandbox).phases).toMatchObject({ design: { verified }, specify: { verified: false } });
      for (const fault of faults) expect(stdout + stderr).toContain(fault);
    },
  );

  test("reviews an incomplete phase and records a warning", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "specify", { files: { [`${FEATURE}/design.md`]: "# by hand\n" } });
    const { code, stderr } = await spec(sandbox, "verify", "design");
    expect([code, stderr]).toEqual([0, expect.stringContaining("warning: design is not marked as completed.")]);
    expect((await sandbox.events())[0]).toMatchObject({ warnings: ["design is not marked as completed."] });
  });
});
