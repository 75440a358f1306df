import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createSandbox, parsed, type Sandbox, type Turn } from "../../../support/cli.ts";
import {
  BRANCH,
  FEATURE,
  FOLDER,
  isThere,
  metaAt,
  readMeta,
  prepareFeature,
  spec,
  worktreePath,
} from "./prepared-feature.ts";

const TICKED = {
  [`${FEATURE}/tasks.md`]: "- [x] T1: write it\n",
  [`${FEATURE}/.review-history.md`]: "## Phase: design\n",
};

const ready = async (files: Readonly<Record<string, string>> = {}): Promise<Sandbox> => {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "verify", { files: { ...TICKED, "src/login.js": "1\n", ...files } });
  return sandbox;
};

const MISSING = ["R7 has no password reset", "R8 keeps no log of failures", "R9 never locks an account"];

const misses = (...descriptions: string[]): Turn => {
  const issues = descriptions.map((description) => ({ severity: "blocker", category: "missing", description }));
  return { verdict: { approved: false, summary: "Requirements are missing.", issues } };
};

type Environment = Readonly<Record<string, string>>;

/** The same feature in a separate worktree, at the finish question. */
async function inOwnTree(environment: (sandbox: Sandbox) => Environment = () => ({})): Promise<Sandbox> {
  const sandbox = await createSandbox();
  prepareFeature(sandbox, "verify", { files: TICKED, more: { worktree: `../tree-${FOLDER}` } });
  sandbox.git("switch", "--quiet", "main");
  sandbox.git("worktree", "add", "--quiet", worktreePath(sandbox), BRANCH);
  const args = ["-C", worktreePath(sandbox), "finish", ...sandbox.agent];
  expect((await sandbox.start(args, environment(sandbox)).ended).code).toBe(3);
  return sandbox;
}

describe.concurrent("before a feature is finished", () => {
  test("lists the final reviewer's findings before it asks how to finish [SPEC-AC19, SPEC-R3.5]", async () => {
    const sandbox = await ready();
    sandbox.plan({ turns: { "finish reviewer": [misses(...MISSING)] } });
    const { code, stderr, stdout } = await spec(sandbox, "finish");
    expect(code).toBe(3);
    expect(stderr).toContain("Phase complete. Reviewer concerns: F1: ");
    for (const missing of MISSING) expect(stdout).toMatch(new RegExp(`^ {2}Finish: F[0-9]: ${missing}`, "m"));
    expect(stdout).toContain("Merge, open a pull request, or keep the branch?");
    const { phases, waiting } = await sandbox.status();
    expect([waiting.kind, phases[0].concerns]).toEqual([
      "finish",
      MISSING.map(() => expect.stringMatching(/^F[0-9]: R/)),
    ]);
    const [judged] = sandbox.log();
    expect([judged?.role, judged?.prompt.includes('"src/login.js" (added)')]).toEqual(["reviewer", true]);
    expect(readMeta(sandbox).status).toBe("active");
    const merged = await sandbox.person("answer", "merge");
    expect(merged.stdout).toMatch(/Concerns left open:\n {2}Finish: F1: R[^]*Merged into main/);
  });

  test("refuses to finish with uncommitted changes and starts no reviewer", async () => {
    const sandbox = await ready();
    sandbox.write("src/new.js", "2\n");
    const refused = await spec(sandbox, "finish", "--json", "--yes");
    expect([refused.code, parsed(refused).problem]).toMatchObject([1, { code: "TREE_DIRTY", files: ["src/new.js"] }]);
    expect([sandbox.log(), await sandbox.status()]).toEqual([[], null]);
  });

  test("ignores uncommitted changes in documents written by the engine", async () => {
    const sandbox = await ready();
    sandbox.write(`${FEATURE}/.meta.json`, `${sandbox.read(`${FEATURE}/.meta.json`)}\n`);
    sandbox.write(`${FEATURE}/.review-history.md`, "# Review history\n");
    expect((await spec(sandbox, "finish", "--json")).code).toBe(3);
    expect(await sandbox.status()).toMatchObject({ waiting: { kind: "finish" } });
  });

  test("asks about open tasks, and only warns with --yes", async () => {
    const sandbox = await ready({ [`${FEATURE}/tasks.md`]: "- [x] T1: done\n- [ ] T2: the tests\n" });
    const { choice } = parsed(await spec(sandbox, "finish", "--json"));
    expect([choice.kind, choice.flag]).toEqual(["confirm", "--yes"]);
    expect(choice.about.join("\n")).toContain("- [ ] T2: the tests");
    expect(choice.about.join("\n")).not.toContain("T1");
    expect(sandbox.log()).toEqual([]);
    const agreed = await spec(sandbox, "finish", "--yes");
    expect(agreed).toMatchObject({ code: 3, stderr: expect.stringMatching(/warning: 1 of the tasks[^]*T2/) });
  });
});

