import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import {
  deleteMergedBranch,
  keepThenDelete,
  mergeWorktreeBranch,
} from "../../src/adapters/git/worktree/worktree-branch.ts";
import { agreeing, useRepository } from "../git/repository-fixture.ts";
import { mergeRequest } from "../git/write-requests.ts";
import { type LinkedTree, makeLinkedTree } from "./linked-tree.ts";

const fixture = useRepository();
let tree: LinkedTree;
const refs = () => fixture.git("for-each-ref", "--format=%(refname) %(objectname)");
const merge = () => mergeWorktreeBranch(fixture.repo, mergeRequest(fixture, "work"), agreeing);

beforeEach(async () => {
  tree = await makeLinkedTree(fixture);
});

describe("finish with a merge [AC15]", () => {
  test("merges in the main worktree, then worktree and branch can be removed", async () => {
    tree.commit("b", "2");
    const tip = tree.git("rev-parse", "HEAD");
    expect(await merge()).toEqual({
      ok: true,
      outcome: { is: "merged", commit: fixture.git("rev-parse", "main") },
    });
    expect(readFileSync(join(fixture.repo, "b"), "utf8")).toBe("2");
    expect(await tree.remove()).toMatchObject({ ok: true });
    expect(await deleteMergedBranch(fixture.repo, { branch: "work", base: "main" }, agreeing)).toEqual({
      ok: true,
      tip,
      ref: null,
    });
    expect(fixture.git("branch", "--list", "work")).toBe("");
  });

  test.each<{ why: string; what: string; prepare: () => unknown }>([
    { why: "uncommitted", what: "the linked worktree is not committed", prepare: () => tree.write("new", "2") },
    {
      why: "mainElsewhere",
      what: "main is on another branch",
      prepare: () => fixture.git("switch", "--quiet", "-c", "x"),
    },
    { why: "mainElsewhere", what: "main is detached", prepare: () => fixture.git("switch", "--quiet", "--detach") },
    {
      why: "conflict",
      what: "both changed the same",
      prepare: () => {
        fixture.write("a", "other\n");
        fixture.commitAll("other");
      },
    },
    { why: "gitRefused", what: "a touched file is edited in main", prepare: () => fixture.write("a", "mine\n") },
    { why: "gitRefused", what: "an ignored file is in the way", prepare: () => fixture.write("x.log", "mine") },
    {
      why: "gitRefused",
      what: "something is staged in main",
      prepare: () => {
        fixture.write("staged", "mine");
        fixture.git("add", "staged");
      },
    },
  ])("is refused as $why if $what", async ({ why, prepare }) => {
    tree.commit("a", "theirs\n");
    tree.commit("x.log", "theirs");
    prepare();
    const [before, status] = [refs(), fixture.git("status", "--porcelain")];
    expect(await merge()).toMatchObject({ ok: false, why });
    expect([refs(), fixture.git("status", "--porcelain")]).toEqual([before, status]);
  });

  test.each([
    ["noBranch", { branch: "gone", base: "main" }],
    ["noBase", { branch: "work", base: "gone" }],
    ["noBranch", { branch: "-x", base: "main" }],
  ])("is refused as %s: %o", async (why, names) => {
    expect(
      await mergeWorktreeBranch(fixture.repo, { ...mergeRequest(fixture, "work"), ...names }, agreeing),
    ).toMatchObject({
      ok: false,
      why,
    });
  });
});

describe("deletion of a branch", () => {
  test.each<{ why: string; what: string; names: { branch: string; base: string }; prepare: () => unknown }>([
    {
      why: "unmerged",
      what: "it has unmerged commits",
      names: { branch: "work", base: "main" },
      prepare: () => tree.commit("b", "2"),
    },
    { why: "noBranch", what: "it does not exist", names: { branch: "gone", base: "main" }, prepare: () => {} },
    { why: "badBranch", what: "its name is an option", names: { branch: "-D", base: "main" }, prepare: () => {} },
    { why: "noBase", what: "the base does not exist", names: { branch: "work", base: "gone" }, prepare: () => {} },
    { why: "unmerged", what: "it is the base", names: { branch: "work", base: "work" }, prepare: () => {} },
  ])("is refused as $why if $what", async ({ why, names, prepare }) => {
    prepare();
    await tree.remove({ unmerged: "stayOnBranch" });
    const before = refs();
    expect(await deleteMergedBranch(fixture.repo, names, agreeing)).toMatchObject({ ok: false, why });
    expect(refs()).toBe(before);
  });

  test("is refused while a worktree has it checked out, even if its folder is missing", async () => {
    expect(await deleteMergedBranch(fixture.repo, { branch: "work", base: "main" }, agreeing)).toMatchObject({
      why: "checkedOut",
    });
    expect(await keepThenDelete(fixture.repo, "work", agreeing)).toMatchObject({ why: "checkedOut" });
    expect(await keepThenDelete(fixture.repo, "main", agreeing)).toMatchObject({ why: "checkedOut" });
    rmSync(tree.path, { recursive: true });
    expect(await keepThenDelete(fixture.repo, "work", agreeing)).toMatchObject({ why: "checkedOut" });
  });

  test("removes its tracking settings", async () => {
    await tree.remove();
    fixture.git("config", "branch.work.merge", "refs/heads/other");
    await deleteMergedBranch(fixture.repo, { branch: "work", base: "main" }, agreeing);
    expect(() => fixture.git("config", "branch.work.merge")).toThrow();
  });
});

describe("discard of a branch [AC16]", () => {
  test("saves its tip under a ref, and a later one under another", async () => {
    const tips: string[] = [];
    for (const content of ["first", "second"]) {
      fixture.git("branch", "feature/x");
      fixture.git(
        "update-ref",
        "refs/heads/feature/x",
        fixture.git("commit-tree", "-p", "main", "-m", content, "main^{tree}"),
      );
      tips.push(fixture.git("rev-parse", "feature/x"));
      const number = tips.length === 1 ? "" : "-2";
      const ref = `refs/isdlc/kept/feature/x${number}`;
      expect(await keepThenDelete(fixture.repo, "feature/x", agreeing)).toEqual({
        ok: true,
        tip: tips.at(-1),
        ref,
      });
      expect(fixture.git("rev-parse", ref)).toBe(tips.at(-1));
    }
    expect(fixture.git("rev-parse", "refs/isdlc/kept/feature/x")).toBe(tips[0]);
  });

  test("saves a branch whose ref conflicts with another", async () => {
    await tree.remove();
    await keepThenDelete(fixture.repo, "work", agreeing);
    fixture.git("branch", "work/below");
    const deleted = await keepThenDelete(fixture.repo, "work/below", agreeing);
    expect(deleted).toMatchObject({ ok: true, ref: expect.stringMatching(/^refs\/isdlc\/kept\/x/) });
    if (deleted.ok) expect(fixture.git("rev-parse", String(deleted.ref))).toBe(deleted.tip);
  });

  test("deletes nothing if the user's hook forbids it", async () => {
    await tree.remove();
    fixture.hook("reference-transaction", 'test "$1" != prepared');
    const before = fixture.git("rev-parse", "work");
    expect(await keepThenDelete(fixture.repo, "work", agreeing)).toMatchObject({
      ok: false,
      why: "gitRefused",
    });
    expect(fixture.git("rev-parse", "work")).toBe(before);
  });
});
