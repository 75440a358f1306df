import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "./repository-fixture.ts";
import { commitRequest, mergeRequest } from "./write-requests.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const status = () => fixture.git("status", "--porcelain");

/** Two commits on main and a branch, which is checked out. */
function branches(): void {
  fixture.write("other", "1\n");
  fixture.commitAll("one");
  fixture.git("switch", "--quiet", "-c", "feature");
  fixture.write("b", "1\n");
  fixture.commitAll("two");
}

describe("repeated call after git was killed in a hook", () => {
  /** The hook writes its parent's pid (git) and waits; its first run is killed with SIGKILL. */
  async function killDuring(hook: string, call: () => Promise<unknown>): Promise<unknown> {
    const mark = join(fixture.base, "git-pid");
    fixture.hook(
      hook,
      `test -e "${mark}" && exit 0\necho $PPID > "${mark}.new"; mv "${mark}.new" "${mark}"; exec sleep 20 > /dev/null 2>&1`,
    );
    const appeared = new Promise<void>((resolve) => {
      const watcher = watch(fixture.base, (_, name) => {
        if (name !== "git-pid") return;
        watcher.close();
        resolve();
      });
    });
    const outcome = toOutcome(call());
    await appeared;
    process.kill(Number(readFileSync(mark, "utf8")), "SIGKILL");
    return outcome;
  }

  test.each(["pre-commit", "commit-msg"])("commits exactly once, after %s", async (hook) => {
    fixture.write("a", "1");
    fixture.write("staged", "1");
    fixture.commitAll("one");
    fixture.write("a", "2");
    fixture.write("staged", "2");
    fixture.git("add", "staged");
    const write = createGitWrite(fixture.repo, agreeing);
    const request = await commitRequest(fixture, ["a"]);
    expect(await killDuring(hook, () => write.commit(request))).toMatchObject({ problem: "GIT_FAILED" });
    const made = await write.commit(request);
    expect(await write.commit(request)).toEqual(made);
    expect(fixture.git("rev-list", "--count", "HEAD")).toBe("2");
    expect(status()).toBe("M  staged");
  });

  test.each(["pre-merge-commit", "commit-msg"])(
    "merges exactly once, after %s with the caller of git killed too",
    async (hook) => {
      branches();
      const merge = mergeRequest(fixture);
      fixture.git("switch", "--quiet", "main");
      fixture.write("other", "mine\n");
      const direct = () =>
        new Promise((resolve) => {
          const args = ["merge", "--no-ff", "-m", "Merge it", "refs/heads/feature"];
          spawn("git", args, { cwd: fixture.repo, stdio: "ignore" }).on("exit", resolve);
        });
      await killDuring(hook, direct);
      expect(status()).toContain("A  b");
      const write = createGitWrite(fixture.repo, agreeing);
      const made = await write.merge(merge);
      expect(await write.merge(merge)).toEqual(made);
      expect(fixture.git("rev-list", "--count", "--merges", "main")).toBe("1");
      expect(status()).toBe(" M other");
      expect(
        execFileSync("git", ["fsck", "--no-progress"], {
          cwd: fixture.repo,
          encoding: "utf8",
          stdio: ["ignore", "pipe", "ignore"],
        }),
      ).not.toContain("missing");
    },
  );

  test("returns to the branch, then merges exactly once", async () => {
    branches();
    const merge = mergeRequest(fixture);
    const write = createGitWrite(fixture.repo, agreeing);
    expect(await killDuring("pre-merge-commit", () => write.merge(merge))).toMatchObject({ problem: "GIT_FAILED" });
    expect(fixture.git("branch", "--show-current")).toBe("feature");
    expect(status()).toBe("");
    const made = await write.merge(merge);
    expect(await write.merge(merge)).toEqual(made);
    expect(fixture.git("rev-list", "--count", "--merges", "main")).toBe("1");
  });

  test("undoes a merge left by a killed process and returns to the branch", async () => {
    branches();
    const merge = mergeRequest(fixture);
    const tip = fixture.git("rev-parse", "feature");
    fixture.git("switch", "--quiet", "main");
    fixture.write("other", "mine\n");
    fixture.git("merge", "--quiet", "--no-commit", "--no-ff", "feature");
    const write = createGitWrite(fixture.repo, agreeing);
    expect(await toOutcome(write.returnToBranch("feature", tip))).toMatchObject({ problem: "GIT_FAILED" });
    await write.prepareMerge(merge);
    expect(status()).toBe(" M other");
    await write.returnToBranch("feature", tip);
    expect(await write.merge(merge)).toEqual({ is: "merged", commit: fixture.git("rev-parse", "main") });
    expect(status()).toBe(" M other");
  });

  test("removes a leftover MERGE_HEAD and does not merge twice", async () => {
    branches();
    const merge = mergeRequest(fixture);
    const tip = fixture.git("rev-parse", "feature");
    const write = createGitWrite(fixture.repo, agreeing);
    const made = await write.merge(merge);
    const mark = () => writeFileSync(at(".git/MERGE_HEAD"), `${tip}\n`);
    mark();
    expect(await write.merge(merge)).toEqual(made);
    expect(existsSync(at(".git/MERGE_HEAD"))).toBe(false);
    mark();
    await write.prepareMerge(merge);
    await write.returnToBranch("feature", tip);
    expect(await write.merge(merge)).toEqual(made);
    expect(fixture.git("rev-list", "--count", "--merges", "main")).toBe("1");
  });

  test("leaves a merge of another commit to the user", async () => {
    branches();
    const merge = mergeRequest(fixture);
    await createGitWrite(fixture.repo, agreeing).merge(merge);
    writeFileSync(at(".git/MERGE_HEAD"), `${fixture.git("rev-parse", "main~1")}\n`);
    await createGitWrite(fixture.repo, agreeing).prepareMerge(merge);
    expect(existsSync(at(".git/MERGE_HEAD"))).toBe(true);
  });
});
