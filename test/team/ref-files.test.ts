import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { packedText, refsBelow } from "../../team/src/worker/ref-files.ts";

const PREFIX = "refs/isdlc/r1/";
const IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "isdlc-refs-"));
  git("init", "--quiet", "--bare");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (...args: readonly string[]): string =>
  execFileSync("git", [...IDENTITY, ...args], { cwd: folder, encoding: "utf8", input: "" }).trim();

/** A blob, for which nothing else has to be there. */
function objectOf(text: string): string {
  writeFileSync(join(folder, "text"), text);
  return git("hash-object", "-w", "text");
}

const point = (name: string, text: string): string => git("update-ref", `${PREFIX}${name}`, objectOf(text));

function asGitSays(): ReadonlyMap<string, string> {
  const lines = git("for-each-ref", "--format=%(objectname) %(refname)", PREFIX).split("\n");
  return new Map(lines.filter(Boolean).map((line) => [line.slice(41 + PREFIX.length), line.slice(0, 40)]));
}

describe("refs of a worker's repository are those that git names", () => {
  test.for<[string, () => void]>([
    ["there are none", () => undefined],
    ["as files", () => undefined],
    ["packed", () => void git("pack-refs", "--all")],
    ["packed, then moved", () => [git("pack-refs", "--all"), point("now", "other")]],
    ["packed, then removed", () => [git("pack-refs", "--all"), git("update-ref", "-d", `${PREFIX}now`)]],
    ["half of them packed", () => [git("pack-refs", "--all"), point("late", "late"), point("deep/er/still", "x")]],
    ["while one is written", () => writeFileSync(join(folder, PREFIX, "now.lock"), "")],
  ])("%s", ([what, change]) => {
    git("update-ref", "refs/isdlc/r10/now", objectOf("another run"));
    git("update-ref", "refs/heads/main", git("commit-tree", git("mktree"), "-m", "first"));
    if (what !== "there are none") for (const name of ["now", "plan-1", "deep/er/name"]) point(name, name);
    change();
    expect(Object.fromEntries(refsBelow(folder, PREFIX))).toEqual(Object.fromEntries(asGitSays()));
    expect(refsBelow(folder, PREFIX).size > 0).toBe(what !== "there are none");
  });

  test("those that are written in one file are read by git", () => {
    const refs = new Map(["plan-1", "b/c", "now"].map((name) => [`${PREFIX}${name}`, objectOf(name)]));
    writeFileSync(join(folder, "packed-refs"), packedText(refs));
    expect(asGitSays()).toEqual(new Map(["b/c", "now", "plan-1"].map((name) => [name, refs.get(PREFIX + name)])));
    point("now", "moved");
    expect(refsBelow(folder, PREFIX)).toEqual(asGitSays());
  });
});

test.for<[string, (path: string) => void]>([
  ["names another", (path) => writeFileSync(path, "ref: refs/heads/main\n")],
  ["holds no id", (path) => writeFileSync(path, "x\n")],
  ["is a link", (path) => symlinkSync("/etc/hostname", path)],
])("a ref that %s is no ref of ours", ([, make]) => {
  point("now", "now");
  make(join(folder, PREFIX, "odd"));
  expect(() => refsBelow(folder, PREFIX)).toThrow();
});
