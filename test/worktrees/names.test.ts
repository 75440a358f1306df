import { describe, expect, test } from "vitest";
import { isWorktreeName, relativeWorktree, worktreePath } from "../../src/adapters/git/worktree/worktree-location.ts";

describe("names of worktrees", () => {
  test.each([
    ["/work/shop", "login", "../shop-0007-login"],
    ["/work/My Shop", "login", "../My-Shop-0007-login"],
    ["/work/-rf", "login", "../rf-0007-login"],
    ["/work/.dotfiles", "login", "../dotfiles-0007-login"],
    ["/work/new\nline", "a/../b", "../new-line-0007-a---b"],
    ["/work/läden", "größe", "../läden-0007-größe"],
  ])("are next to the repository: %j", (root, slug, expected) => {
    expect(worktreePath(root, { id: "0007", slug })).toBe(expected);
    expect(isWorktreeName(expected.slice(3))).toBe(true);
  });

  test.each([
    "",
    ".",
    "..",
    "-x",
    ".x",
    "~x",
    " x",
    "x ",
    "x.",
    "a/b",
    "a\\b",
    "a\nb",
    "a\u202eb",
    "a..b",
    "\ud800",
    "x".repeat(201),
  ])("are refused: %j", (name) => {
    expect(isWorktreeName(name)).toBe(false);
  });

  test.each([
    ["/work/shop", "/work/shop", null],
    ["/work/shop", "/work/shop/inside", null],
    ["/work/shop", "/elsewhere/tree", null],
    ["/work/shop", "/work/.hidden", null],
    ["/work/shop", "/work/tree", "../tree"],
  ])("are stored relative: %s and %s as %s", (main, path, expected) => {
    expect(relativeWorktree(main, path)).toBe(expected);
  });
});
