import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findMainTree, relativeWorktree, resolveWorktree } from "../../src/adapters/git/worktree/worktree-location.ts";
import { useRepository } from "../git/repository-fixture.ts";

const fixture = useRepository();
const beside = (name: string) => join(fixture.base, name);

describe("stored path of an item's worktree [R4]", () => {
  beforeEach(() => {
    fixture.commitAll("one");
    fixture.git("worktree", "add", "--quiet", "--detach", beside("repo-1-a"));
  });

  test.each(["repo-1-a", "mit leerzeichen", "ünïcödé-日本", "x".repeat(200)])(
    "is resolved with the name %j",
    (name) => {
      if (name !== "repo-1-a") fixture.git("worktree", "add", "--quiet", "--detach", beside(name));
      expect(relativeWorktree(fixture.repo, beside(name))).toBe(`../${name}`);
      expect(resolveWorktree(fixture.repo, `../${name}`)).toBe(beside(name));
    },
  );

  test("is resolved from the linked worktree too", () => {
    expect(findMainTree(beside("repo-1-a"))).toBe(fixture.repo);
    expect(resolveWorktree(beside("repo-1-a"), "../repo-1-a")).toBe(beside("repo-1-a"));
  });

  test.each([
    ["an absolute path", () => beside("repo-1-a")],
    ["a path above the parent folder", () => `../../${fixture.base.split("/").at(-1)}/repo-1-a`],
    ["a path through the main worktree", () => "../repo/../repo-1-a"],
    ["a path inside the worktree", () => "../repo-1-a/"],
    ["backslashes", () => "..\\repo-1-a"],
    ["a name with a NUL", () => "../repo-1-a\0"],
    ["a name with a newline", () => "../repo-1-a\n"],
    ["the main worktree", () => "../repo"],
    ["the parent", () => "../.."],
    ["an empty name", () => "../"],
    ["a missing folder", () => "../gone"],
    ["null", () => null],
    ["a number", () => 7],
  ])("is rejected: %s", (_what, stored) => {
    expect(resolveWorktree(fixture.repo, stored())).toBeNull();
  });

  test.each<[string, () => void]>([
    ["a plain folder", () => mkdirSync(beside("other"))],
    ["an independent repository", () => void fixture.gitIn(fixture.base, "init", "--quiet", "other")],
    ["a link to a real linked worktree", () => symlinkSync(beside("repo-1-a"), beside("other"))],
    ["a folder that claims to be another worktree", claim],
    ["a linked worktree of another repository", stranger],
    ["a worktree moved without git", () => renameSync(beside("repo-1-a"), beside("other"))],
  ])("is rejected for %s", (_what, make) => {
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

  test("is rejected if a link replaced the folder", () => {
    renameSync(beside("repo-1-a"), beside("moved"));
    symlinkSync(beside("moved"), beside("repo-1-a"));
    expect(resolveWorktree(fixture.repo, "../repo-1-a")).toBeNull();
    rmSync(beside("repo-1-a"));
    renameSync(beside("moved"), beside("repo-1-a"));
    expect(resolveWorktree(fixture.repo, "../repo-1-a")).toBe(beside("repo-1-a"));
  });
});
