import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox } from "../support/cli.ts";

const TESTS = "console.log('# pass 1');\n";

/** A branch with two commits and an uncommitted file, made without isdlc. */
async function branchWithWork(files: Readonly<Record<string, string>> = {}): Promise<Sandbox> {
  const one = await createSandbox({
    files: { "package.json": '{ "scripts": { "test": "node tests.mjs" } }\n', "tests.mjs": TESTS, ...files },
  });
  one.git("switch", "--quiet", "--create", "login");
  for (const name of ["a", "b"]) {
    one.write(`src/${name}.js`, `export const ${name} = 1;\n`);
    one.git("add", "--all");
    one.git("commit", "--quiet", "--message", `Add ${name}`);
  }
  one.write("src/c.js", "export const c = 1;\n");
  return one;
}

const ADOPT = ["adopt", "--reviewer", "none", "--yes"];

describe("isdlc adopt", () => {
  test("opens one gate with the whole range, and commits only what was uncommitted", async () => {
    const one = await branchWithWork();
    const head = one.git("rev-parse", "HEAD");
    const gate = await one.person(...ADOPT);
    expect(gate.code, gate.stdout + gate.stderr).toBe(3);
    const { stdout } = await one.script("gate");
    expect(stdout).toContain("authorship unknown");
    for (const name of ["src/a.js", "src/b.js", "src/c.js"]) expect(stdout).toContain(name);
    const done = await one.person("continue");
    expect(done.code, done.stdout + done.stderr).toBe(3);
    const kept = await one.person("answer", "merge", "--json");
    expect(parsed(kept).run).toMatchObject({});
    expect(one.git("log", "--format=%s", "--first-parent", "-1", "main")).toContain("Merge adopt/login");
    expect(one.git("rev-parse", "login")).toBe(head);
    expect(one.git("diff", "--name-only", head, "main")).toBe("src/c.js");
  });
});

describe("isdlc adopt --pull-request", () => {
  test("judges the head in a worktree, and changes neither files nor branches here", async () => {
    const one = await branchWithWork();
    const remote = join(one.base, "remote.git");
    one.git("init", "--quiet", "--bare", remote);
    one.git("remote", "add", "origin", remote);
    one.git("push", "--quiet", "origin", "login:refs/pull/7/head");
    one.git("stash", "--quiet", "--include-untracked");
    one.git("switch", "--quiet", "main");
    one.git("branch", "--quiet", "--delete", "--force", "login");
    const gate = await one.person(...ADOPT, "--pull-request", "7");
    expect(gate.code, gate.stdout + gate.stderr).toBe(3);
    expect(gate.stderr).toContain("tree-adopt-pull-request-7");
    expect(one.git("status", "--porcelain", "--branch")).toBe("## main");
    const there = join(one.base, "tree-adopt-pull-request-7");
    expect((await one.script("gate", "-C", there)).stdout).toMatch(/src\/a\.js[^]*src\/b\.js/);
    const unknown = await one.person(...ADOPT, "--pull-request", "8");
    expect(unknown.stderr).toContain("origin has no pull request 8");
  });
});

describe("isdlc without a command", () => {
  test("tells a new user in 12 lines what it found and what to do, and writes nothing", async () => {
    const one = await branchWithWork();
    const { code, stdout } = await one.script();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(12);
    expect(stdout).toContain("branch login, 2 commits since the main branch, 1 uncommitted file");
    expect(stdout).toContain("npm test");
    for (const offer of ["isdlc adopt", 'isdlc "<change>"', "isdlc demo"]) expect(stdout).toContain(offer);
    expect(existsSync(join(one.root, ".isdlc"))).toBe(false);
    await one.person(...ADOPT);
    expect((await one.script("help")).stdout).toContain("Usage:");
  });
});