describe.concurrent("finish choices", () => {
  test("completes the feature with a pull request and prints the commands [SPEC-R5.2, SPEC-R6.3]", async () => {
    const sandbox = await ready();
    await spec(sandbox, "finish");
    const { code, stdout } = await sandbox.person("answer", "pr");
    expect(code).toBe(0);
    expect(stdout).toContain(`git push -u origin ${BRANCH}`);
    expect(stdout).toMatch(/gh pr create --base main --head/);
    expect(metaAt(sandbox, BRANCH)).toMatchObject({ status: "completed", completed: expect.any(String) });
    expect(sandbox.git("ls-files", FEATURE)).not.toContain(".review-history.md");
    expect(sandbox.git("log", "main", "--oneline").split("\n")).toHaveLength(1);
  });

  test("keeps the branch, the status and the review history with keep", async () => {
    const sandbox = await ready();
    await spec(sandbox, "finish");
    const kept = await sandbox.person("answer", "keep");
    expect(kept.stdout).toMatch(new RegExp(`The branch ${BRANCH} is kept\\.[^]*Next: isdlc finish\n$`));
    expect(readMeta(sandbox)).toMatchObject({ status: "active", completed: null });
    expect(sandbox.read(`${FEATURE}/.review-history.md`)).toContain("## Phase: design");
    expect(sandbox.git("branch", "--show-current")).toBe(BRANCH);
  });

  test("confirms discard, then abandons the feature and saves it under a ref [SPEC-AC16, SPEC-R5.3]", async () => {
    const sandbox = await inOwnTree();
    const tree = worktreePath(sandbox);
    expect((await sandbox.script("-C", tree, "status")).stdout).toContain("  isdlc answer discard --yes\n");
    const once = await sandbox.person("-C", tree, "answer", "discard", "--json");
    expect([once.code, isThere(tree)]).toEqual([3, true]);
    expect(parsed(once).choice).toMatchObject({ kind: "confirm", options: ["yes"], flag: "--yes" });
    expect(metaAt(sandbox, BRANCH).status).toBe("active");
    const twice = await sandbox.person("-C", tree, "answer", "discard", "--yes");
    const ref = /kept on (refs\/\S+?)\.?$/m.exec(twice.stdout)?.[1] ?? "";
    expect([twice.code, isThere(tree), sandbox.git("branch", "--list")]).toEqual([0, false, "* main"]);
    expect(twice.stdout).toContain(`Continue in ${sandbox.root}`);
    expect(metaAt(sandbox, ref)).toMatchObject({ status: "abandoned", completed: expect.any(String) });
    expect(sandbox.git("show", `${ref}:${FEATURE}/spec.md`)).toContain("specify of before");
    expect(sandbox.git("log", "main", "--oneline").split("\n")).toHaveLength(1);
  });

  test("removes the feature's worktree after a merge started inside it [SPEC-AC15]", async () => {
    const sandbox = await inOwnTree();
    const { code, stdout } = await sandbox.person("-C", join(worktreePath(sandbox), FEATURE), "answer", "merge");
    expect([code, isThere(worktreePath(sandbox)), sandbox.git("branch", "--list")]).toEqual([0, false, "* main"]);
    expect(stdout).toMatch(/Merged into main/);
    expect(stdout).toContain(`Continue in ${sandbox.root}`);
    expect(readMeta(sandbox).status).toBe("completed");
  });

  test("changes nothing after a merge conflict, and merges once it is resolved", async () => {
    const sandbox = await ready({ "README.md": "# Ours\n" });
    await spec(sandbox, "finish");
    const tip = sandbox.git("commit-tree", "-p", "main", "-m", "Theirs", treeWith(sandbox, "README.md", "# Theirs\n"));
    sandbox.git("update-ref", "refs/heads/main", tip);
    expect(parsed(await sandbox.person("answer", "merge", "--json")).run.waiting.moved[0]).toMatch(/^main moved/);
    const failed = await sandbox.person("answer", "merge", "--json");
    expect([failed.code, parsed(failed).run.waiting]).toMatchObject([
      3,
      { kind: "escalation", reason: "merge_conflict" },
    ]);
    expect([sandbox.git("rev-parse", "main"), sandbox.git("branch", "--show-current")]).toEqual([tip, BRANCH]);
    expect(sandbox.read("README.md")).toBe("# Ours\n");
    expect([readMeta(sandbox).status, metaAt(sandbox, BRANCH).status]).toEqual(["active", "active"]);
    sandbox.git("update-ref", "refs/heads/main", `${tip}~1`);
    expect(parsed(await sandbox.person("retry", "--json")).run.waiting.moved[0]).toMatch(/^main moved/);
    expect(await sandbox.person("answer", "merge")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Merged into main"),
    });
    expect([readMeta(sandbox).status, sandbox.git("branch", "--list")]).toEqual(["completed", "* main"]);
  });
});

