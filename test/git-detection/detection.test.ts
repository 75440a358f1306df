import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createCodeHistory } from "../../src/adapters/git/snapshot/git-distance.ts";
import { useRepository } from "../git/repository-fixture.ts";
import type { Fixture } from "../git/repository-fixture.ts";

const fixture = useRepository();
const since = (hash: string) => createCodeHistory(fixture.repo, process.env).since(hash);

/** A history of empty commits, one per minute, the last one with a file. Returns its commits, oldest first. */
function history(f: Fixture, folder: string, length: number): string[] {
  const commits = Array.from({ length }, (_, index) => {
    const file = index === length - 1 ? "M 100644 inline last.txt\ndata 2\nx\n" : "";
    return `commit refs/heads/main\ncommitter P <p@e> ${1_600_000_000 + index * 60} +0000\ndata 2\nc\n${file}\n`;
  });
  const done = spawnSync("git", ["fast-import", "--quiet"], { cwd: folder, input: commits.join("") });
  expect(done.status).toBe(0);
  return f.gitIn(folder, "rev-list", "--reverse", "main").split("\n");
}

describe("distance of HEAD from the analysis", () => {
  test("is zero for the same commit and starts no git [BUILD-AC-004-01]", async () => {
    const hash = fixture.commitAll("one");
    process.env["PATH"] = join(fixture.base, "empty");
    expect(await since(hash)).toEqual({ commits: 0, changed: [] });
    expect(await since(hash.slice(0, 7))).toEqual({ commits: 0, changed: [] });
    expect(await createCodeHistory(fixture.repo, process.env).head()).toBe(hash);
  });

  test("has the count and changed files for short and full hashes [BUILD-AC-004-02, BUILD-US-004-01]", async () => {
    const hash = fixture.commitAll("one");
    for (let number = 1; number <= 15; number += 1) {
      fixture.write(`src/f${number % 3}.ts`, String(number));
      fixture.commitAll(String(number));
    }
    const distance = { commits: 15, changed: ["src/f0.ts", "src/f1.ts", "src/f2.ts"] };
    expect(await since(hash)).toEqual(distance);
    expect(await since(hash.slice(0, 7))).toEqual(distance);
  });

  test("excludes changes to item folders and the backlog", async () => {
    const hash = fixture.commitAll("one");
    fixture.write("docs/requirements/REQ-0001-x/meta.json", "{}");
    fixture.write("docs/features/001-y/spec.md", "x");
    fixture.write("BACKLOG.md", "x");
    fixture.commitAll("two");
    expect(await since(hash)).toEqual({ commits: 1, changed: [] });
    fixture.write("docs/requirements-other.md", "x");
    fixture.write("BACKLOG.md.txt", "x");
    fixture.commitAll("three");
    expect(await since(hash)).toEqual({ commits: 2, changed: ["BACKLOG.md.txt", "docs/requirements-other.md"] });
    expect((await createCodeHistory(fixture.repo, process.env).since(hash, [])).changed).toHaveLength(5);
  });

  test("excludes a reverted change", async () => {
    fixture.write("a", "1");
    const hash = fixture.commitAll("one");
    fixture.write("a", "2");
    fixture.commitAll("two");
    fixture.write("a", "1");
    fixture.commitAll("three");
    expect(await since(hash)).toEqual({ commits: 2, changed: [] });
  });

  test("lists names with newlines, quotes and invalid UTF-8", async () => {
    const hash = fixture.commitAll("one");
    fixture.write("new\nline", "x");
    fixture.write('quo"te', "x");
    fixture.write(Buffer.from([0x61, 0xff, 0x62]), "x");
    fixture.commitAll("two");
    expect((await since(hash)).changed).toEqual(["a\udcffb", "new\nline", 'quo"te']);
  });

  test.each([
    { behind: 3, commits: 3 },
    { behind: 999, commits: 999 },
    { behind: 1000, commits: 1000 },
    { behind: 1001, commits: 1001 },
    { behind: 2499, commits: 2499 },
  ])("is exact for $behind commits [BUILD-AC-004-02]", async ({ behind, commits }) => {
    const all = history(fixture, fixture.repo, 2500);
    expect(await since(all[all.length - 1 - behind]!)).toEqual({ commits, changed: ["last.txt"] });
  });

  test("counts merges and branches like `rev-list old..HEAD`", async () => {
    fixture.commitAll("one");
    fixture.git("switch", "--quiet", "-c", "side");
    const side = fixture.commitAll("side 1");
    fixture.commitAll("side 2");
    fixture.git("switch", "--quiet", "main");
    const main = fixture.commitAll("main 1");
    fixture.git("switch", "--quiet", "-c", "away", "HEAD~1");
    const away = fixture.commitAll("away");
    fixture.git("switch", "--quiet", "main");
    fixture.git("merge", "--quiet", "--no-ff", "-m", "merge", "side");
    for (const old of [side, main, away]) {
      expect((await since(old)).commits).toBe(Number(fixture.git("rev-list", "--count", `${old}..HEAD`)));
    }
  });

  test("counts an old branch merged late completely", async () => {
    const all = history(fixture, fixture.repo, 1500);
    fixture.git("reset", "--quiet", "--hard");
    fixture.git("switch", "--quiet", "-c", "old", all[10]!);
    spawnSync("git", ["commit", "--quiet", "--allow-empty", "-m", "x"], {
      cwd: fixture.repo,
      env: { ...process.env, GIT_COMMITTER_DATE: "1600000700 +0000" },
    });
    fixture.git("switch", "--quiet", "main");
    fixture.git("merge", "--quiet", "--no-ff", "-m", "merge", "old");
    expect((await since(all.at(-1)!)).commits).toBe(2);
  });
});

