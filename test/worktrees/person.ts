import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** A repository, a folder for linked worktrees, and all content a user ever wrote there. */
export type World = {
  readonly base: string;
  readonly repo: string;
  readonly written: Set<string>;
  readonly tree: (slot: number) => string;
  readonly branch: (slot: number) => string;
  /** Git as run by the user; failures in an unusual state are ignored. */
  readonly git: (folder: string, ...args: string[]) => string;
  /** Writes new, unique content. */
  readonly write: (file: string) => void;
};

const environment = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_AUTHOR_NAME: "Person",
  GIT_AUTHOR_EMAIL: "person@example.org",
  GIT_COMMITTER_NAME: "Person",
  GIT_COMMITTER_EMAIL: "person@example.org",
};

export function createWorld(base: string): World {
  const repo = join(base, "repo");
  const written = new Set<string>();
  let count = 0;
  const world: World = {
    base,
    repo,
    written,
    tree: (slot) => join(base, `repo-${slot}`),
    branch: (slot) => `work-${slot}`,
    git: (folder, ...args) => spawnSync("git", args, { cwd: folder, env: environment, encoding: "utf8" }).stdout,
    write(file) {
      const content = `content ${++count} of ${base}\n`;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      written.add(content);
    },
  };
  return world;
}

/** Folders are copied and restored under the same name, because git stores their paths. */
export function replaceFolder(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
}

export function makeRepository(world: World): void {
  const { base, repo, git } = world;
  mkdirSync(join(base, "outside"), { recursive: true });
  symlinkSync(join(base, "outside"), join(base, "link"));
  git(base, "init", "--quiet", "--initial-branch=main", "--template=", "repo");
  git(repo, "config", "user.name", "Person");
  git(repo, "config", "user.email", "person@example.org");
  for (const file of ["a", "b", "c"]) writeFileSync(join(repo, file), "1\n");
  writeFileSync(join(repo, ".gitignore"), "*.log\nbuild/\n.isdlc/\n");
  git(repo, "add", "--all");
  git(repo, "commit", "--quiet", "-m", "one");
}

/** Written content that is still reachable from a ref, log or index of git, or on disk. */
export function reachable(world: World): Set<string> {
  const args = ["rev-list", "--objects", "--all", "--reflog", "--indexed-objects"];
  const objects = world.git(world.repo, ...args).split("\n");
  const ids = new Set(objects.map((line) => line.split(" ")[0]));
  const onDisk = contentsBelow(world.base);
  return new Set([...world.written].filter((content) => ids.has(blobId(content)) || onDisk.has(content)));
}

const blobId = (content: string): string =>
  createHash("sha1")
    .update(`blob ${Buffer.byteLength(content)}\0${content}`)
    .digest("hex");

/** Content of all files in a folder, or of the file itself, without following links. */
export function contentsBelow(path: string): Set<string> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFile() === true) return new Set([readFileSync(path, "utf8")]);
  if (found?.isDirectory() !== true) return new Set();
  const names = readdirSync(path).filter((name) => name !== "objects");
  return new Set(names.flatMap((name) => [...contentsBelow(join(path, name))]));
}

type Act = (world: World, tree: string, slot: number) => void;

const journal = (tree: string) => join(tree, ".isdlc", "journal", "20261115-101500123-k3f9.jsonl");