const treeWith = (sandbox: Sandbox, path: string, text: string): string => {
  sandbox.write("../blob", text);
  const blob = sandbox.git("hash-object", "-w", "../blob");
  const index = { ...sandbox.env, GIT_INDEX_FILE: join(sandbox.base, "index") };
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: sandbox.root, env: index, encoding: "utf8" }).trim();
  git("read-tree", "main");
  git("update-index", "--cacheinfo", `100644,${blob},${path}`);
  return git("write-tree");
};

describe.concurrent("process killed after the merge", () => {
  /** A git that kills the program when it tries to remove the worktree. A run keeps the git it started with. */
  const deadlyGit = (sandbox: Sandbox): Environment => {
    const bin = join(sandbox.base, "deadly");
    mkdirSync(bin);
    const real = execFileSync("which", ["git"], { encoding: "utf8" }).trim();
    const script = `#!/bin/sh\ncase "$*" in *"worktree remove"*) kill -9 $PPID; exit 1;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(bin, "git"), script);
    chmodSync(join(bin, "git"), 0o755);
    return { PATH: `${bin}:${sandbox.env["PATH"] ?? ""}`, ISDLC_OPERATOR_TOKEN: sandbox.token };
  };

  const killedAtCleanUp = async (): Promise<Sandbox> => {
    let env: Environment = {};
    const sandbox = await inOwnTree((made) => (env = deadlyGit(made)));
    const { code } = await sandbox.start(["-C", worktreePath(sandbox), "answer", "merge"], env).ended;
    expect([code, isThere(worktreePath(sandbox)), readMeta(sandbox).status]).toEqual([null, true, "completed"]);
    return sandbox;
  };

  test.for([
    ["in its worktree", (sandbox: Sandbox) => ["-C", worktreePath(sandbox), "finish"]],
    ["in the main worktree, by feature number", () => ["finish", "001", "--yes"]],
  ] as const)("cleans up when finish is repeated %s [SPEC-AC15]", async ([, args]) => {
    const sandbox = await killedAtCleanUp();
    const again = await spec(sandbox, ...args(sandbox));
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`Deleted ${BRANCH}, which is merged.`) });
    expect([isThere(worktreePath(sandbox)), sandbox.git("branch", "--list")]).toEqual([false, "* main"]);
    expect(sandbox.log()).toHaveLength(1);
  });
});
