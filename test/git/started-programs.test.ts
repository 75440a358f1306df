import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { objectLenders } from "../../src/adapters/git/read/object-lenders.ts";
import { startedPrograms, repositoriesBelow } from "../../src/adapters/git/read/started-programs.ts";

function repository(folder?: string): { tree: string; git: (...args: string[]) => string; write: Write } {
  const tree = folder ?? realpathSync(mkdtempSync(join(tmpdir(), "isdlc-started-")));
  if (folder === undefined) onTestFinished(() => rmSync(tree, { recursive: true, force: true }));
  mkdirSync(tree, { recursive: true });
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: tree, encoding: "utf8", stdio: "pipe" });
  const write: Write = (path, text) => {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  git("init", "--quiet");
  git("config", "user.name", "P");
  git("config", "user.email", "p@example.org");
  return { tree, git, write };
}
type Write = (path: string, text: string) => void;

function fill(folder: string, files: number): void {
  mkdirSync(folder, { recursive: true });
  for (let number = 0; number < files; number++) writeFileSync(join(folder, String(number)), "");
}

const namesOf = async (tree: string): Promise<readonly string[]> =>
  (await startedPrograms(tree, process.env)).map(({ name }) => name).sort();

describe("startedPrograms [S5]", () => {
  test("returns nothing in a fresh repository", async () => {
    expect(await startedPrograms(repository().tree, process.env)).toEqual([]);
  });

  test("returns each hook and each setting that names a program, in any notation", async () => {
    const { tree, git, write } = repository();
    git("config", "core.fsmonitor", "./watch");
    git("config", "filter.big.clean", "./clean");
    git("config", "alias.st", "!./evil");
    git("config", "color.ui", "never");
    write(".git/hooks/pre-commit", "#!/bin/sh\n");
    chmodSync(join(tree, ".git/hooks/pre-commit"), 0o755);
    write(".git/hooks/not-executable", "#!/bin/sh\n");
    const usual = [".git/config: alias.st", ".git/config: core.fsmonitor", ".git/config: filter.big.clean"];
    expect(await namesOf(tree)).toEqual([...usual, ".git/hooks/pre-commit"]);
    git("config", "extensions.worktreeConfig", "true");
    write(".git/config.worktree", '[CORE]HooksPath=./hooks\n[diff "x.y"] textconv = ./t\n');
    write("hooks/post-commit", "#!/bin/sh\n");
    chmodSync(join(tree, "hooks/post-commit"), 0o755);
    expect(await namesOf(tree)).toEqual([
      ".git/config.worktree: core.hookspath",
      ".git/config.worktree: diff.x.y.textconv",
      ...usual,
      "hooks/post-commit",
    ]);
  });

  test("returns the file and key that name the program", async () => {
    const { tree, git, write } = repository();
    git("commit", "--quiet", "--allow-empty", "--message", "One");
    const linked = join(tree, "linked");
    git("worktree", "add", "--quiet", "--detach", linked);
    write("set: up", '[filter "a: b"] clean = ./clean\n');
    git("config", "include.path", "../set: up");
    write(".git/hooks/pre-commit", "#!/bin/sh\n");
    chmodSync(join(tree, ".git/hooks/pre-commit"), 0o755);
    const said = [
      { file: join(tree, ".git/config"), key: "include.path" },
      { file: join(tree, "set: up"), key: "filter.a: b.clean" },
      { file: join(tree, ".git/hooks/pre-commit"), key: null },
    ];
    for (const root of [tree, linked])
      expect((await startedPrograms(root, process.env)).map(({ file, key }) => ({ file, key }))).toEqual(said);
  });

  test("distinguishes different programs of the same setting", async () => {
    const { tree, git } = repository();
    git("config", "core.fsmonitor", "./one");
    const before = await startedPrograms(tree, process.env);
    git("config", "core.fsmonitor", "./two");
    const after = await startedPrograms(tree, process.env);
    expect(after.map(({ name }) => name)).toEqual(before.map(({ name }) => name));
    expect(after).not.toEqual(before);
  });

  test("finds programs of a repository that replaced a submodule, without running them", async () => {
    const { tree, git, write } = repository();
    const inner = repository(join(tree, "sub"));
    inner.write("a", "a");
    inner.git("add", "a");
    inner.git("commit", "--quiet", "--message", "Inner");
    git("add", "sub");
    write("other/b", "b");
    git("commit", "--quiet", "--message", "Outer");
    const trace = join(tree, "ran");
    inner.write("watch.sh", `#!/bin/sh\ntouch ${trace}\n`);
    chmodSync(join(tree, "sub/watch.sh"), 0o755);
    inner.git("config", "core.fsmonitor", join(tree, "sub/watch.sh"));
    const loose = repository(join(tree, "loose"));
    loose.write("c", "c");
    loose.git("config", "diff.external", "./x");
    rmSync(trace, { force: true });
    expect(await namesOf(tree)).toEqual(["loose/.git/config: diff.external", "sub/.git/config: core.fsmonitor"]);
    expect(existsSync(trace)).toBe(false);
    git("status"); // A plain call would run it.
    expect(existsSync(trace)).toBe(true);
  });

  test("finds repositories next to tracked files, nested ones and ignored ones", async () => {
    const { tree, git, write } = repository();
    for (const path of ["beside", "outer", "outer/inside", "hidden/deep"]) {
      write(`${path}/a`, "a");
      if (path === "beside") git("add", "beside/a");
      repository(join(tree, path)).git("config", "diff.external", "./x");
    }
    write(".gitignore", "hidden/\n");
    const found = ["beside", "hidden/deep", "outer", "outer/inside"];
    expect(await namesOf(tree)).toEqual(found.map((path) => `${path}/.git/config: diff.external`));
  });

  test("finds repositories with git if the tree has too many files", async () => {
    const { tree, write } = repository();
    repository(join(tree, "loose")).git("config", "diff.external", "./x");
    fill(join(tree, "many"), 5_000);
    write("one-more", "");
    expect(repositoriesBelow(tree)).toBeNull();
    expect(await namesOf(tree)).toEqual(["loose/.git/config: diff.external"]);
  });

  test.for([0, 5_000])("searches only the folders of .isdlc that agents may write, next to %d files", async (files) => {
    const { tree } = repository();
    fill(join(tree, "many"), files);
    for (const folder of ["work/this", "work/other", "runs/other", "journal/ended", "history/one", "new/deep"])
      repository(join(tree, ".isdlc", folder)).git("config", "diff.external", "./x");
    const found = await startedPrograms(tree, process.env, [".isdlc/work/this"]);
    const expected = ["new/deep", "work/this"].map((folder) => `.isdlc/${folder}/.git/config: diff.external`);
    expect(found.map(({ name }) => name).sort()).toEqual(expected);
  });

  test("searches without git, regardless of the number of ended runs", () => {
    const { tree } = repository();
    for (const folder of ["runs/one", "journal/ended", "history"]) fill(join(tree, ".isdlc", folder), 5_000);
    expect(repositoriesBelow(tree)).toEqual([]);
  });
});

test("lists alternates of the object store with their content", () => {
  const { tree, write } = repository();
  expect(objectLenders(tree)).toEqual([]);
  write(".git/objects/info/alternates", "\n");
  expect(objectLenders(tree)).toEqual([]);
  write(".git/objects/info/alternates", "/tmp\n");
  const lent = objectLenders(tree);
  expect(lent).toMatchObject([{ name: ".git/objects/info/alternates", key: null }]);
  write(".git/objects/info/alternates", "/var/tmp\n");
  expect(objectLenders(tree)).not.toEqual(lent);
});
