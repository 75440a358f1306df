import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findMainTree, relativeWorktree, resolveWorktree } from "../../src/adapters/git/worktree/worktree-location.ts";
import { useRepository } from "../git/repository-fixture.ts";

const fixture = useRepository();
const beside = (name: string) => join(fixture.base, name);

describe("what an item's file says about its working tree (R4, risk: the path changes)", () => {
  beforeEach(() => {
    fixture.commitAll("one");
    fixture.git("worktree", "add", "--quiet", "--detach", beside("repo-1-a"));
  });

  test.each(["repo-1-a", "mit leerzeichen", "ünïcödé-日本", "x".repeat(200)])(
    "a tree called %j is stored and found",
    (name) => {
      if (name !== "repo-1-a") fixture.git("worktree", "add", "--quiet", "--detach", beside(name));
      expect(relativeWorktree(fixture.repo, beside(name))).toBe(`../${name}`);
      expect(resolveWorktree(fixture.repo, `../${name}`)).toBe(beside(name));
    },
  );

  test("it is found from the linked tree as well", () => {
    expect(findMainTree(beside("repo-1-a"))).toBe(fixture.repo);
    expect(resolveWorktree(beside("repo-1-a"), "../repo-1-a")).toBe(beside("repo-1-a"));
  });

  test.each([
    ["an absolute path", () => beside("repo-1-a")],
    ["a way further up", () => `../../${fixture.base.split("/").at(-1)}/repo-1-a`],
    ["a way through the main tree", () => "../repo/../repo-1-a"],
    ["a place inside the tree", () => "../repo-1-a/"],
    ["backslashes", () => "..\\repo-1-a"],
    ["a name with a NUL", () => "../repo-1-a\0"],
    ["a name with a newline", () => "../repo-1-a\n"],
    ["the main tree", () => "../repo"],
    ["the parent", () => "../.."],
    ["nothing", () => "../"],
    ["a folder that is not there", () => "../gone"],
    ["null", () => null],
    ["a number", () => 7],
  ])("%s is not believed", (_what, stored) => {
    expect(resolveWorktree(fixture.repo, stored())).toBeNull();
  });

  test.each<[string, () => void]>([
    ["a plain folder", () => mkdirSync(beside("other"))],
    ["a repository of its own", () => void fixture.gitIn(fixture.base, "init", "--quiet", "other")],
    ["a link to a real linked tree", () => symlinkSync(beside("repo-1-a"), beside("other"))],
    ["a folder that claims the place of another tree", claim],
    ["a linked tree of another repository", stranger],
    ["a tree that was moved without git", () => renameSync(beside("repo-1-a"), beside("other"))],
  ])("%s is not taken for a linked tree of this repository", (_what, make) => {
    make();
    expect(readdirSync(fixture.base)).toContain("other");
    expect(resolveWorktree(fixture.repo, "../other")).toBeNull();
  });

  function claim(): void {
    mkdirSync(beside("other"));
    writeFileSync(join(beside("other"), ".git"), `gitdir: ${join(fixture.repo, ".git", "worktrees", "repo-1-a")}\n`);
  }

  function stranger(): void {
    fixture.gitIn(fixture.base, "init", "--quiet", "second");
    fixture.gitIn(beside("second"), "commit", "--quiet", "--allow-empty", "-m", "one");
    fixture.gitIn(beside("second"), "worktree", "add", "--quiet", "--detach", beside("other"));
  }

  test("a tree whose folder was replaced by a link is not believed any more", () => {
    renameSync(beside("repo-1-a"), beside("moved"));
    symlinkSync(beside("moved"), beside("repo-1-a"));
    expect(resolveWorktree(fixture.repo, "../repo-1-a")).toBeNull();
    rmSync(beside("repo-1-a"));
    renameSync(beside("moved"), beside("repo-1-a"));
    expect(resolveWorktree(fixture.repo, "../repo-1-a")).toBe(beside("repo-1-a"));
  });
});
