import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { must, wholeTreeTimeoutMs, withoutFilters } from "./git.ts";
import type { Git } from "./git.ts";
import { decodePath, encodePath, isTreePath, isUnder, joinFields, splitFields } from "./git-path.ts";
import { hardenedGit } from "./git.ts";
import type { Repository } from "./repository.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";
import { changedFiles, copyIndex, stage } from "./temporary-index.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

const ownFolder = ".isdlc";

export type SnapshotRequest = {
  readonly ref: string;
  readonly include: readonly string[];
  /** Commits made for trees by earlier calls; added to. */
  readonly commits: Map<string, string>;
};

/**
 * Stores the working tree as a commit under a ref, through an index of its own. The commit has no parent and a fixed
 * date, so that the same tree always gets the same id.
 */
export function takeSnapshot(repository: Repository, request: SnapshotRequest): Promise<string> {
  const git = hardenedGit(repository.top);
  return inTemporaryFolder(async (folder) => {
    const index = await copyIndex(repository, folder);
    const environment = { ...(await withoutFilters(git)), ...index };
    const found = await lookThrough(git, environment);
    const isHiding = await revealEntries(git, { repository, environment, entries: found.entries });
    const all = isHiding ? await changedFiles(git, environment) : found.changed;
    const changed = all.filter((path) => !isUnder(path, ownFolder));
    const included = await includedFiles(repository.top, request.include);
    const paths = [...new Set([...changed, ...included])].filter((path) => !path.endsWith("/"));
    await stage(git, { environment, top: repository.top, paths });
    await stageInnerRepositories(git, { environment, folders: changed.filter((path) => path.endsWith("/")) });
    return storeTree(git, { ...request, environment });
  });
}

/** One entry of the index: the letter that git gives it, and its path. */
type IndexEntry = { readonly tag: string; readonly bytes: Buffer };

/** The whole index, and what differs from it, in one go. Entries come as they are, differences as `C` and `?`. */
async function lookThrough(
  git: Git,
  environment: IndexEnvironment,
): Promise<{ readonly entries: readonly IndexEntry[]; readonly changed: readonly string[] }> {
  const args = ["ls-files", "-v", "-z", "--cached", "--modified", "--others", "--exclude-standard"];
  const output = await must(git(args, { environment, timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  const lines = splitFields(output).map((field) => ({
    tag: field.toString("latin1", 0, 1),
    bytes: field.subarray(2),
  }));
  const differs = ({ tag }: IndexEntry): boolean => tag === "?" || tag.toUpperCase() === "C";
  return {
    entries: lines.filter((line) => !differs(line)),
    changed: [...new Set(lines.filter(differs).map(({ bytes }) => decodePath(bytes)))],
  };
}

type Hiding = {
  readonly repository: Repository;
  readonly environment: IndexEnvironment;
  readonly entries: readonly IndexEntry[];
};

/**
 * Entries marked "assume unchanged" or "skip" would hide changes; our own folder counts only where included.
 * True where there were any, so that one has to look again.
 */
async function revealEntries(git: Git, { repository, environment, entries }: Hiding): Promise<boolean> {
  const update = async (option: string, chosen: readonly Buffer[]) => {
    if (chosen.length === 0) return;
    const input = joinFields(chosen.map(decodePath));
    await must(git(["update-index", option, "-z", "--stdin"], { environment, input }), "update-index");
  };
  const skipped = entries.filter(({ tag }) => tag.toUpperCase() === "S");
  const present = await Promise.all(skipped.map(({ bytes }) => exists(repository.top, bytes)));
  const assumed = entries.filter(({ tag }) => tag !== tag.toUpperCase());
  await update(
    "--no-assume-unchanged",
    assumed.map(({ bytes }) => bytes),
  );
  await update(
    "--no-skip-worktree",
    skipped.filter((_, index) => present[index]).map(({ bytes }) => bytes),
  );
  const own = entries.filter(({ bytes }) => isUnder(decodePath(bytes), ownFolder));
  await update(
    "--force-remove",
    own.map(({ bytes }) => bytes),
  );
  return skipped.length + assumed.length + own.length > 0;
}

async function exists(top: string, path: Buffer): Promise<boolean> {
  return lstat(inTree(top, path)).then(
    () => true,
    () => false,
  );
}

/** Every file below the included paths, ignored or not. Links are files; what is a repository of its own is left out. */
async function includedFiles(top: string, include: readonly string[]): Promise<string[]> {
  const paths = include.map((path) => path.replace(/\/+$/, "")).filter(isTreePath);
  const found = await Promise.all(
    paths.map(async (path) => {
      const kind = await lstat(inTree(top, encodePath(path))).catch(() => null); // none such
      if (kind?.isDirectory() === true) return filesBelow(top, encodePath(path));
      return kind?.isFile() === true || kind?.isSymbolicLink() === true ? [path] : [];
    }),
  );
  return found.flat();
}

const inTree = (top: string, path: Buffer): Buffer => Buffer.concat([Buffer.from(`${top}/`), path]);

async function filesBelow(top: string, path: Buffer): Promise<string[]> {
  const folder = inTree(top, path);
  const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(() => []); // not for this user
  const named = (entries as unknown as Dirent<Buffer>[]).map((entry) => ({
    entry,
    below: Buffer.concat([path, Buffer.from("/"), entry.name]),
  }));
  if (named.some(({ entry }) => entry.name.toString("latin1").toLowerCase() === ".git")) return [];
  const found = await Promise.all(
    named.map(async ({ entry, below }) => {
      if (entry.isDirectory()) return filesBelow(top, below);
      return entry.isFile() || entry.isSymbolicLink() ? [decodePath(below)] : [];
    }),
  );
  return found.flat();
}

/** A repository inside the tree counts by its commit; git refuses one without commits, and it is left out. */
async function stageInnerRepositories(
  git: Git,
  { environment, folders }: { environment: IndexEnvironment; folders: readonly string[] },
): Promise<void> {
  for (const folder of folders) {
    const input = Buffer.concat([encodePath(folder.replace(/\/$/, "")), Buffer.from([0])]);
    await git(["update-index", "--add", "-z", "--stdin"], { environment, input });
  }
}

const author = {
  GIT_AUTHOR_NAME: "isdlc",
  GIT_AUTHOR_EMAIL: "isdlc@localhost",
  GIT_AUTHOR_DATE: "2000-01-01T00:00:00Z",
  GIT_COMMITTER_NAME: "isdlc",
  GIT_COMMITTER_EMAIL: "isdlc@localhost",
  GIT_COMMITTER_DATE: "2000-01-01T00:00:00Z",
};

type Storing = Omit<SnapshotRequest, "include"> & { readonly environment: IndexEnvironment };

async function storeTree(git: Git, { environment, ref, commits }: Storing): Promise<string> {
  const tree = await textOf(git(["write-tree"], { environment, timeoutMs: wholeTreeTimeoutMs }), "write-tree");
  const known = commits.get(tree);
  if (known !== undefined && (await keep(git, ref, known)).status === 0) return known;
  const stored = await textOf(
    git(["commit-tree", "-m", "isdlc snapshot", tree], { environment: author }),
    "commit-tree",
  );
  await must(keep(git, ref, stored), "update-ref");
  commits.set(tree, stored);
  return stored;
}

/** Fails for a commit that is gone. */
const keep = (git: Git, ref: string, commit: string): ReturnType<Git> =>
  git(["update-ref", "--end-of-options", ref, commit]);

const textOf = async (call: ReturnType<Git>, command: string): Promise<string> =>
  (await must(call, command)).toString("latin1").trim();
