import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createGitRead } from "../../src/adapters/git/read/git-read.ts";
import { createGitWorkspace } from "../../src/adapters/git/git-workspace.ts";
import { createGitWrite } from "../../src/adapters/git/git-write.ts";
import { agreeing, toOutcome, useRepository } from "./repository-fixture.ts";
import type { Fixture } from "./repository-fixture.ts";

const fixture = useRepository();
const id = expect.stringMatching(/^[0-9a-f]{40}$/) as unknown as string;

type Shape = {
  readonly shape: string;
  /** Builds the repository and returns the folder to read. */
  readonly make: (f: Fixture) => string;
  readonly facts: { head: string | null; branch: string | null } | null;
};

const shapes: Shape[] = [
  {
    shape: "no git in PATH",
    make: (f) => {
      process.env["PATH"] = join(f.base, "empty");
      return f.repo;
    },
    facts: null,
  },
  { shape: "a missing folder", make: (f) => join(f.base, "nowhere"), facts: null },
  { shape: "no repository", make: (f) => f.base, facts: null },
  {
    shape: "a bare repository",
    make: (f) => {
      f.gitIn(f.base, "init", "--quiet", "--bare", "bare");
      return join(f.base, "bare");
    },
    facts: null,
  },
  { shape: "no commits", make: (f) => f.repo, facts: { head: null, branch: "main" } },
  { shape: "on a branch", make: (f) => (f.commitAll("one"), f.repo), facts: { head: id, branch: "main" } },
  {
    shape: "a detached head",
    make: (f) => (f.git("switch", "--quiet", "--detach", f.commitAll("one")), f.repo),
    facts: { head: id, branch: null },
  },
  {
    shape: "a shallow clone",
    make: (f) => {
      f.commitAll("one");
      f.commitAll("two");
      f.gitIn(f.base, "clone", "--quiet", "--depth=1", `file://${f.repo}`, "shallow");
      return join(f.base, "shallow");
    },
    facts: { head: id, branch: "main" },
  },
  {
    shape: "a linked worktree",
    make: (f) => {
      f.commitAll("one");
      f.git("worktree", "add", "--quiet", "-b", "other", "../linked");
      return join(f.base, "linked");
    },
    facts: { head: id, branch: "other" },
  },
  { shape: "inside a submodule", make: (f) => withSubmodule(f, "sub"), facts: { head: id, branch: "main" } },
  { shape: "around a submodule", make: (f) => withSubmodule(f, ""), facts: { head: id, branch: "main" } },
  {
    shape: "a stopped rebase",
    make: (f) => {
      f.write("a", "1");
      f.commitAll("one");
      f.git("switch", "--quiet", "-c", "side");
      f.write("a", "2");
      f.commitAll("two");
      f.git("switch", "--quiet", "main");
      f.write("a", "3");
      f.commitAll("three");
      expect(() => f.git("rebase", "side")).toThrow();
      return f.repo;
    },
    facts: { head: id, branch: null },
  },
  {
    shape: "sha256 objects",
    make: (f) => {
      f.gitIn(f.base, "init", "--quiet", "--object-format=sha256", "wide");
      f.gitIn(join(f.base, "wide"), "commit", "--quiet", "--allow-empty", "-m", "one");
      return join(f.base, "wide");
    },
    facts: { head: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown as string, branch: "main" },
  },
  {
    shape: "a locked index",
    make: (f) => {
      f.commitAll("one");
      writeFileSync(join(f.repo, ".git", "index.lock"), "");
      return f.repo;
    },
    facts: { head: id, branch: "main" },
  },
  {
    shape: "a setting that claims another working tree",
    make: (f) => {
      f.commitAll("one");
      f.git("config", "core.worktree", f.base);
      return f.repo;
    },
    facts: null,
  },
  {
    shape: "a damaged configuration",
    make: (f) => (writeFileSync(join(f.repo, ".git", "config"), "[core\n"), f.repo),
    facts: null,
  },
  {
    shape: "a project behind a link, in a folder with a space and an emoji",
    make: (f) => {
      mkdirSync(join(f.base, "a b 🚀"));
      f.commitAll("one");
      f.gitIn(f.base, "clone", "--quiet", f.repo, "a b 🚀/%20");
      symlinkSync(join(f.base, "a b 🚀/%20"), join(f.base, "link"));
      return join(f.base, "link");
    },
    facts: { head: id, branch: "main" },
  },
];

function withSubmodule(f: Fixture, folder: string): string {
  f.gitIn(f.base, "init", "--quiet", "inner");
  f.gitIn(join(f.base, "inner"), "commit", "--quiet", "--allow-empty", "-m", "inner");
  f.git("submodule", "--quiet", "add", join(f.base, "inner"), "sub");
  f.commitAll("one");
  return join(f.repo, folder);
}

