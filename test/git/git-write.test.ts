import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitRead } from "../../src/adapters/git/read/git-read.ts";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "./repository-fixture.ts";
import { commitRequest, mergeRequest } from "./write-requests.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const status = () => fixture.git("status", "--porcelain");

const attacks = [
  "x;touch P;#",
  "$(touch P)",
  "`touch P`",
  "x|touch P",
  "x\ntouch P",
  "--upload-pack=touch P",
  "-x",
  "ext::sh -c touch P",
  "a\0b",
  "",
  "HEAD",
  "a..b",
  "@{-1}",
  "x.lock",
  ".x",
];

describe("invalid branch names [S1]", () => {
  test.each(attacks)("are rejected and run nothing: %j", async (name) => {
    fixture.write("a", "1");
    const head = fixture.commitAll("one");
    const write = createGitWrite(fixture.repo, agreeing);
    expect(await createGitRead(fixture.repo, process.env).branchExists(name)).toBe(false);
    expect(await toOutcome(write.startBranch(name, head))).toMatchObject({ problem: "GIT_FAILED" });
    expect(await toOutcome(write.startBranch("fine", name))).toMatchObject({ problem: "GIT_FAILED" });
    const here = { commit: head, onto: head, message: "m" };
    for (const names of [
      { branch: name, base: "main" },
      { branch: "main", base: name },
    ])
      expect(await toOutcome(write.merge({ ...here, ...names }))).toMatchObject({ problem: "GIT_FAILED" });
    const nothing = await commitRequest(fixture, []);
    expect(await write.commit(nothing)).toEqual({ is: "done", commit: null });
    expect(await toOutcome(write.commit({ ...nothing, branch: name }))).toMatchObject({ problem: "GIT_FAILED" });
    expect(existsSync(at("P"))).toBe(false);
    expect(await write.head()).toBe(head);
  });
});

describe("startBranch", () => {
  test("creates the branch once, finds it at or after the commit, and refuses another one", async () => {
    fixture.write("a", "1");
    const first = fixture.commitAll("one");
    const second = fixture.commitAll("two");
    const write = createGitWrite(fixture.repo, agreeing);
    await write.startBranch("feature/REQ-0001-x", second);
    expect(fixture.git("branch", "--show-current")).toBe("feature/REQ-0001-x");
    await write.startBranch("feature/REQ-0001-x", second);
    fixture.git("switch", "--quiet", "main");
    await write.startBranch("feature/REQ-0001-x", second);
    expect(fixture.git("branch", "--show-current")).toBe("feature/REQ-0001-x");
    fixture.commitAll("three");
    await write.startBranch("feature/REQ-0001-x", second);
    fixture.git("switch", "--quiet", "main");
    expect(await toOutcome(write.startBranch("feature/REQ-0001-x", first))).toMatchObject({
      problem: "GIT_FAILED",
      detail: expect.stringContaining("already exists"),
    });
    expect(fixture.git("branch", "--show-current")).toBe("main");
  });

  test("stops if user changes are in the way of an older commit", async () => {
    fixture.write("a", "1");
    const first = fixture.commitAll("one");
    fixture.write("a", "2");
    fixture.commitAll("two");
    fixture.write("a", "mine");
    expect(await toOutcome(createGitWrite(fixture.repo, agreeing).startBranch("b", first))).toMatchObject({
      problem: "GIT_FAILED",
    });
    expect(readFileSync(at("a"), "utf8")).toBe("mine");
    expect(fixture.git("branch", "--list", "b")).toBe("");
  });
});

