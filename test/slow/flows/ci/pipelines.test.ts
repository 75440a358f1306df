import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { builtProgram } from "../../../support/built-program.ts";
import { createSigner, finishedRun, type Signer } from "../../../attestation/two-homes.ts";
import { ciFolder, githubStep, preReceive } from "./shell-steps.ts";

const BRANCH = "change/add-a-greeting";

let ada: Signer;
let remote = "";
let env: Record<string, string> = {};

/** One signed run in a repository whose main branch has the templates, a policy and a list of signers. */
beforeAll(async () => {
  ada = await createSigner({ files: {} });
  cpSync(ciFolder, join(ada.root, "ci"), { recursive: true });
  ada.write("ci/allowed_signers", `${ada.signerLine("ada@example.org")}\n`);
  ada.write("ci/isdlc-policy.json", JSON.stringify({ people: ["ada@example.org"], gates: ["final-review"] }));
  ada.git("add", "--all");
  ada.git("commit", "--quiet", "--message", "Templates");
  remote = await finishedRun(ada, "pr");
  const bin = join(ada.base, "bin");
  mkdirSync(bin);
  symlinkSync(await builtProgram(), join(bin, "isdlc"));
  env = {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    HOME: join(ada.base, "server"),
    GIT_CONFIG_SYSTEM: "/dev/null",
    GIT_AUTHOR_NAME: "Ben",
    GIT_AUTHOR_EMAIL: "ben@example.org",
    GIT_COMMITTER_NAME: "Ben",
    GIT_COMMITTER_EMAIL: "ben@example.org",
  };
  mkdirSync(env["HOME"] ?? "");
}, 120_000);

/** Checks out a branch like a build server. `more`: message of a commit added behind the last gate. */
function checkout(name: string, more: string | null): { root: string; git: (...args: string[]) => string } {
  const root = join(ada.base, name);
  execFileSync("git", ["clone", "--quiet", "--branch", BRANCH, remote, root], { env });
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, env, encoding: "utf8" }).trim();
  if (more !== null) {
    writeFileSync(join(root, "late.txt"), "late\n");
    git("add", "--all");
    git("commit", "--quiet", "--message", more);
  }
  return { root, git };
}

const sh = (script: string, cwd: string, more: Record<string, string>) =>
  spawnSync("sh", ["-eu"], { cwd, input: script, env: { ...env, ...more }, encoding: "utf8" });

const LATE = "Late\n\nCo-Authored-By: Claude <noreply@anthropic.com>";

describe("GitHub pipeline", () => {
  const run = (root: string, head: string) => {
    const { script, env: own } = githubStep({ base: ada.git("rev-parse", "main"), head });
    expect(script).toContain("verify.sh");
    expect(script).not.toContain("${{");
    const files = { GITHUB_OUTPUT: join(ada.base, "output"), GITHUB_STEP_SUMMARY: join(ada.base, "summary") };
    for (const file of Object.values(files)) writeFileSync(file, "");
    const ended = sh(script, root, { ...own, ...files });
    return { ...ended, output: readFileSync(files.GITHUB_OUTPUT, "utf8") };
  };

  test("passes a pull request with answered gates and writes a badge and SARIF", () => {
    const { root, git } = checkout("github-good", null);
    const ended = run(root, git("rev-parse", "HEAD"));
    expect(ended).toMatchObject({ status: 0, stderr: "" });
    expect(ended.stdout).toContain("The policy is kept.");
    expect(ended.output).toMatch(/^badge=1 gate, 1 person$/m);
    expect(JSON.parse(readFileSync(join(root, "isdlc.sarif"), "utf8"))).toMatchObject({ runs: [{ results: [] }] });
  });

  test("fails if an agent commits after the last gate", () => {
    const { root, git } = checkout("github-late", LATE);
    const ended = run(root, git("rev-parse", "HEAD"));
    expect(ended.status).toBe(1);
    expect(ended.stderr).toContain("made by Claude Code outside of a run");
    expect(readFileSync(join(root, "isdlc.sarif"), "utf8")).toContain('"ruleId":"commits"');
  });

  test("ignores policy changes of the pull request itself", () => {
    const { root, git } = checkout("github-rules", null);
    writeFileSync(join(root, "ci/isdlc-policy.json"), JSON.stringify({ commits: "agents" }));
    git("commit", "--quiet", "--all", "--message", "Relax");
    const ended = run(root, git("rev-parse", "HEAD"));
    expect(ended.status).toBe(1);
    expect(ended.stderr).toMatch(/commits: [0-9a-f]{12}: BY_HAND/);
  });
});

