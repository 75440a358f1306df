import { readdir, lstat } from "node:fs/promises";
import { join } from "node:path";
import type { RepositoryFacts, VcsRead } from "../../../ports/vcs.ts";
import type { FileChange } from "../../../schema/facts.ts";
import { withoutFilters } from "./content-filters.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, isTreePath, isUnder, splitFields, inTree, joinFields } from "../process/git-path.ts";
import { isBranchName, isObjectId } from "../process/ref-name.ts";
import { readHead, readRef } from "./git-head.ts";
import { orNull, type Repository, repositoryAt } from "./repository.ts";
import { foldersOfTree, objectsOfBatch } from "../objects/tree-object.ts";
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/**
 * Creates the read access to the repository around `cwd`. Paths are relative to the top of its working tree. Nothing
 * configured by the repository runs: a file is reported as changed if only a content filter would call it unchanged.
 */
export function createGitRead(cwd: string, env: NodeJS.ProcessEnv): VcsRead {
  const open = repositoryAt(cwd, { env });
  return {
    async facts() {
      const repository = await orNull(open);
      return repository && readRepositoryFacts(repository);
    },
    async dirty(except) {
      const repository = await orNull(open);
      if (!repository) return [];
      const git = hardenedGit(repository.top, repository.env);
      const status = await readStatus(git);
      const changes = status.filter(({ path }) => !except.some((folder) => isUnder(path, folder)));
      const modified = changes.filter(({ change }) => change === "modified").map(({ path }) => path);
      const unchanged = await unchangedLfsFiles(git, repository.top, modified);
      return changes.filter(({ path }) => !unchanged.has(path));
    },
    async branchExists(name) {
      const repository = await orNull(open);
      if (!repository || !isBranchName(name)) return false;
      return (await branchTip(repository, name)) !== null;
    },
    async itemNames(root) {
      const folder = root.replace(/\/+$/, "");
      if (!isTreePath(folder) || folder.includes("\n")) return [];
      const repository = await orNull(open);
      const here = await foldersOnDisk(join(repository?.top ?? cwd, folder));
      const elsewhere = repository ? await foldersOnBranches(hardenedGit(repository.top, repository.env), folder) : [];
      return [...new Set([...here, ...elsewhere])].sort();
    },
  };
}

/** Reads HEAD and branch of a working tree; starts git only if its files are not enough. */
export async function readRepositoryFacts({ top, env }: Repository): Promise<RepositoryFacts> {
  const head = readHead(top);
  return head === null ? readFacts(hardenedGit(top, env)) : { head: head.hash, branch: head.branch };
}

/** Returns the tip of a local branch in the same way; null if there is no such branch. */
export async function branchTip({ top, env }: Repository, branch: string): Promise<string | null> {
  const read = readRef(top, `refs/heads/${branch}`);
  return read === undefined ? readBranchTip(hardenedGit(top, env), branch) : read;
}

/** Returns the target of a ref of isdlc in the same way; null if there is no such ref. */
export async function refTarget({ top, env }: Repository, ref: string): Promise<string | null> {
  const read = readRef(top, ref);
  if (read !== undefined) return read;
  const found = await hardenedGit(top, env)(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
  return found.status === 0 ? found.stdout.toString("latin1").trim() : null;
}

export async function readFacts(git: Git): Promise<RepositoryFacts> {
  const [head, branch] = await Promise.all([readCommitId(git, "HEAD"), git(["symbolic-ref", "--quiet", "HEAD"])]);
  const ref = branch.stdout.toString("utf8").trim();
  return { head, branch: ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null };
}

/** Returns the tip of a local branch; null if there is no such branch. */
export function readBranchTip(git: Git, branch: string): Promise<string | null> {
  return readCommitId(git, `refs/heads/${branch}`);
}

async function readCommitId(git: Git, ref: string): Promise<string | null> {
  const answer = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  const id = answer.stdout.toString("utf8").trim();
  return answer.status === 0 && isObjectId(id) ? id : null;
}

/** Lists a rename as one deleted and one added file, to name every touched path. */
async function readStatus(git: Git): Promise<FileChange[]> {
  const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=dirty"];
  const environment = await withoutFilters(git);
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "status");
  const changes = new Map<string, FileChange["change"]>();
  for (const field of splitFields(output)) {
    const path = decodePath(field.subarray(3)).replace(/\/$/, ""); // an inner repository ends in a slash
    changes.set(path, changes.has(path) ? "modified" : toChange(field.toString("latin1", 0, 2)));
  }
  return [...changes].map(([path, change]) => ({ path, change }));
}