describe("merge", () => {
  function branches(): void {
    fixture.write("a", "1\n");
    fixture.write("other", "1\n");
    fixture.commitAll("one");
    fixture.git("switch", "--quiet", "-c", "feature");
    fixture.write("b", "1\n");
    fixture.commitAll("two");
  }

  test("creates one merge commit, ends on the base and keeps uncommitted work", async () => {
    branches();
    fixture.write("other", "mine\n");
    fixture.write("untracked", "mine\n");
    const write = createGitWrite(fixture.repo, agreeing);
    const tip = fixture.git("rev-parse", "feature");
    const base = fixture.git("rev-parse", "main");
    const merge = mergeRequest(fixture);
    const made = await write.merge(merge);
    expect(made).toEqual({ is: "merged", commit: fixture.git("rev-parse", "main") });
    expect(await write.isMerged(merge)).toBe(true);
    expect(fixture.git("log", "-1", "--format=%P|%s", "main")).toBe(`${base} ${tip}|Merge it`);
    fixture.git("switch", "--quiet", "feature");
    expect(await write.merge(merge)).toEqual(made);
    expect(fixture.git("branch", "--show-current")).toBe("main");
    expect(status()).toBe(" M other\n?? untracked");
    expect(fixture.git("rev-list", "--count", "--merges", "main")).toBe("1");
  });

  test("keeps user changes that block the switch, and merges without them", async () => {
    branches();
    fixture.write("b", "mine\n");
    fixture.write("keep", "mine\n");
    const outcome = await createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture));
    expect(outcome).toEqual({ is: "merged", commit: fixture.git("rev-parse", "main") });
    expect(fixture.git("branch", "--show-current")).toBe("main");
    expect(fixture.git("show", "main:b")).toBe("1");
    expect(readFileSync(at("b"), "utf8")).toBe("mine\n");
    expect(status()).toBe(" M b\n?? keep");
  });

  test("returns the unchanged base if the branch has no new commits", async () => {
    fixture.write("a", "1");
    const head = fixture.commitAll("one");
    fixture.git("branch", "feature");
    expect(await createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture))).toEqual({
      is: "merged",
      commit: head,
    });
  });

  test("lists the files of a conflict and changes nothing", async () => {
    branches();
    fixture.write("a", "feature\n");
    fixture.commitAll("three");
    fixture.git("switch", "--quiet", "main");
    fixture.write("a", "main\n");
    const base = fixture.commitAll("four");
    fixture.git("switch", "--quiet", "feature");
    fixture.write("other", "mine\n");
    const call = createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture));
    await expect(call).rejects.toMatchObject({
      problem: { code: "MERGE_CONFLICT", branch: "feature", base: "main", files: ["a"] },
    });
    expect(fixture.git("branch", "--show-current")).toBe("feature");
    expect(fixture.git("rev-parse", "main")).toBe(base);
    expect(status()).toBe(" M other");
  });

  function changedOnBoth(): void {
    fixture.git("switch", "--quiet", "main");
    fixture.write("other", "2\n");
    fixture.git("commit", "--quiet", "--all", "--message", "three");
    fixture.git("switch", "--quiet", "feature");
    fixture.write("other", "mine\n");
  }

  const refusals: [string, () => void, string][] = [
    ["a refusing hook", () => fixture.hook("pre-merge-commit", "echo not today; exit 1"), "?? keep"],
    ["a refusing message hook", () => fixture.hook("commit-msg", "exit 1"), "?? keep"],
    ["staged changes", () => (fixture.write("other", "mine\n"), fixture.git("add", "other")), "M  other\n?? keep"],
    ["uncommitted changes to a file changed in the base too", changedOnBoth, " M other\n?? keep"],
    ["a locked index", () => writeFileSync(at(".git/index.lock"), ""), "?? keep"],
  ];
  test.each(refusals)("stays on the branch and keeps all changes with %s", async (_, prepare, expected) => {
    branches();
    fixture.write("keep", "mine\n");
    prepare();
    const base = fixture.git("rev-parse", "main");
    expect(await toOutcome(createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture)))).toMatchObject({
      problem: "GIT_FAILED",
    });
    rmSync(at(".git/index.lock"), { force: true });
    expect(fixture.git("branch", "--show-current")).toBe("feature");
    expect(fixture.git("rev-parse", "main")).toBe(base);
    expect(status()).toBe(expected);
  });

  test("merges a backlog changed on both sides by item", async () => {
    branches();
    const backlog = (first: string, second: string) => `# Backlog\n\n- 1.1 [${first}] One\n- 1.2 [${second}] Two\n`;
    fixture.git("switch", "--quiet", "main");
    fixture.write("BACKLOG.md", backlog(" ", " "));
    fixture.commitAll("backlog");
    fixture.git("switch", "--quiet", "feature");
    fixture.git("merge", "--quiet", "main");
    fixture.write("BACKLOG.md", backlog("x", " "));
    fixture.commitAll("one");
    fixture.git("switch", "--quiet", "main");
    fixture.write("BACKLOG.md", backlog(" ", "A"));
    fixture.commitAll("two");
    fixture.git("switch", "--quiet", "feature");
    const request = mergeRequest(fixture);
    expect(await createGitWrite(fixture.repo, agreeing).merge(request)).toMatchObject({ is: "merged" });
    expect(fixture.git("show", "main:BACKLOG.md")).toBe(backlog("x", "A").trimEnd());
    expect(fixture.git("log", "-1", "--format=%P|%s", "main")).toBe(`${request.onto} ${request.commit}|Merge it`);
    expect(status()).toBe("");
  });

  test("leaves nothing half switched with a locked HEAD, and continues after a switch was interrupted", async () => {
    branches();
    const write = createGitWrite(fixture.repo, agreeing);
    writeFileSync(at(".git/HEAD.lock"), "");
    expect(await toOutcome(write.merge(mergeRequest(fixture)))).toMatchObject({
      problem: "GIT_FAILED",
      detail: expect.stringContaining("HEAD.lock is there"),
    });
    expect(status()).toBe("");
    expect(() => fixture.git("switch", "--quiet", "main")).toThrow("HEAD.lock");
    rmSync(at(".git/HEAD.lock"));
    expect(status()).toBe("D  b");
    const tip = fixture.git("rev-parse", "feature");
    expect(await write.merge(mergeRequest(fixture))).toMatchObject({ is: "merged" });
    expect(fixture.git("rev-parse", "main^2")).toBe(tip);
    expect(fixture.git("show", "main:b")).toBe("1");
    expect(status()).toBe("");
  });

  test("refuses added commits, a different base and changes by a hook", async () => {
    branches();
    const write = createGitWrite(fixture.repo, agreeing);
    const asked = mergeRequest(fixture);
    fixture.write("planted", "1\n");
    fixture.commitAll("planted");
    expect(await write.merge(asked)).toEqual({ is: "moved" });
    fixture.git("reset", "--quiet", "--hard", asked.commit);
    const elsewhere = fixture.git("commit-tree", "-p", "main", "-m", "moved", "main^{tree}");
    fixture.git("update-ref", "refs/heads/main", elsewhere);
    expect(await write.merge(asked)).toEqual({ is: "moved" });
    fixture.git("update-ref", "refs/heads/main", asked.onto);
    const another = "git commit-tree -p HEAD^1 -p HEAD^2 -m x $(git write-tree)";
    fixture.hook("post-merge", `echo 1 > planted; git add planted; git update-ref HEAD $(${another})`);
    expect(await write.merge(asked)).toEqual({ is: "changed", changes: [{ path: "planted", change: "added" }] });
    expect(fixture.git("rev-parse", "main")).toBe(asked.onto);
    expect(fixture.git("branch", "--show-current")).toBe("feature");
    expect(status()).toBe("");
  });

  test("keeps an ignored file with the name of a file of the branch", async () => {
    branches();
    fixture.git("switch", "--quiet", "main");
    writeFileSync(at(".git/info/exclude"), "b\n");
    fixture.write("b", "mine\n");
    const write = createGitWrite(fixture.repo, agreeing);
    expect(await toOutcome(write.merge(mergeRequest(fixture)))).toMatchObject({
      problem: "GIT_FAILED",
      detail: "b: not under version control and in the way",
    });
    expect(await toOutcome(write.startBranch("feature", fixture.git("rev-parse", "feature")))).toMatchObject({
      problem: "GIT_FAILED",
    });
    expect(readFileSync(at("b"), "utf8")).toBe("mine\n");
    expect(fixture.git("branch", "--show-current")).toBe("main");
  });

  test("leaves a merge started by the user alone", async () => {
    branches();
    fixture.git("switch", "--quiet", "main");
    fixture.git("merge", "--quiet", "--no-commit", "--no-ff", "feature");
    fixture.write("mine", "resolution\n");
    fixture.git("add", "mine");
    const before = status();
    expect(await toOutcome(createGitWrite(fixture.repo, agreeing).merge(mergeRequest(fixture)))).toMatchObject({
      problem: "GIT_FAILED",
    });
    expect(status()).toBe(before);
    expect(existsSync(at(".git/MERGE_HEAD"))).toBe(true);
  });
});
