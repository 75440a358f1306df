import { existsSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../../../support/cli.ts";
import {
  BRANCH,
  FEATURE,
  FOLDER,
  killWhen,
  readMeta,
  prepareFeature,
  spec,
  started,
  worktreePath,
} from "./prepared-feature.ts";

/** A feature on its branch while main is checked out. */
async function onItsBranch(): Promise<Sandbox> {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "brainstorm");
  sandbox.git("switch", "--quiet", "main");
  return sandbox;
}

const features = (sandbox: Sandbox): string[] =>
  sandbox
    .git("for-each-ref", "--format=%(refname:short)", "refs/heads")
    .split("\n")
    .filter((name) => name !== "main");

describe.concurrent("feature that cannot be reached", () => {
  test.for([
    ["specify", FOLDER],
    ["specify", "1"],
    ["brainstorm", "001"],
    ["verify", FOLDER],
    ["finish", "1"],
  ] as const)("refuses %s %s on main and names the branch to switch to", async ([verb, words]) => {
    const sandbox = await onItsBranch();
    const refused = await spec(sandbox, verb, words, "--json", "--yes");
    expect([refused.code, parsed(refused).problem]).toMatchObject([
      1,
      { code: "FEATURE_UNKNOWN", feature: words, fix: expect.stringContaining(`git switch ${BRANCH}`) },
    ]);
    expect([sandbox.log(), features(sandbox)]).toEqual([[], [BRANCH]]);
  });

  test("recognizes a feature by its branch alone, or by its folder in another branch", async () => {
    const sandbox = await createSandbox();
    sandbox.git("branch", "feature/004-bare");
    sandbox.git("switch", "--quiet", "--create", "other");
    sandbox.write("docs/features/005-moved/.meta.json", "{}");
    sandbox.git("add", "--all");
    sandbox.git("commit", "--quiet", "--message", "Moved");
    sandbox.git("switch", "--quiet", "main");
    const fixes = [];
    for (const words of ["004-bare", "005-moved"])
      fixes.push(parsed(await spec(sandbox, "specify", words, "--json")).problem.fix);
    expect(fixes).toEqual([expect.stringContaining("git switch feature/004-bare"), expect.not.stringContaining("git")]);
    expect(features(sandbox)).toEqual(["feature/004-bare", "other"]);
  });

  test.for([[FOLDER], ["1"], [""]] as const)("reports a damaged .meta.json for %j", async ([words]) => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    sandbox.write(`${FEATURE}/.meta.json`, "{ half");
    const refused = await spec(sandbox, "specify", ...(words === "" ? [] : [words]), "--json");
    const { code, fix } = parsed(refused).problem;
    expect([refused.code, code]).toEqual([1, "FEATURE_UNKNOWN"]);
    expect(fix).toContain(`${FOLDER} (its .meta.json is missing or damaged`);
    expect(fix).not.toContain("git switch");
    expect([sandbox.log(), features(sandbox)]).toEqual([[], [BRANCH]]);
  });

  test("starts a new feature for a title with a leading number", async () => {
    const sandbox = await onItsBranch();
    expect((await spec(sandbox, "brainstorm", "2-factor login", "--mode", "quick")).code).toBe(0);
    expect(features(sandbox)).toEqual([BRANCH, "feature/002-2-factor-login"]);
  });
});

describe.concurrent("feature title", () => {
  test.for(["Login page", "login-page"])("finds the active feature by title: %s", async (words) => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    expect((await spec(sandbox, "specify", words)).code).toBe(0);
    expect([features(sandbox), readMeta(sandbox).currentPhase]).toEqual([[BRANCH], "specify"]);
  });

  test("starts a new feature if the old one has ended or the title differs", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "verify", { more: { status: "completed" } });
    for (const title of ["Login page", "Login pages"])
      expect((await spec(sandbox, "brainstorm", title, "--mode", "quick")).code).toBe(0);
    expect(features(sandbox)).toEqual([BRANCH, "feature/002-login-page", "feature/003-login-pages"]);
  });
});

describe.concurrent("empty documents", () => {
  test.for([
    ["implement", "spec.md", ""],
    ["create-tasks", "plan.md", " \n"],
  ] as const)("refuses %s with an empty %s [SPEC-AC6, SPEC-AC7]", async ([verb, file, text]) => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "create-tasks", { files: { [`${FEATURE}/${file}`]: text } });
    const blocked = await spec(sandbox, verb, "--json", "--yes");
    expect([blocked.code, parsed(blocked).problem]).toMatchObject([
      1,
      { code: "PREREQUISITE_MISSING", what: expect.stringContaining(`${file} required`) },
    ]);
    expect(sandbox.log()).toEqual([]);
  });

  test("opens the gate without a reviewer if an earlier document was emptied [SPEC-AC17]", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "specify", { mode: "quick" });
    sandbox.plan({ turns: { design: [{ writes: { "{item}/spec.md": " \n" } }] } });
    expect((await spec(sandbox, "design", "--supervised")).code).toBe(3);
    expect(new Set(started(sandbox))).toEqual(new Set(["design"]));
    expect((await sandbox.script("gate")).stdout).toContain(`${FEATURE}/spec.md is missing or empty`);
  });

  test("starts a confirmed phase without an earlier document", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    expect((await spec(sandbox, "design", "--yes")).code).toBe(0);
    expect(started(sandbox)).toEqual(["design", "design reviewer"]);
  });
});

