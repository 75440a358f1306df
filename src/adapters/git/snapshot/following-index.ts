import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type LookSettings, personalFolder, settingsFiles } from "../read/content-filters.ts";
import { homeFolder } from "../process/git-environment.ts";
import { type Git, wholeTreeTimeoutMs } from "../process/git.ts";
import { gitFolders } from "../process/working-trees.ts";
import { inTree } from "../process/git-path.ts";
import { createLookAgain } from "./look-again.ts";
import type { Differences } from "./look-through.ts";
import type { Repository } from "../read/repository.ts";
import { repositoryStore } from "./repository-store.ts";
import { removeFolder, makeTemporaryFolder, removeAtExit } from "../../files/temporary-folder.ts";
import { indexBytes, isAlreadyIn, type PersonIndex } from "./person-index.ts";
import { furnish, type LookEnvironment, withoutTree } from "./private-repository.ts";
import { copyIndex } from "./temporary-index.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { statSync } from "node:fs";
import { ensureFolder, errorCode, nodeFiles } from "../../files/file-system.ts";

/** Changes that the index lacks, and the tree it had before. */
export type Behind = Differences & { readonly environment: IndexEnvironment };

/**
 * An index of isdlc that follows the working tree from scan to scan, to read only changed files. It starts again as a
 * copy of the user's index if that could make a difference.
 */
export type FollowingIndex = {
  /** Returns the environment to compare git trees. */
  environment(settings: LookSettings): Promise<LookEnvironment>;
  look(settings: LookSettings, include: readonly string[]): Promise<Behind>;
  /** Records the tree that the index has now. `isReliable`: the next scan will see every change of the working tree. */
  holds(tree: string, isReliable: boolean): void;
  /** Returns the environment to read the index while it has this tree, else null. */
  holding(tree: string): IndexEnvironment | null;
  /** Discards the index after a failure, because its content is unknown. */
  forget(): Promise<void>;
};

/** Trust in the user's index: an agent may have written to it. */
export type IndexTrust = {
  /** Milliseconds. Files touched since then are read, regardless of the index. Null trusts the index completely. */
  readonly since: number | null;
  /** A snapshot of the run. All its files are checked, even if the user's index no longer has them. */
  readonly tree: string | null;
};

type IndexFollower = {
  readonly folder: string;
  readonly index: IndexEnvironment;
  /** State at the start, in addition to the user's index. */
  readonly start: string;
  /** The user's index at the start, or a later one with the same result. */
  readonly person: PersonIndex;
  /** Files that decide if added files count; `ruled` is their stat data. */
  readonly rules: readonly string[];
  readonly ruled: string;
  readonly held: IndexedTree | null;
};

/** Tree in the index, and stat data of the index file: no other program should write it. */
type IndexedTree = { readonly tree: string; readonly stamp: string; readonly isReliable: boolean };

export function createFollowingIndex(git: Git, repository: Repository, trust: IndexTrust): FollowingIndex {
  let following: IndexFollower | null = null;
  const again = createLookAgain(git, repository);

  async function begin(start: string, settings: LookSettings): Promise<IndexFollower> {
    const folder = following?.folder ?? (await makeIndexFolder(repository));
    await rm(indexIn(folder), { force: true });
    again.forget();
    const stamp = stampFiles([indexIn(repository.gitDir)]); // before it is copied
    const index = { ...furnish(folder, repository, settings), ...(await copyIndex(repository, folder)) };
    const person = { stamp, bytes: indexBytes(indexIn(folder)) };
    await beginWith(git, index, trust);
    return { folder, index, start, person, rules: [], ruled: "", held: null };
  }

  return {
    async environment(settings) {
      following ??= await begin("", settings);
      return withoutTree(following.index);
    },
    async look(settings, include) {
      const start = indexStart(repository, settings, include);
      const left = following && (await continued(repository, following, start));
      const isOurs = left !== null;
      const now = left ?? (await begin(start, settings));
      const { folder, index: environment, held } = now;
      following = { ...now, held: null };
      const how = { distrust: isOurs ? null : trust.since, isOurs, isPlain: !hasOddRules(settings) };
      const found = await again.look({ folder, environment, include, ...how });
      if (found === null) following = now;
      if (found === null) return { ...NOTHING_DIFFERS, environment, tree: held?.tree ?? null };
      const rules = [...new Set([...now.rules, ...toRules(found.added)])];
      following = { ...following, rules, ruled: ruledBy(repository, rules) };
      return { ...found, environment, tree: held?.tree ?? found.tree };
    },
    holds(tree, isReliable) {
      if (following !== null) following = { ...following, held: { tree, isReliable, stamp: stampIn(following) } };
    },
    holding: (tree) => (following?.held?.tree === tree && isAsLeft(following) ? following.index : null),
    async forget() {
      const folder = following?.folder;
      following = null;
      again.forget();
      if (folder !== undefined) await removeFolder(folder);
    },
  };
}

