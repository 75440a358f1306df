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

/** A blob, which needs no other object. */
function objectOf(text: string): string {
  writeFileSync(join(folder, "text"), text);
  return git("hash-object", "-w", "text");
}

const point = (name: string, text: string): string => git("update-ref", `${PREFIX}${name}`, objectOf(text));

function asGitSays(): ReadonlyMap<string, string> {
  const lines = git("for-each-ref", "--format=%(objectname) %(refname)", PREFIX).split("\n");
  return new Map(lines.filter(Boolean).map((line) => [line.slice(41 + PREFIX.length), line.slice(0, 40)]));
}

describe("refs of a worker's repository", () => {
  test.for<[string, () => void]>([
    ["no refs", () => undefined],
    ["files", () => undefined],
    ["packed refs", () => void git("pack-refs", "--all")],
    ["packed refs that moved", () => [git("pack-refs", "--all"), point("now", "other")]],
    ["packed refs that were removed", () => [git("pack-refs", "--all"), git("update-ref", "-d", `${PREFIX}now`)]],
    ["partly packed refs", () => [git("pack-refs", "--all"), point("late", "late"), point("deep/er/still", "x")]],
    ["a ref while it is written", () => writeFileSync(join(folder, PREFIX, "now.lock"), "")],
  ])("are those listed by git, with %s", ([what, change]) => {
    git("update-ref", "refs/isdlc/r10/now", objectOf("another run"));
    git("update-ref", "refs/heads/main", git("commit-tree", git("mktree"), "-m", "first"));
    if (what !== "no refs") for (const name of ["now", "plan-1", "deep/er/name"]) point(name, name);
    change();
    expect(Object.fromEntries(refsBelow(folder, PREFIX))).toEqual(Object.fromEntries(asGitSays()));
    expect(refsBelow(folder, PREFIX).size > 0).toBe(what !== "no refs");
  });

  test("are read from a packed file like by git", () => {
    const refs = new Map(["plan-1", "b/c", "now"].map((name) => [`${PREFIX}${name}`, objectOf(name)]));
    writeFileSync(join(folder, "packed-refs"), packedText(refs));
    expect(asGitSays()).toEqual(new Map(["b/c", "now", "plan-1"].map((name) => [name, refs.get(PREFIX + name)])));
    point("now", "moved");
    expect(refsBelow(folder, PREFIX)).toEqual(asGitSays());
  });
});

test.for<[string, (path: string) => void]>([
  ["is symbolic", (path) => writeFileSync(path, "ref: refs/heads/main\n")],
  ["has no id", (path) => writeFileSync(path, "x\n")],
  ["is a link", (path) => symlinkSync("/etc/hostname", path)],
])("fails if a ref %s", ([, make]) => {
  point("now", "now");
  make(join(folder, PREFIX, "odd"));
  expect(() => refsBelow(folder, PREFIX)).toThrow();
});
