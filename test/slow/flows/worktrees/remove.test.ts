import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { worktreeState } from "../../../../src/adapters/git/worktree/worktree-state.ts";
import type { RemoveRequest } from "../../../../src/ports/worktrees.ts";
import { useRepository } from "../../../git/repository-fixture.ts";
import { begin, RUN } from "../../../journal-file/sample-commands.ts";
import { journalIn, type LinkedTree, makeLinkedTree } from "../../../worktrees/linked-tree.ts";
import { markRun } from "../../../support/mark-run.ts";

const fixture = useRepository();
let tree: LinkedTree;

beforeEach(async () => {
  tree = await makeLinkedTree(fixture);
});

describe("removal of a worktree", () => {
  test("keeps the branch of a merged worktree", async () => {
    expect(await tree.remove()).toEqual({ ok: true, branch: "work", carried: [], kept: [] });
    expect(existsSync(tree.path)).toBe(false);
    expect(fixture.git("worktree", "list", "--porcelain")).not.toContain("repo-1-a");
    expect(fixture.git("branch", "--list", "work")).not.toBe("");
  });

  test("accepts the relative path recorded by an item", async () => {
    expect(await tree.remove({ path: "../repo-1-a" })).toMatchObject({ ok: true });
  });

  test("deletes exactly the ignored files that the user agreed to lose", async () => {
    tree.write("build/deep/out", "o");
    tree.write("x.log", "l");
    expect(await tree.remove({ agreedToLose: ["build/"] })).toMatchObject({ why: "ignoredFiles", about: ["x.log"] });
    expect(await tree.remove({ agreedToLose: ["build/", "x.log"] })).toMatchObject({ ok: true });
  });

  test("keeps unmerged commits on their branch if the user allows it [AC16]", async () => {
    tree.commit("b", "2");
    const tip = tree.git("rev-parse", "HEAD");
    expect(await tree.remove({ unmerged: "stayOnBranch" })).toMatchObject({ ok: true, branch: "work" });
    expect(fixture.git("rev-parse", "work")).toBe(tip);
  });

  test("leaves the target of a symbolic link untouched", async () => {
    const outside = join(fixture.base, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "mine"), "m");
    symlinkSync(outside, join(tree.path, "link"));
    tree.git("add", "link");
    tree.git("commit", "--quiet", "-m", "link");
    expect(await tree.remove({ unmerged: "stayOnBranch" })).toMatchObject({ ok: true });
    expect(readFileSync(join(outside, "mine"), "utf8")).toBe("m");
  });

  test("keeps a stash made in the worktree", async () => {
    tree.write("a", "stashed\n");
    tree.git("stash", "push", "--quiet");
    expect(await worktreeState(tree.path, "main", process.env)).toMatchObject({ stashes: [{ name: "stash@{0}" }] });
    expect(await tree.remove()).toMatchObject({ ok: true });
    expect(fixture.git("show", "stash@{0}:a")).toBe("stashed");
  });

  test("saves commits known only to its reflog under refs", async () => {
    tree.commit("b", "first version");
    tree.git("commit", "--quiet", "--amend", "-m", "again");
    tree.commit("b", "then reset away");
    tree.git("reset", "--quiet", "--hard", "main");
    const removed = await tree.remove();
    expect(removed).toMatchObject({
      ok: true,
      kept: [expect.stringMatching(/^refs\/isdlc\/loose\//), expect.anything()],
    });
    fixture.git("update-ref", "-d", "refs/heads/work");
    const kept = fixture.git("for-each-ref", "--format=%(refname)", "refs/isdlc/loose").split("\n");
    const contents = kept.map((ref) => fixture.git("show", `${ref}:b`)).toSorted();
    expect(contents).toEqual(["first version", "then reset away"]);
  });

  test("ignores inherited uncommitted settings if the main worktree has the same", async () => {
    fixture.git("rm", "--quiet", "--cached", ".gitignore");
    fixture.write(".gitignore", "*.log\n");
    fixture.commitAll("other rules");
    fixture.write(".isdlc/.gitignore", "*\n!workflows.json\n");
    fixture.write(".isdlc/workflows.json", "{}");
    const second = await makeLinkedTree(fixture, "repo-2-b", "second");
    expect(second.git("status", "--porcelain")).toContain(".isdlc/");
    second.write(".isdlc/workflows.json", "{ }");
    expect(await second.remove()).toMatchObject({ why: "uncommitted", about: [".isdlc/workflows.json"] });
    second.write(".isdlc/workflows.json", "{}");
    expect(await second.remove()).toMatchObject({ ok: true });
    expect(readFileSync(join(fixture.repo, ".isdlc", "workflows.json"), "utf8")).toBe("{}");
  });
});

type Row = readonly [why: string, what: string, prepare: () => unknown, changes?: () => Partial<RemoveRequest>];

const rows: readonly Row[] = [
  ["uncommitted", "a file was edited", () => tree.write("a", "2\n")],
  ["uncommitted", "a file was deleted", () => rmSync(join(tree.path, "a"))],
  ["uncommitted", "a file is untracked", () => tree.write("new", "2")],
  ["uncommitted", "an untracked file has an odd name", () => tree.write("-new\nname ü", "2")],
  [
    "uncommitted",
    "the user's settings hide untracked files",
    () => {
      fixture.git("config", "status.showUntrackedFiles", "no");
      tree.write("new", "2");
    },
  ],
  [
    "uncommitted",
    "a change is staged and reverted on disk",
    () => {
      tree.write("a", "staged\n");
      tree.git("add", "a");
      tree.write("a", "1\n");
    },
  ],
  ...["--assume-unchanged", "--skip-worktree"].map((flag): Row => [
    "uncommitted",
    `an edited file is marked with ${flag}`,
    () => {
      tree.git("update-index", flag, "a");
      tree.write("a", "2\n");
    },
  ]),
  ["ignoredFiles", "it contains an ignored file", () => tree.write("x.log", "l")],
  ["ignoredFiles", "it contains an ignored folder", () => tree.write("build/out", "o")],
  ["unmerged", "it has an unmerged commit", () => tree.commit("b", "2")],
  [
    "unmerged",
    "it has a commit without a branch",
    () => {
      tree.git("switch", "--quiet", "--detach");
      tree.commit("b", "2");
    },
  ],
  ["noBase", "the base does not exist", () => {}, () => ({ base: "gone" })],
  ["locked", "it is locked", () => fixture.git("worktree", "lock", tree.path)],
  ["locked", "it is locked with a reason", () => fixture.git("worktree", "lock", "--reason", "disk", tree.path)],
  ["operation", "a bisect is in progress", () => tree.git("bisect", "start")],
  [
    "operation",
    "a merge is in progress",
    () => {
      tree.git("branch", "side");
      tree.commit("b", "2");
      tree.git("switch", "--quiet", "side");
      tree.commit("c", "2");
      tree.git("merge", "--quiet", "--no-commit", "work");
    },
  ],
  [
    "operation",
    "a cherry-pick stopped at a conflict",
    () => {
      tree.commit("a", "theirs\n");
      tree.git("switch", "--quiet", "-c", "side", "main");
      tree.commit("a", "ours\n");
      expect(() => tree.git("cherry-pick", "work")).toThrow();
    },
  ],
  [
    "operation",
    "a rebase stopped at a conflict",
    () => {
      tree.commit("a", "theirs\n");
      tree.git("switch", "--quiet", "-c", "side", "main");
      tree.commit("a", "ours\n");
      expect(() => tree.git("rebase", "--quiet", "work")).toThrow();
    },
  ],
  [
    "nested",
    "an ignored folder contains another worktree",
    () => tree.git("worktree", "add", "--quiet", "--detach", "build/inner"),
  ],
  [
    "nested",
    "a folder with committed files contains a repository",
    () => {
      tree.commit("lib/a", "1");
      tree.git("init", "--quiet", "lib");
    },
  ],
  [
    "submodules",
    "it contains a submodule",
    () => {
      fixture.gitIn(fixture.base, "clone", "--quiet", "repo", "library");
      tree.git("submodule", "--quiet", "add", join(fixture.base, "library"), "lib");
      tree.git("commit", "--quiet", "-m", "lib");
    },
  ],
  ["runOpen", "a run is open in it", async () => journalIn(fixture, tree.path).create(RUN, begin(RUN))],
  [
    "runOpen",
    "an analysis is open in it",
    async () => journalIn(fixture, tree.path, "REQ-0001-a").create(RUN, begin(RUN)),
  ],
  ["runOpen", "the journal of a marked run is missing", () => markRun(tree.path, "docs/a")],
  ["runOpen", "a journal cannot be read", () => tree.write(`.isdlc/journal/${RUN}.jsonl`, "damaged\n")],
  ["insideIt", "the caller works inside it", () => {}, () => ({ cwd: tree.path })],
  [
    "insideIt",
    "the caller works inside it through a symbolic link",
    () => {
      tree.write("build/x", "1");
      symlinkSync(join(tree.path, "build"), join(fixture.base, "way-in"));
    },
    () => ({ cwd: join(fixture.base, "way-in") }),
  ],
  ["mainTree", "it is the main worktree", () => {}, () => ({ path: fixture.repo })],
  ["notOurs", "the path does not exist", () => {}, () => ({ path: "../gone" })],
  ["notOurs", "it is another folder", () => mkdirSync(join(fixture.base, "mine")), () => ({ path: "../mine" })],
  ["notOurs", "it is a folder inside the worktree", () => {}, () => ({ path: join(tree.path, ".git") })],
  [
    "isLink",
    "it was replaced by a symbolic link",
    () => {
      renameSync(tree.path, join(fixture.base, "moved"));
      symlinkSync(join(fixture.base, "moved"), tree.path);
    },
  ],
];

describe("refused removal of a worktree", () => {
  test.for(rows)("reports %s and changes nothing if %s", async ([why, , prepare, changes]) => {
    await prepare();
    const before = listContents(tree.path);
    const outcome = await tree.remove(changes?.());
    expect(outcome).toMatchObject({ ok: false, why, fix: expect.stringMatching(/\.$/) });
    expect(listContents(tree.path)).toEqual(before);
  });

  test.skipIf(process.getuid?.() === 0)(
    "reports unreadable and changes nothing if a folder cannot be read",
    async () => {
      tree.write("build/x", "1");
      chmodSync(join(tree.path, "build"), 0o000);
      const outcome = await tree.remove({ agreedToLose: ["build/"] });
      chmodSync(join(tree.path, "build"), 0o700);
      expect(outcome).toMatchObject({ ok: false, why: "unreadable" });
    },
  );
});

/** Names, kinds and contents of everything in a folder. */
function listContents(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => [join(entry.parentPath, entry.name), entry] as const)
    .map(([path, entry]) => `${path} ${entry.isFile() ? readFileSync(path, "latin1") : entry.isDirectory()}`)
    .toSorted();
}

test("reports uncommitted, ignored and unmerged content of a worktree", async () => {
  tree.commit("b", "2");
  tree.write("new", "n");
  tree.write("build/a/b", "o");
  tree.write("sub/x.log", "l");
  expect(await worktreeState(tree.path, "main", process.env)).toEqual({
    path: tree.path,
    branch: "work",
    head: tree.git("rev-parse", "HEAD"),
    uncommitted: ["new"],
    ignored: ["build/", "sub/"],
    unmerged: 1,
    unpushed: null,
    stashes: [],
    operation: null,
    locked: null,
    openRuns: [],
    nested: [],
    hasSubmodules: false,
  });
  fixture.git("update-ref", "refs/remotes/origin/work", tree.git("rev-parse", "HEAD"));
  expect(await worktreeState(tree.path, "main", process.env)).toMatchObject({ unpushed: 0 });
  expect(await worktreeState(fixture.repo, "main", process.env)).toBeNull();
});
