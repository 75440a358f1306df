import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasOnlyTracked } from "../../src/adapters/git/read/has-only-tracked.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

const PLAYS: readonly [string, boolean, () => void][] = [
  ["no other file", true, () => {}],
  ["an empty folder", true, () => mkdirSync(join(fixture.repo, "empty"))],
  ["a changed tracked file", true, () => fixture.write("folder/b", "2\n")],
  ["an intent-to-add file", true, () => announce("new")],
  ["the .isdlc folder", true, () => fixture.write(".isdlc/state.json", "{}")],
  ["a new file", false, () => fixture.write("new", "")],
  ["a new file next to tracked ones", false, () => fixture.write("folder/new", "")],
  ["a link", false, () => symlinkSync("a", join(fixture.repo, "link"))],
  ["a name that is not UTF-8", false, () => writeFileSync(Buffer.from(`${fixture.repo}/\xff`, "latin1"), "")],
  ["a nested repository", false, () => execFileSync("git", ["init", "--quiet", join(fixture.repo, "inner")])],
  ["a folder called .git", false, () => mkdirSync(join(fixture.repo, "folder", ".git"))],
];

function announce(path: string): void {
  fixture.write(path, "");
  fixture.git("add", "--intent-to-add", path);
}

describe("hasOnlyTracked", () => {
  test.each(PLAYS)("returns for a tree with %s: %s", (_, expected, play) => {
    fixture.write("a", "1\n");
    fixture.write("folder/b", "1\n");
    fixture.commitAll("one");
    play();
    expect(hasOnlyTracked(fixture.repo)).toBe(expected);
    const others = fixture.git("ls-files", "--others", "--", ":!.isdlc");
    if (expected) expect(others).toBe("");
  });

  test("returns false for a subfolder and outside of a repository", () => {
    fixture.write("folder/b", "1\n");
    fixture.commitAll("one");
    expect(hasOnlyTracked(join(fixture.repo, "folder"))).toBe(false);
    expect(hasOnlyTracked(fixture.base)).toBe(false);
  });
});
