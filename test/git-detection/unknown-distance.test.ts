import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCodeHistory } from "../../src/adapters/git/snapshot/git-distance.ts";
import { useRepository } from "../git/repository-fixture.ts";
import type { Fixture } from "../git/repository-fixture.ts";

const fixture = useRepository();
const since = (hash: string, folder = fixture.repo) => createCodeHistory(folder, process.env).since(hash);
const unknown = { commits: "unknown", changed: "unknown" };

describe("unknown distance [BUILD-NFR-004, BUILD-ERR-004, BUILD-ERR-005]", () => {
  const gone = "0123456789abcdef0123456789abcdef01234567";
  test.each<{ shape: string; make: (f: Fixture) => string; head: boolean }>([
    { shape: "no repository", make: (f) => f.base, head: false },
    { shape: "a missing folder", make: (f) => join(f.base, "nowhere"), head: false },
    {
      shape: "a bare repository",
      make: (f) => (f.gitIn(f.base, "init", "--quiet", "--bare", "bare"), join(f.base, "bare")),
      head: false,
    },
    { shape: "no commits", make: (f) => f.repo, head: false },
    { shape: "a missing commit", make: (f) => (f.commitAll("one"), f.repo), head: true },
    {
      shape: "no git in PATH",
      make: (f) => (f.commitAll("one"), (process.env["PATH"] = join(f.base, "empty")), f.repo),
      head: true,
    },
  ])("is returned for $shape", async ({ make, head }) => {
    const folder = make(fixture);
    expect(await since(gone, folder)).toEqual(unknown);
    expect((await createCodeHistory(folder, process.env).head()) !== null).toBe(head);
  });

  test("is returned for a commit missing in a shallow clone only", async () => {
    const first = fixture.commitAll("one");
    const second = fixture.commitAll("two");
    fixture.write("a", "x");
    fixture.commitAll("three");
    fixture.gitIn(fixture.base, "clone", "--quiet", "--depth=2", `file://${fixture.repo}`, "shallow");
    expect(await since(first, join(fixture.base, "shallow"))).toEqual(unknown);
    expect(await since(second, join(fixture.base, "shallow"))).toEqual({ commits: 1, changed: ["a"] });
  });

  test("is returned for branches of a shallow clone without common history", async () => {
    fixture.commitAll("one");
    fixture.git("switch", "--quiet", "-c", "side");
    fixture.write("b", "x");
    const side = fixture.commitAll("side");
    fixture.git("switch", "--quiet", "main");
    fixture.commitAll("two");
    fixture.gitIn(
      fixture.base,
      "clone",
      "--quiet",
      "--depth=1",
      "--no-single-branch",
      `file://${fixture.repo}`,
      "shallow",
    );
    expect(await since(side, join(fixture.base, "shallow"))).toEqual({ commits: "unknown", changed: ["b"] });
  });

  test("is returned for a deleted commit object", async () => {
    fixture.commitAll("one");
    fixture.write("a", "x");
    const lost = fixture.commitAll("two");
    fixture.git("reset", "--quiet", "--hard", "HEAD~1");
    expect(await since(lost)).toEqual({ commits: 0, changed: ["a"] });
    fixture.git("reflog", "expire", "--expire=now", "--all");
    fixture.git("gc", "--quiet", "--prune=now");
    expect(await since(lost)).toEqual(unknown);
  });

  test("is returned for the id of a blob or tree", async () => {
    fixture.write("a", "x");
    fixture.commitAll("one");
    expect(await since(fixture.git("rev-parse", "HEAD:a"))).toEqual(unknown);
    expect(await since(fixture.git("rev-parse", "HEAD^{tree}"))).toEqual(unknown);
  });

  test("is not returned in a worktree, a submodule and a sha256 repository", async () => {
    const hash = fixture.commitAll("one");
    fixture.git("worktree", "add", "--quiet", "-b", "other", "../linked");
    writeFileSync(join(fixture.base, "linked", "b"), "x");
    fixture.gitIn(join(fixture.base, "linked"), "add", "-A");
    fixture.gitIn(join(fixture.base, "linked"), "commit", "--quiet", "-m", "two");
    expect(await since(hash, join(fixture.base, "linked"))).toEqual({ commits: 1, changed: ["b"] });
    expect(await since(hash)).toEqual({ commits: 0, changed: [] });
    fixture.gitIn(fixture.base, "init", "--quiet", "--object-format=sha256", "wide");
    const wide = join(fixture.base, "wide");
    fixture.gitIn(wide, "commit", "--quiet", "--allow-empty", "-m", "one");
    const old = fixture.gitIn(wide, "rev-parse", "HEAD");
    fixture.gitIn(wide, "commit", "--quiet", "--allow-empty", "-m", "two");
    expect(await since(old, wide)).toEqual({ commits: 1, changed: [] });
  });
});

describe("hash stored by an item", () => {
  test.each([
    "x;touch P;#",
    "$(touch P)",
    "`touch P`",
    "x|touch P",
    "x\ntouch P",
    "--upload-pack=touch P",
    "--output=P",
    "-x",
    "HEAD~1",
    "main",
    "abc1234..HEAD",
    ":/one",
    "abc1234 --output=P",
    "a\0b",
    "",
    "abc",
    "f".repeat(65),
    "\u3000\u202e",
  ])("never reaches git as an option: %j", async (hash) => {
    fixture.commitAll("one");
    fixture.commitAll("two");
    expect(await since(hash)).toEqual(unknown);
    expect(readdirSync(fixture.repo)).toEqual([".git"]);
  });

  test("is not replaced by a tag named like a short hash", async () => {
    const hash = fixture.commitAll("one").slice(0, 7);
    fixture.write("a", "x");
    fixture.commitAll("two");
    fixture.git("tag", hash);
    expect(await since(hash)).toEqual({ commits: 1, changed: ["a"] });
  });
});