/** Actions of a user in an existing linked worktree. */
export const inTree: Readonly<Record<string, Act>> = {
  edit: ({ write }, tree) => write(join(tree, "a")),
  add: ({ write, written }, tree) => write(join(tree, `new-${written.size}`)),
  editHidden({ write, git }, tree) {
    git(tree, "update-index", "--assume-unchanged", "a");
    write(join(tree, "a"));
  },
  stage({ write, git }, tree) {
    write(join(tree, "b"));
    git(tree, "add", "b");
  },
  stageThenTakeBack({ write, git }, tree) {
    write(join(tree, "b"));
    git(tree, "add", "b");
    writeFileSync(join(tree, "b"), git(tree, "show", "HEAD:b"));
  },
  commit({ write, git }, tree) {
    write(join(tree, "c"));
    git(tree, "commit", "--quiet", "-m", "work", "--", "c");
  },
  commitAll({ git }, tree) {
    git(tree, "add", "--all");
    git(tree, "commit", "--quiet", "-m", "all");
  },
  amend({ write, git }, tree) {
    write(join(tree, "c"));
    git(tree, "commit", "--quiet", "--amend", "-m", "again", "--", "c");
  },
  rewind: ({ git }, tree) => void git(tree, "reset", "--quiet", "--keep", "HEAD~1"),
  takeOtherBranch: ({ git, branch }, tree, slot) => void git(tree, "switch", "--quiet", "--create", branch(1 - slot)),
  detach: ({ git }, tree) => void git(tree, "switch", "--quiet", "--detach"),
  ignored({ write }, tree) {
    write(join(tree, "x.log"));
    write(join(tree, "build", "out"));
  },
  stash({ write, git }, tree) {
    write(join(tree, "a"));
    git(tree, "stash", "push", "--quiet", "--include-untracked");
  },
  nestTree({ write, git }, tree) {
    git(tree, "worktree", "add", "--quiet", "--detach", "build/inner");
    if (existsSync(join(tree, "build", "inner"))) write(join(tree, "build", "inner", "new"));
  },
  nestRepository({ write, git }, tree) {
    git(tree, "init", "--quiet", "--template=", "build/repository");
    write(join(tree, "build", "repository", ".git", "kept-here"));
  },
  linkInside({ write, base }, tree) {
    write(join(base, "outside", "mine"));
    mkdirSync(join(tree, "build"), { recursive: true });
    if (!existsSync(join(tree, "build", "link"))) symlinkSync(join(base, "outside"), join(tree, "build", "link"));
  },
  submodule({ write, git }, tree) {
    git(tree, "init", "--quiet", "--template=", "lib");
    git(join(tree, "lib"), "commit", "--quiet", "--allow-empty", "-m", "lib");
    write(join(tree, "lib", ".git", "kept-here"));
    git(tree, "add", "lib");
    git(tree, "commit", "--quiet", "-m", "lib", "--", "lib");
  },
  lock: ({ git }, tree) => void git(tree, "worktree", "lock", tree),
  lockAsCutOff: ({ git }, tree) => void git(tree, "worktree", "lock", "--reason", "initializing", tree),
  bisect: ({ git }, tree) => void git(tree, "bisect", "start"),
  openRun({ written }, tree) {
    mkdirSync(dirname(journal(tree)), { recursive: true });
    appendFileSync(journal(tree), `{"events":[{"type":"run.started"}],"of":${written.size}}\n`);
    written.add(readFileSync(journal(tree), "utf8"));
  },
  endRun({ written }, tree) {
    if (!existsSync(journal(tree))) return;
    appendFileSync(journal(tree), `{"events":[{"type":"run.cancelled"}],"of":${written.size}}\n`);
    written.add(readFileSync(journal(tree), "utf8"));
  },
  ownFile: ({ write }, tree) => write(join(tree, ".isdlc", "work", "plan.md")),
  replaceByLink({ base }, tree, slot) {
    if (lstatSync(tree).isSymbolicLink()) return;
    renameSync(tree, join(base, `moved-${slot}`));
    symlinkSync(join(base, `moved-${slot}`), tree);
  },
};

/** Actions of a user elsewhere. */
export const around: Readonly<Record<string, Act>> = {
  putBack({ base }, tree, slot) {
    if (lstatSync(tree, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
    unlinkSync(tree);
    renameSync(join(base, `moved-${slot}`), tree);
  },
  occupy({ write }, tree) {
    if (lstatSync(tree, { throwIfNoEntry: false }) === undefined) write(join(tree, "mine"));
  },
  commitInMain({ write, git, repo }) {
    write(join(repo, "c"));
    git(repo, "commit", "--quiet", "-m", "in main", "--", "c");
  },
  editInMain: ({ write, repo }) => write(join(repo, "c")),
  ignoredInMain: ({ write, repo }) => write(join(repo, "x.log")),
  leaveMain: ({ git, repo }) => void git(repo, "switch", "--quiet", "--create", "side"),
  branchFor: ({ git, repo, branch }, _tree, slot) => void git(repo, "branch", branch(slot)),
  branchInTheWay: ({ git, repo, branch }, _tree, slot) => void git(repo, "branch", `${branch(slot)}/below`),
  outerRepository: ({ git, base }) => void git(base, "init", "--quiet", "--template="),
};
