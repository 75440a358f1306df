import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasOnlyTracked } from "../../src/adapters/git/read/has-only-tracked.ts";
import { useRepository } from "./repository-fixture.ts";

const fixture = useRepository();

const PLAYS: readonly [string, boolean, () => void][] = [
  ["nothing else", true, () => {}],
  ["an empty folder", true, () => mkdirSync(join(fixture.repo, "empty"))],
  ["a tracked file that changed", true, () => fixture.write("folder/b", "2\n")],
  ["a file that is only announced", true, () => announce("new")],
  ["our own folder", true, () => fixture.write(".isdlc/state.json", "{}")],
  ["a new file", false, () => fixture.write("new", "")],
  ["a new file beside tracked ones", false, () => fixture.write("folder/new", "")],
  ["a link", false, () => symlinkSync("a", join(fixture.repo, "link"))],
  ["a name that is not UTF-8", false, () => writeFileSync(Buffer.from(`${fixture.repo}/\xff`, "latin1"), "")],
  ["a repository inside", false, () => execFileSync("git", ["init", "--quiet", join(fixture.repo, "inner")])],
  ["a folder called .git", false, () => mkdirSync(join(fixture.repo, "folder", ".git"))],
];

function announce(path: string): void {
  fixture.write(path, "");
  fixture.git("add", "--intent-to-add", path);
}

describe("a tree in which the index knows every file", () => {
  test.each(PLAYS)("with %s: %s", (_, expected, play) => {
    fixture.write("a", "1\n");
    fixture.write("folder/b", "1\n");
    fixture.commitAll("one");
    play();
    expect(hasOnlyTracked(fixture.repo)).toBe(expected);
    const others = fixture.git("ls-files", "--others", "--", ":!.isdlc");
    if (expected) expect(others).toBe("");
  });

  test("is not told of a folder below its top, nor where there is no repository", () => {
    fixture.write("folder/b", "1\n");
    fixture.commitAll("one");
    expect(hasOnlyTracked(join(fixture.repo, "folder"))).toBe(false);
    expect(hasOnlyTracked(fixture.base)).toBe(false);
  });
});
