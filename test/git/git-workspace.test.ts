import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { createPlainWorkspace } from "../../src/adapters/files/create-plain-workspace.ts";
import { toOutcome, useRepository } from "./repository-fixture.ts";

const fixture = useRepository();
const at = (path: string) => join(fixture.repo, path);
const leftInTemp = () => readdirSync(tmpdir());

describe("snapshot", () => {
  test("equals git's own commit of the tree, without a parent and with a fixed author", async () => {
    fixture.write("a", "1\n");
    const snapshot = await createGitWorkspace(fixture.repo, { run: "run", env: process.env }).snapshot("one", []);
    const people = ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "isdlc"],
      [`GIT_${who}_EMAIL`, "isdlc@localhost"],
      [`GIT_${who}_DATE`, "2000-01-01T00:00:00Z"],
    ]);
    const env = { ...process.env, ...Object.fromEntries(people) };
    const args = ["commit-tree", "-m", "isdlc snapshot", `${snapshot}^{tree}`];
    expect(execFileSync("git", args, { cwd: fixture.repo, env, encoding: "utf8" }).trim()).toBe(snapshot);
  });

  test("contains new, changed and deleted files, and included parts of .isdlc", async () => {
    fixture.write(".gitignore", "*.log\n");
    fixture.write(".isdlc/workflows.json", "{}");
    for (const name of ["kept", "changed", "deleted"]) fixture.write(name, "1\n");
    fixture.commitAll("one");
    const status = () => fixture.git("status", "--porcelain");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const before = await workspace.snapshot("before", []);
    fixture.write("changed", "2\n2\n");
    fixture.write("new/deep", "x\n");
    fixture.write("some.log", "x");
    fixture.write(".isdlc/journal/run.jsonl", "x");
    fixture.write(".isdlc/work/run/a.md", "x\n");
    fixture.write("items/secret.log", "x");
    rmSync(at("deleted"));
    const untouched = status();
    const after = await workspace.snapshot("after", [".isdlc/work/run/", "items", "not-there", "../outside"]);
    expect(await workspace.diff(before, after)).toEqual([
      { path: ".isdlc/work/run/a.md", change: "added" },
      { path: "changed", change: "modified" },
      { path: "deleted", change: "deleted" },
      { path: "items/secret.log", change: "added" },
      { path: "new/deep", change: "added" },
    ]);
    expect(await workspace.lines(before, after, ["changed", "new"])).toBe(4);
    expect(await workspace.snapshot("again", [".isdlc/work/run/", "items"])).toBe(after);
    expect(status()).toBe(untouched);
    expect(fixture.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/isdlc")).toContain(
      `refs/isdlc/run/after ${after}`,
    );
    expect(fixture.git("log", "-1", "--format=%an <%ae> %P", after!)).toBe("isdlc <isdlc@localhost> ");
    expect(leftInTemp()).toEqual([]);
  });

  test("contains included files and folders, ignored or not, and links as links", async () => {
    fixture.write(".gitignore", "*.log\n");
    fixture.commitAll("one");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const before = await workspace.snapshot("before", []);
    fixture.write("one.log", "x");
    fixture.write("items/inner/.git/HEAD", "ref: refs/heads/main\n");
    fixture.write("items/inner/b.log", "x");
    symlinkSync("one.log", at("link.log"));
    const after = await workspace.snapshot("after", ["one.log", "link.log", "items", "two.log"]);
    expect(await workspace.diff(before, after)).toEqual([
      { path: "link.log", change: "added" },
      { path: "one.log", change: "added" },
    ]);
  });

  test("stores each name under its own ref", async () => {
    const names = [
      "03-architecture#1",
      "03-architecture-1",
      "a/b",
      "a",
      "..",
      "-x",
      "",
      "x.lock",
      "a b",
      "🚀",
      "$(touch P)",
      "x\ntouch P",
    ];
    const workspace = createGitWorkspace(fixture.repo, { run: "--run/../x", env: process.env });
    for (const name of names) await workspace.snapshot(name, []);
    expect(fixture.git("for-each-ref", "refs/isdlc").split("\n")).toHaveLength(names.length);
    expect(existsSync(at("P"))).toBe(false);
  });

  test("works with an index conflict, a nested repository and one without commits", async () => {
    fixture.write("a", "1");
    fixture.commitAll("one");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const before = await workspace.snapshot("before", []);
    fixture.git("switch", "--quiet", "-c", "side");
    fixture.write("a", "2");
    fixture.commitAll("two");
    fixture.git("switch", "--quiet", "main");
    fixture.write("a", "3");
    fixture.commitAll("three");
    expect(() => fixture.git("merge", "side")).toThrow();
    fixture.git("init", "--quiet", "empty");
    fixture.git("init", "--quiet", "full");
    fixture.gitIn(at("full"), "commit", "--quiet", "--allow-empty", "-m", "x");
    const after = await workspace.snapshot("after", []);
    expect(await workspace.diff(before, after)).toEqual([
      { path: "a", change: "modified" },
      { path: "full", change: "added" },
    ]);
    expect(fixture.git("status", "--porcelain", "a")).toBe("AA a".replace("AA", "UU"));
    expect(await toOutcome(workspace.restore(before!, ["full", "a"]))).toMatchObject({
      detail: "left as they are: full",
    });
    expect(existsSync(at("full/.git"))).toBe(true);
    expect(readFileSync(at("a"), "utf8")).toBe("1");
  });
});