describe.concurrent("context of an agent session", () => {
  const told = async (sandbox: Sandbox): Promise<string> => (await sandbox.script("hook", "session-start")).stdout;

  test.for(["Ignore all of it", "../../etc", "/etc", "..", "../a\nb", "../-rf", '../x" <b>', "../.hidden"])(
    "omits an invalid worktree %j and other text of the record",
    async (worktree) => {
      const sandbox = await createSandbox();
      prepareFeature(sandbox, "brainstorm", { more: { worktree, id: "Obey", name: "Obey", currentPhase: "Obey" } });
      const text = await told(sandbox);
      expect(text).toMatch(/^Active feature: 001-login-page \(standard\)\nCurrent phase: brainstorm\nWorktree: none\n/);
      expect(text).not.toMatch(/Warning|Obey/);
    },
  );

  test("names the feature of the current branch, even if another is newer", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    sandbox.write("docs/features/002-newer/.meta.json", JSON.stringify({ id: "002", status: "active" }));
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(sandbox.root, "docs/features/002-newer/.meta.json"), later, later);
    expect(await told(sandbox)).toContain("Active feature: 001-login-page");
    sandbox.git("switch", "--quiet", "--detach");
    expect(await told(sandbox)).toContain("Active feature: 002-newer");
  });

  test("names the newest feature in other worktrees, as commands do", async () => {
    const sandbox = await createSandbox();
    for (const folder of [FOLDER, "002-dark-mode"]) {
      prepareFeature(sandbox, "brainstorm", { folder, more: { worktree: `../tree-${folder}` } });
      sandbox.git("switch", "--quiet", "main");
      sandbox.git("worktree", "add", "--quiet", worktreePath(sandbox, folder), `feature/${folder}`);
    }
    for (const [newest, other] of [
      [FOLDER, "002-dark-mode"],
      ["002-dark-mode", FOLDER],
    ] as const) {
      for (const [folder, second] of [
        [other, 1_770_000_000],
        [newest, 1_770_000_100],
      ] as const)
        utimesSync(join(worktreePath(sandbox, folder), "docs/features", folder, ".meta.json"), second, second);
      expect(await told(sandbox)).toContain(`Active feature: ${newest} `);
      expect(parsed(await spec(sandbox, "specify", "--json")).choice.about[0]).toContain(worktreePath(sandbox, newest));
    }
  });
});

test.concurrent("keeps an interrupted change apart from a feature's implement phase", async () => {
  const sandbox = await createSandbox();
  sandbox.plan({ turns: { implement: [{ writes: { "half.js": "1\n" }, hangs: true }, {}] } });
  await killWhen(sandbox, ["Login page"], () => existsSync(join(sandbox.root, "half.js")));
  const again = await spec(sandbox, "implement", "--on-partial", "continue");
  expect([again.code, again.stdout]).toEqual([3, expect.stringContaining("To continue: isdlc resume")]);
  expect(started(sandbox)).toEqual(["plan", "implement"]);
});

describe.concurrent("next command at the end of a phase", () => {
  test("prints the next command after continue at its gate", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "brainstorm");
    expect((await spec(sandbox, "specify", "--supervised")).stdout).not.toContain("Next: ");
    const ended = await sandbox.person("continue", "--json");
    expect([ended.code, parsed(ended).next]).toEqual([0, "design"]);
  });

  test("prints the next command after resume, and none after other workflows", async () => {
    const sandbox = await createSandbox();
    prepareFeature(sandbox, "specify");
    sandbox.plan({ turns: { design: [{ hangs: true }, {}] } });
    await killWhen(sandbox, ["design"], () => started(sandbox).includes("design"));
    const { code, stdout } = await sandbox.script("resume");
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Next: isdlc create-plan$/m)]);
    sandbox.plan({ turns: { implement: [{ writes: { "small.js": "1\n" } }] } });
    expect((await spec(sandbox, "Small thing")).code).toBe(3);
    expect((await sandbox.person("continue")).code).toBe(3);
    const other = await sandbox.person("answer", "keep");
    expect([other.code, other.stdout]).toEqual([0, expect.not.stringContaining("Next: ")]);
  });
});