function toChange(status: string): FileChange["change"] {
  if (status === "??") return "added";
  if (status.includes("U")) return "modified";
  if (status.includes("D")) return "deleted";
  if (status.includes("A")) return "added";
  return status.includes("T") ? "typechange" : "modified";
}

async function foldersOnDisk(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

async function foldersOnBranches(git: Git, root: string): Promise<string[]> {
  const tips = await must(git(["for-each-ref", "--format=%(objectname)", "refs/heads"]), "for-each-ref");
  const commits = new Set(tips.toString("latin1").split("\n").filter(isObjectId));
  if (commits.size === 0) return [];
  const input = Buffer.from([...commits].map((commit) => `${commit}:${root}\n`).join(""), "utf8");
  const trees = await must(git(["cat-file", "--batch", "--buffer"], { input }), "cat-file");
  const names = [...objectsOfBatch(trees)]
    .filter(({ type }) => type === "tree")
    .flatMap(({ id, content }) => foldersOfTree(content, id.length / 2));
  return [...new Set(names)];
}

/** Maximum length of a pointer file for git-lfs, in bytes. */
const MAX_POINTER_BYTES = 1024;
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n$/;

/**
 * Returns the paths that git-lfs stores and whose content is the committed one. Git itself would need the filter of
 * git-lfs, which is a program named by the repository's settings.
 */
async function unchangedLfsFiles(git: Git, top: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const unchanged = new Set<string>();
  for (const path of await lfsFiles(git, paths)) if (await isAsCommitted(git, top, path)) unchanged.add(path);
  return unchanged;
}

async function lfsFiles(git: Git, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const input = joinFields(paths);
  const answer = await must(git(["check-attr", "-z", "--stdin", "filter"], { input }), "check-attr");
  const fields = splitFields(answer).map(decodePath);
  return paths.filter((path, at) => fields[3 * at] === path && fields[3 * at + 2] === "lfs");
}

async function isAsCommitted(git: Git, top: string, path: string): Promise<boolean> {
  const [staged, committed] = await Promise.all([
    git(["--literal-pathspecs", "ls-files", "-s", "-z", "--", path]),
    git(["--literal-pathspecs", "ls-tree", "-z", "HEAD", "--", path]),
  ]);
  const [, mode, id] = /^(100644|100755) ([0-9a-f]+) 0\t/.exec(staged.stdout.toString("latin1")) ?? [];
  const isStaged = !committed.stdout.toString("latin1").startsWith(`${mode} blob ${id}\t`);
  if (id === undefined || isStaged) return false;
  const size = Number((await git(["cat-file", "-s", id])).stdout.toString("latin1"));
  if (!(size <= MAX_POINTER_BYTES)) return false;
  const pointer = POINTER.exec((await git(["cat-file", "blob", id])).stdout.toString("latin1"));
  return (
    pointer !== null && (await isContent(inTree(top, path), { digest: pointer[1], size: Number(pointer[2]), mode }))
  );
}

type Content = { readonly digest: string | undefined; readonly size: number; readonly mode: string | undefined };

async function isContent(file: Buffer, { digest, size, mode }: Content): Promise<boolean> {
  const facts = await lstat(file).catch(() => null);
  if (facts === null || !facts.isFile() || facts.size !== size) return false;
  if (((facts.mode & 0o100) !== 0) !== (mode === "100755")) return false;
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex") === digest;
}