describe("repository shapes [R13]", () => {
  test.each(shapes)("return a value or a problem: $shape", async ({ make, facts }) => {
    const folder = make(fixture);
    const read = createGitRead(folder, process.env);
    expect(await read.facts()).toEqual(facts);
    expect(await read.branchExists("main")).toBe(facts !== null && facts.head !== null);
    expect(await read.itemNames("docs/requirements")).toEqual([]);
    if (facts === null) expect(await read.dirty([])).toEqual([]);

    const workspace = createGitWorkspace(folder, { run: "run", env: process.env });
    const tree = await toOutcome(workspace.snapshot("one", []));
    if (typeof tree === "string") expect(await workspace.diff(tree, tree)).toEqual([]);
    else expect([tree?.problem, facts]).toEqual(["GIT_UNAVAILABLE", null]);

    const write = createGitWrite(folder, agreeing);
    const started = await toOutcome(
      write.startBranch(
        "feature/x",
        facts?.head === null ? "0".repeat(40) : ((await read.facts())?.head ?? "0".repeat(40)),
      ),
    );
    if (facts === null) expect(started).toMatchObject({ problem: "GIT_UNAVAILABLE" });
    else if (started !== undefined) expect(started).toMatchObject({ problem: "GIT_FAILED" });
  });

  test.runIf(process.getuid?.() === 0)("reject a repository owned by another user", async () => {
    fixture.commitAll("one");
    execFileSync("chown", ["-R", "65534", fixture.repo]);
    expect(await createGitRead(fixture.repo, process.env).facts()).toBeNull();
    const look = createGitWorkspace(fixture.repo, { run: "run", env: process.env }).snapshot("one", []);
    expect(await toOutcome(look)).toMatchObject({ problem: "GIT_UNAVAILABLE" });
  });
});

describe("dirty", () => {
  test("excludes unchanged git-lfs files, even with outdated stat data", async () => {
    const content = "large\n".repeat(1000);
    const digest = createHash("sha256").update(content).digest("hex");
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${digest}\nsize ${content.length}\n`;
    fixture.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    for (const name of ["same.bin", "edited.bin", "program.bin", "shorter.bin", "staged.bin", "plain.dat"])
      fixture.write(name, pointer);
    fixture.commitAll("one");
    for (const name of ["same.bin", "program.bin", "plain.dat", "staged.bin"]) fixture.write(name, content);
    fixture.write("edited.bin", content.replace("large", "LARGE"));
    fixture.write("shorter.bin", "large\n");
    chmodSync(join(fixture.repo, "program.bin"), 0o755);
    fixture.git("add", "staged.bin");
    const changes = await createGitRead(fixture.repo, process.env).dirty([]);
    expect(changes.map(({ path }) => path).toSorted()).toEqual([
      "edited.bin",
      "plain.dat",
      "program.bin",
      "shorter.bin",
      "staged.bin",
    ]);
  });

  test("lists each changed path once, without ignored ones", async () => {
    for (const name of ["kept", "staged", "unstaged", "deleted", "renamed-from", "both"])
      fixture.write(name, `${name}\n`.repeat(9));
    fixture.write(".gitignore", "ignored\n");
    fixture.commitAll("one");
    fixture.write("staged", "2");
    fixture.git("add", "staged");
    fixture.write("unstaged", "2");
    rmSync(join(fixture.repo, "deleted"));
    fixture.git("mv", "renamed-from", "renamed-to");
    fixture.git("rm", "--quiet", "--cached", "both");
    fixture.write("ignored", "x");
    fixture.write("new/deep/file", "x");
    fixture.write("docs/requirements/REQ-0001-x/a.md", "x");
    fixture.write("docs/requirements-other", "x");
    fixture.write("BACKLOG.md", "x");
    const changes = await createGitRead(fixture.repo, process.env).dirty([
      "docs/requirements",
      "BACKLOG.md",
      ".isdlc/",
    ]);
    expect(Object.fromEntries(changes.map(({ path, change }) => [path, change]))).toEqual({
      staged: "modified",
      unstaged: "modified",
      deleted: "deleted",
      "renamed-from": "deleted",
      "renamed-to": "added",
      both: "modified",
      "new/deep/file": "added",
      "docs/requirements-other": "added",
    });
    expect(changes).toHaveLength(8);
  });
});

describe("itemNames", () => {
  test("lists folders of the working tree and of every local branch, without files", async () => {
    fixture.write("docs/requirements/REQ-0001-a/x.md", "x");
    fixture.write("docs/requirements/README.md", "x");
    fixture.commitAll("one");
    fixture.git("switch", "--quiet", "-c", "feature/two");
    fixture.write("docs/requirements/REQ-0002-b/x.md", "x");
    fixture.commitAll("two");
    fixture.git("switch", "--quiet", "main");
    mkdirSync(join(fixture.repo, "docs/requirements/REQ-0003-c"));
    const read = createGitRead(fixture.repo, process.env);
    expect(await read.itemNames("docs/requirements/")).toEqual(["REQ-0001-a", "REQ-0002-b", "REQ-0003-c"]);
    for (const root of ["../..", "--help", "a\nHEAD:docs", "docs/requirements\0"])
      expect(await toOutcome(read.itemNames(root))).toEqual([]);
  });

  test("works without git and with sha256 trees", async () => {
    mkdirSync(join(fixture.base, "plain/items/BUG-0001-x"), { recursive: true });
    expect(await createGitRead(join(fixture.base, "plain"), process.env).itemNames("items")).toEqual(["BUG-0001-x"]);
    fixture.gitIn(fixture.base, "init", "--quiet", "--object-format=sha256", "wide");
    const wide = join(fixture.base, "wide");
    for (const name of ["a", "b"]) mkdirSync(join(wide, "items", name), { recursive: true });
    for (const name of ["a", "b"]) writeFileSync(join(wide, "items", name, "f"), "x");
    fixture.gitIn(wide, "add", "-A");
    fixture.gitIn(wide, "commit", "--quiet", "-m", "one");
    rmSync(join(wide, "items"), { recursive: true });
    expect(await createGitRead(wide, process.env).itemNames("items")).toEqual(["a", "b"]);
  });
});