/** A git that logs its start, then acts like git. */
function countingGit(f: Fixture): () => string[] {
  const real = spawnSync("which", ["git"], { encoding: "utf8" }).stdout.trim();
  mkdirSync(join(f.base, "bin"));
  writeFileSync(join(f.base, "bin/git"), `#!/bin/sh\necho "$@" >> "${f.base}/calls"\nexec "${real}" "$@"\n`);
  chmodSync(join(f.base, "bin/git"), 0o755);
  process.env["PATH"] = `${join(f.base, "bin")}:${process.env["PATH"]}`;
  return () => {
    const calls = spawnSync("cat", [join(f.base, "calls")], { encoding: "utf8" }).stdout.trim();
    rmSync(join(f.base, "calls"), { force: true });
    return calls === "" ? [] : calls.split("\n");
  };
}

describe("number of git processes for a distance [BUILD-NFR-002]", () => {
  test("is zero for the same commit, two for another and three for unusual cases", async () => {
    const hash = fixture.commitAll("one");
    fixture.commitAll("two");
    fixture.gitIn(fixture.base, "init", "--quiet", "--object-format=sha256", "wide");
    const wide = join(fixture.base, "wide");
    for (const message of ["one", "two"]) fixture.gitIn(wide, "commit", "--quiet", "--allow-empty", "-m", message);
    const old = fixture.gitIn(wide, "rev-parse", "HEAD~1");
    const calls = countingGit(fixture);
    const detection = createCodeHistory(fixture.repo, process.env);
    await detection.since((await detection.head())!);
    expect(calls()).toEqual([]);
    expect((await detection.since(hash)).commits).toBe(1);
    const commands = () =>
      calls()
        .map((call) => call.replace(/.* -c \S+ (?:--literal-pathspecs )?/, "").split(" ", 1)[0] ?? "")
        .toSorted();
    expect(commands()).toEqual(["diff-tree", "rev-list"]);
    expect((await detection.since(hash.slice(0, 7))).commits).toBe(1);
    expect(commands()).toEqual(["diff-tree", "rev-list", "rev-parse"]);
    const other = createCodeHistory(wide, process.env);
    await other.head();
    expect((await other.since(old)).commits).toBe(1);
    expect(commands()).toEqual(["diff-tree", "rev-list", "rev-parse"]);
  });

  test("allows 10,000 commits to be counted within a second", async () => {
    const all = history(fixture, fixture.repo, 10_001);
    const time = async (action: () => unknown) => {
      const started = performance.now();
      await action();
      return performance.now() - started;
    };
    const tries = [];
    for (let round = 0; round < 5; round += 1) tries.push(await time(() => since(all[0]!)));
    expect((await since(all[0]!)).commits).toBe(10_000);
    expect(Math.min(...tries)).toBeLessThan(1000);
  });
});

test("starts no program configured by the repository", async () => {
  const fired = join(fixture.base, "fired");
  const program = join(fixture.base, "program");
  writeFileSync(program, `#!/bin/sh\necho x >> "${fired}"\ncat "$1" 2>/dev/null\nexit 0\n`);
  chmodSync(program, 0o755);
  fixture.write(".gitattributes", "* diff=conv filter=one\n");
  fixture.write("a", "1");
  const hash = fixture.commitAll("one");
  fixture.write("a", "2");
  fixture.commitAll("two");
  fixture.write("a", "3");
  for (const key of [
    "core.fsmonitor",
    "diff.external",
    "diff.conv.textconv",
    "filter.one.clean",
    "core.pager",
    "core.sshCommand",
    "alias.rev-list",
  ])
    fixture.git("config", key, program);
  for (const name of ["post-index-change", "reference-transaction"]) fixture.hook(name, `echo x >> "${fired}"`);
  spawnSync("git", ["diff", "HEAD~1", "HEAD"], { cwd: fixture.repo });
  expect(readFileSync(fired, "utf8")).not.toBe("");
  rmSync(fired);
  expect(await since(hash)).toEqual({ commits: 1, changed: ["a"] });
  expect(readdirSync(fixture.base)).not.toContain("fired");
});