describe("file names as bytes [R13]", () => {
  const names: [string, string | Buffer][] = [
    ["newline", "a\nb"],
    ["quotes", `a"b'c\\`],
    ["not UTF-8", Buffer.from([0x66, 0xff, 0xfe, 0x80])],
    ["leading dash", "-rf"],
    ["spaces", " a  b "],
    ["emoji", "🚀é"],
    ["pathspec magic", ":(exclude)*"],
    ["glob", "[a]*?"],
    ["attack", "x;touch P;#$(touch P)`touch P`"],
  ];
  test.each(names)("are reported, restored and removed: %s", async (_, name) => {
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const empty = await workspace.snapshot("empty", []);
    const bytes = Buffer.concat([Buffer.from("folder/"), Buffer.from(name as string)]);
    const file = Buffer.concat([Buffer.from(`${fixture.repo}/`), bytes]);
    fixture.write(bytes, "1\n");
    const full = await workspace.snapshot("full", []);
    const changes = (await workspace.diff(empty, full))!;
    expect(changes).toEqual([{ path: expect.stringMatching(/^folder\//), change: "added" }]);
    const paths = changes.map(({ path }) => JSON.parse(JSON.stringify(path)) as string);
    expect(await workspace.lines(empty, full, paths)).toBe(1);
    writeFileSync(file, "2\n");
    await workspace.restore(full!, paths);
    expect(readFileSync(file, "utf8")).toBe("1\n");
    const copy = await workspace.copy(full);
    expect(readdirSync(join(copy.dir, "folder"), "buffer")).toEqual([Buffer.from(name as string)]);
    await copy.dispose();
    await workspace.restore(empty!, paths);
    expect(existsSync(at("folder"))).toBe(false);
    expect(existsSync(at("P"))).toBe(false);
  });
});

describe("diff, lines and patch", () => {
  test("return null, 0 and nothing if an end is unknown", async () => {
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const one = await workspace.snapshot("one", []);
    for (const other of [null, "0".repeat(40), "HEAD", "--help", "x;touch P", ""]) {
      expect(await workspace.diff(one, other)).toBeNull();
      expect(await workspace.diff(other, one)).toBeNull();
      expect(await workspace.lines(one, other, ["a"])).toBe(0);
      expect(await workspace.patch(one, other)).toBe("");
      if (other !== null)
        expect(await toOutcome(workspace.restore(other, ["a"]))).toMatchObject({ problem: "GIT_FAILED" });
      if (other !== null) expect(await toOutcome(workspace.copy(other))).toMatchObject({ problem: "GIT_FAILED" });
    }
    expect(leftInTemp()).toEqual([]);
  });

  test("report a rename as deleted and added, type changes and binary files", async () => {
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    fixture.write("from", "same\n".repeat(20));
    fixture.write("link", "x");
    fixture.write("binary", Buffer.from([0, 1, 2]));
    const before = await workspace.snapshot("before", []);
    rmSync(at("from"));
    rmSync(at("link"));
    fixture.write("to", "same\n".repeat(20));
    symlinkSync("to", at("link"));
    fixture.write("binary", Buffer.from([0, 1, 3]));
    const after = await workspace.snapshot("after", []);
    expect(await workspace.diff(before, after)).toEqual([
      { path: "binary", change: "modified" },
      { path: "from", change: "deleted" },
      { path: "link", change: "typechange" },
      { path: "to", change: "added" },
    ]);
    expect(await workspace.lines(before, after, ["binary"])).toBe(0);
    expect(await workspace.patch(before, after)).toContain("rename to to");
    expect(await workspace.patch(before, after)).toMatch(/^index [0-9a-f]{40,}\.\.[0-9a-f]{40,} 100644$/m);
  });

  test("returns the texts of existing files, without binary ones", async () => {
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    fixture.write("a b.txt", "one\n");
    fixture.write("empty", "");
    fixture.write("nul", Buffer.from([65, 0]));
    fixture.write("latin", Buffer.from([0xe9]));
    const tree = await workspace.snapshot("texts", []);
    fixture.write("a b.txt", "two\n");
    const asked = ["missing", "a b.txt", "nul", "empty", "latin", "", "/etc/passwd", "a\nb", "../x"];
    expect([...(await workspace.texts(tree, asked))]).toEqual([
      ["a b.txt", "one\n"],
      ["empty", ""],
    ]);
    expect(await workspace.texts(null, ["a b.txt"])).toEqual(new Map());
    expect(await workspace.texts("0".repeat(40), ["a b.txt"])).toEqual(new Map());
  });
});

test("reads past commits and the tests that name a word, and starts nothing for an unknown commit", async () => {
  const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
  fixture.write("src/cart.ts", "1\n");
  fixture.write("test/cart.test.ts", "import { cart } from '../src/cart.ts';\n");
  fixture.git("add", "-A");
  fixture.git("commit", "-qm", "fix: a cart\n\nbody");
  const head = fixture.git("rev-parse", "HEAD").trim();
  const { commits, tests } = await workspace.background(head, ["cart", "other", "--open-files"]);
  expect(commits[0]).toEqual({ title: "fix: a cart", paths: ["src/cart.ts", "test/cart.test.ts"] });
  expect(tests).toEqual(new Map([["cart", ["test/cart.test.ts"]]]));
  expect(await workspace.background("--output=x", ["cart"])).toEqual({ commits: [], tests: new Map() });
});

describe("copy", () => {
  test("is a private folder of the snapshot's files, removed after use", async () => {
    fixture.write("folder/a", "1");
    fixture.commitAll("one");
    const workspace = createGitWorkspace(fixture.repo, { run: "run", env: process.env });
    const one = await workspace.snapshot("one", []);
    fixture.write("folder/a", "2");
    const copy = await workspace.copy(one);
    expect(readFileSync(join(copy.dir, "folder/a"), "utf8")).toBe("1");
    expect(statSync(copy.dir).mode & 0o777).toBe(0o700);
    expect(readdirSync(copy.dir)).toEqual(["folder"]);
    writeFileSync(join(copy.dir, "folder/a"), "3");
    expect(readFileSync(at("folder/a"), "utf8")).toBe("2");
    await copy.dispose();
    expect(existsSync(copy.dir)).toBe(false);
    expect(fixture.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(leftInTemp()).toEqual([]);
  });

  test.each(["git", "plain"])("contains the current files if there is no snapshot (%s)", async (kind) => {
    const workspace =
      kind === "git"
        ? createGitWorkspace(fixture.repo, { run: "run", env: process.env })
        : createPlainWorkspace(fixture.repo);
    for (const path of [
      "a",
      ".isdlc/state.json",
      ".isdlc/work/run/b",
      "node_modules/x/y",
      "src/node_modules/z",
      "src/c",
    ])
      fixture.write(path, path);
    fixture.write(Buffer.from([0xff]), "bytes");
    symlinkSync("/etc/passwd", at("link"));
    const copy = await workspace.copy(null);
    expect(readdirSync(copy.dir, "latin1").sort()).toEqual([".isdlc", "a", "link", "src", "\xff"]);
    expect(readdirSync(join(copy.dir, ".isdlc"))).toEqual(["work"]);
    expect(readFileSync(join(copy.dir, ".isdlc/work/run/b"), "utf8")).toBe(".isdlc/work/run/b");
    expect(readdirSync(join(copy.dir, "src"))).toEqual(["c"]);
    expect(lstatSync(join(copy.dir, "link")).isSymbolicLink()).toBe(true);
    await copy.dispose();
    expect(existsSync(copy.dir)).toBe(false);
  });
});

test("reports unsupported operations in a plain workspace [AJ]", async () => {
  const workspace = createPlainWorkspace(fixture.base);
  expect(await workspace.snapshot("a", [])).toBeNull();
  expect(await workspace.diff(null, null)).toBeNull();
  expect(await workspace.lines(null, null, ["a"])).toBe(0);
  expect(await workspace.patch(null, null)).toBe("");
  expect(await toOutcome(workspace.restore("a", ["b"]))).toMatchObject({ problem: "GIT_UNAVAILABLE" });
});