describe("verify.sh", () => {
  const verify = (root: string, base: string, head: string) =>
    spawnSync("sh", [join(ciFolder, "verify.sh"), base, head], { cwd: root, env, encoding: "utf8" });

  test("accepts commit ids and full refs, and rejects ambiguous names", () => {
    const { root, git } = checkout("names", null);
    git("tag", "main", "HEAD");
    git("tag", "origin/main", "HEAD");
    expect(verify(root, "refs/remotes/origin/main", git("rev-parse", "HEAD")).status).toBe(0);
    for (const name of ["main", "origin/main", "HEAD~1", "", "-x", "refs/heads/missing"]) {
      const ended = verify(root, name, git("rev-parse", "HEAD"));
      expect([ended.status, ended.stderr]).toEqual([2, expect.stringContaining("neither a commit id nor a full ref")]);
    }
  });

  test("rejects swapped and empty ranges", () => {
    const { root, git } = checkout("swapped", null);
    const [main, head] = [git("rev-parse", "origin/main"), git("rev-parse", "HEAD")];
    for (const [base, tip] of [
      [head, main],
      [head, head],
    ] as const) {
      const ended = verify(root, base, tip);
      expect(ended.status).toBe(1);
      expect(ended.stderr).toContain("contains no commits");
    }
  });

  test("fails without a list of signers on the base, ignoring the working tree", () => {
    const { root, git } = checkout("unlisted", null);
    const first = git("rev-list", "--max-parents=0", "HEAD");
    const ended = verify(root, first, git("rev-parse", "HEAD"));
    expect([ended.status, ended.stderr]).toEqual([2, expect.stringContaining("the commit or the path is missing")]);
  });

  test("rejects a shallow clone", () => {
    const root = join(ada.base, "shallow");
    execFileSync("git", ["clone", "--quiet", "--depth=2", "--no-single-branch", `file://${remote}`, root], { env });
    const tip = execFileSync("git", ["rev-parse", `origin/${BRANCH}`], { cwd: root, env, encoding: "utf8" }).trim();
    const ended = verify(root, "refs/remotes/origin/main", tip);
    expect([ended.status, ended.stderr]).toEqual([1, expect.stringContaining("shallow")]);
  });
});

describe("pre-receive hook of a server", () => {
  test("accepts covered commits with their statements and rejects others", () => {
    const server = join(ada.base, "server.git");
    execFileSync("git", ["clone", "--quiet", "--bare", "--branch", "main", "--single-branch", ada.root, server], {
      env,
    });
    execFileSync("git", ["update-ref", "-d", "refs/notes/isdlc"], { cwd: server, env });
    writeFileSync(join(server, "hooks/pre-receive"), preReceive());
    chmodSync(join(server, "hooks/pre-receive"), 0o755);
    const { root, git } = checkout("pusher", null);
    git("remote", "add", "server", server);
    git("fetch", "--quiet", "origin", "refs/notes/isdlc:refs/notes/isdlc");
    const push = (...refs: string[]) =>
      spawnSync("git", ["push", "server", ...refs], { cwd: root, env, encoding: "utf8" });

    const alone = push("HEAD:main");
    expect(alone.status).not.toBe(0);
    expect(alone.stderr).toContain("UNSIGNED");

    expect(push("HEAD:main", "refs/notes/isdlc")).toMatchObject({ status: 0 });

    writeFileSync(join(root, "late.txt"), "late\n");
    git("add", "--all");
    git("commit", "--quiet", "--message", LATE);
    const late = push("HEAD:main");
    expect(late.status).not.toBe(0);
    expect(late.stderr).toContain("made by Claude Code outside of a run");
    expect(push("HEAD:refs/heads/topic")).toMatchObject({ status: 0 });

    const back = push("+HEAD~2:main");
    expect([back.status, back.stderr]).toEqual([1, expect.stringContaining("cannot be moved back")]);
    const unrelated = git("commit-tree", "refs/notes/isdlc^{tree}", "-m", "Statements");
    const statements = push(`+${unrelated}:refs/notes/isdlc`);
    expect([statements.status, statements.stderr]).toEqual([1, expect.stringContaining("cannot be moved back")]);
    const deleted = push(":main");
    expect(deleted.stderr).toMatch(/cannot be deleted|deletion of the current branch/);

    writeFileSync(
      join(server, "hooks/pre-receive"),
      preReceive().replace("ISDLC_BRANCHES:-main", "ISDLC_BRANCHES:-main release"),
    );
    const release = push("HEAD:refs/heads/release");
    expect([release.status, release.stderr]).toEqual([1, expect.stringContaining("made by Claude Code")]);
    expect(push("HEAD~1:refs/heads/release")).toMatchObject({ status: 0 });
  });
});
