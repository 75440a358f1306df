import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createWorktree } from "../../src/adapters/git/worktree/worktree-create.ts";
import type { WorktreeRequest } from "../../src/ports/worktrees.ts";
import { agreeing, useRepository } from "../git/repository-fixture.ts";

const fixture = useRepository();
const beside = (name: string) => join(fixture.base, name);
const request = { branch: "feature/1-a", path: "../repo-1-a", base: "main" };
const create = (changes: Partial<WorktreeRequest> = {}) =>
  createWorktree(fixture.repo, { ...request, ...changes }, agreeing);
const branches = () => fixture.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads");

beforeEach(() => {
  fixture.write("a", "1");
  fixture.commitAll("one");
});

describe("worktree of an item", () => {
  test("is created next to the main one, on a new branch at the base", async () => {
    const made = await create();
    expect(made).toEqual({
      ok: true,
      path: beside("repo-1-a"),
      stored: "../repo-1-a",
      branch: "feature/1-a",
      isNew: true,
      inherited: [],
    });
    expect(readFileSync(join(beside("repo-1-a"), "a"), "utf8")).toBe("1");
    expect(fixture.gitIn(beside("repo-1-a"), "branch", "--show-current")).toBe("feature/1-a");
    expect(fixture.git("branch", "--show-current")).toBe("main");
  });

  test("is created despite an empty .git folder above", async () => {
    mkdirSync(beside(".git"));
    expect(await create()).toMatchObject({ ok: true, path: beside("repo-1-a") });
  });

  test("is created from a linked worktree next to the main one", async () => {
    await create();
    const made = await createWorktree(
      beside("repo-1-a"),
      { branch: "two", path: "../repo-2-b", base: "main" },
      agreeing,
    );
    expect(made).toMatchObject({ ok: true, path: beside("repo-2-b") });
  });

  test("is the same one if requested again", async () => {
    await create();
    fixture.gitIn(beside("repo-1-a"), "commit", "--quiet", "--allow-empty", "-m", "work");
    expect(await create()).toMatchObject({ ok: true, isNew: false });
  });

  test("uses an existing branch without a worktree unchanged", async () => {
    fixture.git("branch", "feature/1-a");
    fixture.git(
      "update-ref",
      "refs/heads/feature/1-a",
      fixture.git("commit-tree", "-p", "main", "-m", "w", "main^{tree}"),
    );
    const tip = fixture.git("rev-parse", "feature/1-a");
    expect(await create()).toMatchObject({ ok: true, isNew: true });
    expect(fixture.gitIn(beside("repo-1-a"), "rev-parse", "HEAD")).toBe(tip);
  });

  test.each(["with space", "ünïcödé-日本", "a'b$(touch x)`;&"])("accepts the name %j", async (name) => {
    expect(await create({ path: `../${name}` })).toMatchObject({ ok: true, path: beside(name) });
    expect(existsSync(beside("x"))).toBe(false);
  });

  test("is created although the user's hook fails", async () => {
    fixture.hook("post-checkout", `echo "$ISDLC_AGENT" > "${beside("ran")}"; exit 1`);
    expect(await create()).toMatchObject({ ok: true, isNew: true });
    expect(readFileSync(beside("ran"), "utf8")).toBe("1\n");
  });
});

type Row = readonly [why: string, what: string, prepare: () => void, changes?: () => Partial<WorktreeRequest>];
let commits = 0;
const commit = () => void fixture.commitAll(`more ${++commits}`);

