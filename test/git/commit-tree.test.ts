import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "./repository-fixture.ts";
import { commitRequest } from "./write-requests.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const status = () => fixture.git("status", "--porcelain");

const done = { is: "done", commit: expect.stringMatching(/^[0-9a-f]{40}$/) };

describe("commit", () => {
  test("commits exactly the tree with trailers, and keeps the staged state of other files", async () => {
    fixture.write(".gitignore", "*.log\n");
    for (const name of ["a", "b", "c", "gone", "dir/old"]) fixture.write(name, "1\n");
    fixture.commitAll("one");
    for (const name of ["a", "b", "c"]) fixture.write(name, "2\n");
    fixture.git("add", "b");
    fixture.write("b", "3\n");
    fixture.write("dir/new", "1\n");
    fixture.write("dir/x.log", "1\n");
    fixture.write("mine", "1\n");
    rmSync(at("gone"));
    rmSync(at("dir/old"));
    const write = createGitWrite(fixture.repo, agreeing);
    const paths = ["a", "gone", "dir", "dir/x.log", "never-there", "../outside", "-x"];
    expect(await write.commit(await commitRequest(fixture, paths))).toEqual(done);
    expect(fixture.git("show", "--name-status", "--no-renames", "--format=%B", "HEAD")).toBe(
      "phase: done\n\nbody\n# kept\n\nIsdlc-Attempt: run/01-x#1\nIsdlc-Journal: 7:abc\n\n\nM\ta\nA\tdir/new\nD\tdir/old\nD\tgone",
    );
    expect(status()).toBe("MM b\n M c\n?? mine");
  });

  test("leaves later changes uncommitted", async () => {
    fixture.write("a", "1\n");
    fixture.commitAll("one");
    fixture.write("a", "2\n");
    const request = await commitRequest(fixture, ["a"]);
    fixture.write("a", "3\n");
    fixture.write("late", "1\n");
    fixture.git("add", "--all");
    expect(await createGitWrite(fixture.repo, agreeing).commit(request)).toEqual(done);
    expect(fixture.git("show", "HEAD:a")).toBe("2");
    expect(fixture.git("ls-tree", "-r", "--name-only", "HEAD")).toBe("a");
    expect(readFileSync(at("a"), "utf8")).toBe("3\n");
  });

  test("finds the attempt's commit again, skips an empty one and makes a first one", async () => {
    const write = createGitWrite(fixture.repo, agreeing);
    fixture.write("a", "1");
    fixture.write("b", "1");
    const first = await commitRequest(fixture, ["a"]);
    const made = await write.commit(first);
    expect(made).toEqual(done);
    expect(fixture.git("show", "--name-only", "--format=%P", "HEAD")).toBe("\n\na");
    fixture.write("a", "2");
    expect(await write.commit(first)).toEqual(made);
    expect(status()).toBe(" M a\n?? b");
    expect(await write.commit(await commitRequest(fixture, ["c"], "run/01-x#2"))).toEqual({ is: "done", commit: null });
    const next = await write.commit(await commitRequest(fixture, ["a"], "run/01-x#2"));
    expect(next).not.toEqual(made);
    expect(await toOutcome(write.commit(await commitRequest(fixture, ["a"], "x\nSigned-off-by: me")))).toMatchObject({
      problem: "GIT_FAILED",
    });
  });

  test("reports a move for a foreign commit, even with the attempt's trailer", async () => {
    fixture.write("a", "1");
    const before = fixture.commitAll("one");
    fixture.write("a", "2");
    const request = await commitRequest(fixture, ["a"]);
    fixture.write("planted", "1");
    fixture.git("add", "planted");
    fixture.git("commit", "--quiet", "-m", "approved\n\nIsdlc-Attempt: run/01-x#1");
    const write = createGitWrite(fixture.repo, agreeing);
    expect(await write.commit(request)).toEqual({ is: "moved" });
    fixture.git("reset", "--quiet", "--soft", before);
    fixture.git("switch", "--quiet", "-c", "other");
    expect(await write.commit({ ...request, branch: "main" })).toEqual({ is: "moved" });
    expect(fixture.git("rev-parse", "main", "other")).toBe(`${before}\n${before}`);
  });

  test("reports a hook's refusal, and undoes and reports changes made by a hook", async () => {
    fixture.write("a", "1");
    const before = fixture.commitAll("one");
    fixture.write("a", "2");
    const write = createGitWrite(fixture.repo, agreeing);
    const request = await commitRequest(fixture, ["a"]);
    fixture.hook("pre-commit", "printf '\\033[31mlint: a is wrong\\033[0m\\n' >&2; exit 1");
    expect(await toOutcome(write.commit(request))).toEqual({ problem: "GIT_FAILED", detail: "lint: a is wrong" });
    expect(await write.head()).toBe(before);
    expect(status()).toBe(" M a");
    fixture.hook("pre-commit", "echo $$ > a; echo 1 > planted; git add a planted; (sleep 30 &)");
    const changed = await write.commit(request);
    expect(changed).toMatchObject({
      is: "changed",
      changes: [
        { path: "a", change: "modified" },
        { path: "planted", change: "added" },
      ],
    });
    expect(await write.head()).toBe(before);
  });

  test("moves the branch to a commit prepared with the changes of a hook", async () => {
    fixture.write("a", "1");
    const before = fixture.commitAll("one");
    fixture.write("a", "2");
    const write = createGitWrite(fixture.repo, agreeing);
    const request = await commitRequest(fixture, ["a"]);
    fixture.hook("pre-commit", "echo 1 > planted; git add planted");
    const { commit, changes } = await write.prepare(request);
    expect(changes).toEqual([{ path: "planted", change: "added" }]);
    expect(await write.head()).toBe(before);
    expect(status()).toBe(" M a\n?? planted");
    expect(fixture.git("for-each-ref", "--format=%(objectname)", "refs/isdlc")).toContain(commit);
    const advance = { branch: "main", parent: before, commit };
    expect(await write.advance(advance)).toEqual({ is: "done", commit });
    expect(await write.advance(advance)).toEqual({ is: "done", commit });
    expect(fixture.git("ls-tree", "-r", "--name-only", "HEAD")).toBe("a\nplanted");
    expect(status()).toBe("");
  });

  test("prepares the same commit for the same request, and moves no branch to it that moved meanwhile", async () => {
    fixture.write("a", "1");
    const before = fixture.commitAll("one");
    fixture.write("a", "2");
    const write = createGitWrite(fixture.repo, agreeing);
    const request = await commitRequest(fixture, ["a"]);
    const at = "2026-11-01T10:15:00.123Z";
    const prepared = await write.prepare({ ...request, journal: null, at });
    expect(await write.prepare({ ...request, journal: null, at })).toEqual(prepared);
    const { commit } = prepared;
    expect(fixture.git("log", "-1", "--format=%aI %cI %P%n%B", commit ?? "")).toBe(
      `2026-11-01T10:15:00+00:00 2026-11-01T10:15:00+00:00 ${before}\nphase: done\n\nbody\n# kept\n\nIsdlc-Attempt: run/01-x#1\n`,
    );
    fixture.write("b", "1");
    const other = fixture.commitAll("other");
    expect(await write.advance({ branch: null, parent: before, commit })).toEqual({ is: "moved" });
    expect(await write.advance({ branch: null, parent: before, commit: null })).toEqual({ is: "moved" });
    expect(await toOutcome(write.advance({ branch: null, parent: other, commit }))).toMatchObject({
      problem: "GIT_FAILED",
    });
    expect(await write.head()).toBe(other);
  });

  test("changes nothing without an identity, during a merge or with a locked HEAD", async () => {
    fixture.write("a", "1");
    const before = fixture.commitAll("one");
    fixture.write("a", "2");
    const write = createGitWrite(fixture.repo, agreeing);
    const request = await commitRequest(fixture, ["a"]);
    writeFileSync(at(".git/MERGE_HEAD"), `${before}\n`);
    expect(await toOutcome(write.commit(request))).toMatchObject({ detail: expect.stringContaining("MERGE_HEAD") });
    rmSync(at(".git/MERGE_HEAD"));
    writeFileSync(at(".git/HEAD.lock"), "");
    expect(await toOutcome(write.commit(request))).toMatchObject({
      problem: "GIT_FAILED",
      detail: expect.stringContaining("HEAD.lock"),
    });
    rmSync(at(".git/HEAD.lock"));
    writeFileSync(join(fixture.base, "home/.gitconfig"), "[user]\n\tuseConfigOnly = true\n");
    expect(await toOutcome(write.commit(request))).toMatchObject({
      problem: "GIT_FAILED",
      detail: expect.stringContaining("no email was given"),
    });
    expect(await write.head()).toBe(before);
    expect(status()).toBe(" M a");
    process.env["GIT_AUTHOR_NAME"] = process.env["GIT_COMMITTER_NAME"] = "Server";
    process.env["GIT_AUTHOR_EMAIL"] = process.env["GIT_COMMITTER_EMAIL"] = "server@example.org";
    expect(await write.commit(request)).toEqual(done);
  });

  test("keeps a commit whose index update failed and updates the index when repeated", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    fixture.write("a", "2");
    fixture.hook("post-commit", ": > .git/index.lock");
    const write = createGitWrite(fixture.repo, agreeing);
    const request = await commitRequest(fixture, ["a"]);
    expect(await toOutcome(write.commit(request))).toMatchObject({ problem: "GIT_FAILED" });
    rmSync(at(".git/index.lock"));
    expect(status()).toBe("MM a");
    expect(await write.commit(request)).toEqual({ is: "done", commit: await write.head() });
    expect(fixture.git("rev-list", "--count", "HEAD")).toBe("2");
    expect(status()).toBe("");
  });
});