/** Returns true for `~user/rules` and `%(prefix)/rules`: only git knows these files. */
const hasOddRules = (settings: LookSettings): boolean => /^(?:~[^/]|%)/.test(settings["core.excludesfile"] ?? "");

const NOTHING_DIFFERS: Differences = { files: [], repositories: [], added: [], isSparse: false, tree: null };

/**
 * Adds the files of the run's snapshot to the index. If the snapshot is missing, the index keeps those of the user's
 * index.
 */
async function beginWith(git: Git, environment: IndexEnvironment, { tree }: IndexTrust): Promise<void> {
  if (tree !== null) await git(["read-tree", "--reset", tree], { environment, timeoutMs: wholeTreeTimeoutMs });
}

const indexIn = (folder: string): string => join(folder, "index");
const stampIn = ({ folder }: IndexFollower): string => stampFiles([indexIn(folder)]);

const isAsLeft = (following: IndexFollower): boolean =>
  following.held?.isReliable === true && following.held.stamp === stampIn(following);

const isCurrent = (repository: Repository, following: IndexFollower, start: string): boolean =>
  isAsLeft(following) && following.start === start && following.ruled === ruledBy(repository, following.rules);

/** Returns the existing index if it has the same content as a new one. */
async function continued(
  repository: Repository,
  following: IndexFollower,
  start: string,
): Promise<IndexFollower | null> {
  if (!isCurrent(repository, following, start)) return null;
  const real = indexIn(repository.gitDir);
  const stamp = stampFiles([real]); // before it is read: a write in between shows at the next scan
  if (stamp === following.person.stamp) return following;
  const person = { stamp, bytes: indexBytes(real) };
  const compared = { own: indexBytes(indexIn(following.folder)), before: following.person.bytes, now: person.bytes };
  return (await isAlreadyIn(compared, repositoryStore(repository).objects)) ? { ...following, person } : null;
}

const ruledBy = ({ top }: Repository, rules: readonly string[]): string =>
  stampFiles(rules.map((path) => inTree(top, path)));

/** Returns the stat data of all inputs: if one changes, a new index would differ. */
function indexStart(repository: Repository, settings: LookSettings, include: readonly string[]): string {
  const { top, gitDir, env } = repository;
  const excludes = settings["core.excludesfile"];
  const info = join(gitFolders(top)?.common ?? gitDir, "info");
  const rules = ["exclude", "attributes"].map((name) => join(info, name));
  const files = [
    ...rules,
    join(personalFolder(env), "ignore"),
    ...(excludes === undefined ? [] : [resolve(top, excludes.replace(/^~(?=\/)/, homeFolder(env)))]),
    ...settingsFiles(repository),
  ];
  return [stampFiles(files), ...include].join("\n");
}

/**
 * Lists ignore files next to each path and in every folder above it, and `.git` in these folders, because a folder may
 * become a repository.
 */
function toRules(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  const below = [...folders].filter((folder) => folder !== ".");
  return [".gitignore", ...below.flatMap((folder) => [join(folder, ".gitignore"), join(folder, ".git")])];
}

/** Returns stat data that changes if any of the files is written, replaced, created or removed. */
const stampFiles = (files: readonly (string | Buffer)[]): string => files.map(stamp).join("\n");

function stamp(file: string | Buffer): string {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false });
    return found === undefined ? "none" : [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "none"; // a file instead of a folder, no permission
  }
}

/**
 * Creates a folder for an index of isdlc, which lasts as long as this program. It is next to git's own files, where an
 * agent in a sandbox cannot write.
 */
async function makeIndexFolder({ gitDir }: Repository): Promise<string> {
  const place = join(gitDir, "isdlc");
  try {
    ensureFolder(nodeFiles, place); // never through a link
    return removeAtExit(await makeTemporaryFolder(place));
  } catch (error) {
    if (errorCode(error) !== "EROFS") throw error;
    return removeAtExit(await makeTemporaryFolder()); // in a read-only sandbox, only scans are possible
  }
}