const rows: readonly Row[] = [
  ["pathTaken", "a file is there", () => writeFileSync(beside("repo-1-a"), "mine")],
  ["pathTaken", "an empty folder is there", () => mkdirSync(beside("repo-1-a"))],
  ["pathTaken", "a broken link is there", () => symlinkSync(beside("nowhere"), beside("repo-1-a"))],
  ["pathTaken", "another repository is there", () => void fixture.gitIn(fixture.base, "init", "--quiet", "repo-1-a")],
  [
    "pathTaken",
    "another worktree is there",
    () => void fixture.git("worktree", "add", "--quiet", "-b", "else", beside("repo-1-a")),
  ],
  [
    "cutOff",
    "its creation was killed",
    () =>
      void fixture.git(
        "worktree",
        "add",
        "--quiet",
        "--lock",
        "--reason",
        "initializing",
        "-b",
        "feature/1-a",
        beside("repo-1-a"),
      ),
  ],
  [
    "insideTree",
    "the main worktree is inside another repository",
    () => void fixture.gitIn(fixture.base, "init", "--quiet"),
  ],
  ["insideTree", "a .git in a parent folder is a broken link", () => symlinkSync("nowhere", beside(".git"))],
  ["notBeside", "the path is inside the main worktree", () => {}, () => ({ path: "inside" })],
  ["notBeside", "the path is outside of the parent folder", () => {}, () => ({ path: "../../tree" })],
  ["notBeside", "the parent is missing", () => {}, () => ({ path: "../gone/tree" })],
  [
    "parentIsLink",
    "the parent is a link",
    () => {
      mkdirSync(beside("real"));
      symlinkSync(beside("real"), beside("link"));
    },
    () => ({ path: join(beside("link"), "tree") }),
  ],
  ...["-rf", ".hidden", "new\nline", "bidi\u202e"].map((name): Row => [
    "badName",
    `its name is ${JSON.stringify(name)}`,
    () => {},
    () => ({ path: `../${name}` }),
  ]),
  ...["-b", "a b", "a..b", "HEAD", "new\nline"].map((branch): Row => [
    "badBranch",
    `the branch is named ${JSON.stringify(branch)}`,
    () => {},
    () => ({ branch }),
  ]),
  ["noBase", "the base does not exist", () => {}, () => ({ base: "gone" })],
  ["noBase", "the base is an option", () => {}, () => ({ base: "--all" })],
  ["noBase", "the base is a missing commit", () => {}, () => ({ base: "0".repeat(40) })],
  [
    "branchElsewhere",
    "the main worktree has the branch",
    () => void fixture.git("switch", "--quiet", "-c", "feature/1-a"),
  ],
  [
    "branchElsewhere",
    "another worktree has the branch",
    () => void fixture.git("worktree", "add", "--quiet", "-b", "feature/1-a", beside("other")),
  ],
  [
    "branchTaken",
    "the branch has other commits",
    () => {
      fixture.git("switch", "--quiet", "-c", "feature/1-a");
      commit();
      fixture.git("switch", "--quiet", "main");
      commit();
    },
  ],
  [
    "branchTaken",
    "the branch is behind the base",
    () => {
      fixture.git("branch", "feature/1-a");
      commit();
    },
  ],
  ["gitRefused", "another branch conflicts with the name", () => void fixture.git("branch", "feature")],
  [
    "submodules",
    "the base has submodules",
    () => {
      fixture.gitIn(fixture.base, "clone", "--quiet", "repo", "library");
      fixture.git("submodule", "--quiet", "add", beside("library"), "lib");
      commit();
    },
  ],
  [
    "noCommit",
    "the repository has no commit",
    () => {
      rmSync(fixture.repo, { recursive: true });
      fixture.gitIn(fixture.base, "init", "--quiet", "repo");
    },
  ],
  ["noRepository", "the repository is missing", () => rmSync(join(fixture.repo, ".git"), { recursive: true })],
  [
    "bareRepository",
    "the repository is bare",
    () => {
      fixture.gitIn(fixture.base, "clone", "--quiet", "--bare", "repo", "bare");
      rmSync(fixture.repo, { recursive: true });
      fixture.gitIn(fixture.base, "clone", "--quiet", "--bare", "bare", "repo");
    },
  ],
];

describe("createWorktree", () => {
  test.each(rows.map(([why, what, prepare, changes]) => ({ why, what, prepare, changes })))(
    "is refused without changes as $why: $what",
    async ({ why, prepare, changes }) => {
      prepare();
      const isUsable = !["noRepository", "bareRepository", "noCommit"].includes(why);
      const before = isUsable ? branches() : "";
      const there = lstatSync(beside("repo-1-a"), { throwIfNoEntry: false })?.ino;
      const outcome = await create(changes?.());
      expect(outcome).toMatchObject({ ok: false, why, fix: expect.stringMatching(/\.$/) });
      if (isUsable) expect(branches()).toBe(before);
      expect(lstatSync(beside("repo-1-a"), { throwIfNoEntry: false })?.ino).toBe(there);
    },
  );
});
