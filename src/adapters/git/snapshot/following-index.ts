import { rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type LookSettings, personalFolder, settingsFiles } from "../process/content-filters.ts";
import { stampFiles } from "./file-stamp.ts";
import { homeFolder } from "../process/git-environment.ts";
import { type Git, wholeTreeTimeoutMs } from "../process/git.ts";
import { gitFolders } from "../read/working-trees.ts";
import { inTree } from "../process/git-path.ts";
import { makeIndexFolder } from "./index-folder.ts";
import { createLookAgain } from "./look-again.ts";
import type { Differences } from "./look-through.ts";
import type { Repository } from "../read/repository.ts";
import { repositoryStore } from "../objects/repository-store.ts";
import { removeFolder } from "../../file-system/temporary-folder.ts";
import { indexBytes, isAlreadyIn, type PersonIndex } from "./person-index.ts";
import { furnish, type LookEnvironment, withoutTree } from "./private-repository.ts";
import { copyIndex } from "./temporary-index.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

/** What the index has to be told, and what it held before. */
export type Behind = Differences & { readonly environment: IndexEnvironment };

/**
 * An index of our own that follows the working tree from one look to the next, so that only what changed since has to
 * be read. It begins anew as a copy of the person's wherever that could make a difference.
 */
export type FollowingIndex = {
  /** Environment to compare trees with. */
  environment(settings: LookSettings): Promise<LookEnvironment>;
  look(settings: LookSettings, include: readonly string[]): Promise<Behind>;
  /** It holds this tree now. `isReliable`: the next look will see whatever is done to the tree. */
  holds(tree: string, isReliable: boolean): void;
  /** Environment to read it with while it holds the tree; else null. */
  holding(tree: string): IndexEnvironment | null;
  /** After a failure nobody knows what it holds. */
  forget(): Promise<void>;
};

/** How far the person's index is believed: an agent may have written to it. */
export type IndexTrust = {
  /** Milliseconds; files that were touched later are read, whatever the index says about them. Null: all is believed. */
  readonly since: number | null;
  /** A snapshot of the run: what it has is looked for, though the person's index may no longer know it. */
  readonly tree: string | null;
};

type IndexFollower = {
  readonly folder: string;
  readonly index: IndexEnvironment;
  /** What it began with, besides the person's index. */
  readonly start: string;
  /** That index, or a later one from which the same would have come. */
  readonly person: PersonIndex;
  /** Files that say whether what was added counts, and how they stood. */
  readonly rules: readonly string[];
  readonly ruled: string;
  readonly held: IndexedTree | null;
};

/** The tree that is in it, and how the file stood: nobody else has to write there. */
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

/** `~somebody/rules`, `%(prefix)/rules`: only git knows which file that is. */
const hasOddRules = (settings: LookSettings): boolean => /^(?:~[^/]|%)/.test(settings["core.excludesfile"] ?? "");

const NOTHING_DIFFERS: Differences = { files: [], repositories: [], added: [], isSparse: false, tree: null };

/** Has it hold at least the files of a tree that is known; where that is gone, what the person's holds. */
async function beginWith(git: Git, environment: IndexEnvironment, { tree }: IndexTrust): Promise<void> {
  if (tree !== null) await git(["read-tree", "--reset", tree], { environment, timeoutMs: wholeTreeTimeoutMs });
}

const indexIn = (folder: string): string => join(folder, "index");
const stampIn = ({ folder }: IndexFollower): string => stampFiles([indexIn(folder)]);

const isAsLeft = (following: IndexFollower): boolean =>
  following.held?.isReliable === true && following.held.stamp === stampIn(following);

const isCurrent = (repository: Repository, following: IndexFollower, start: string): boolean =>
  isAsLeft(following) && following.start === start && following.ruled === ruledBy(repository, following.rules);

/** The one there is, where it still holds what a new one would. */
async function continued(
  repository: Repository,
  following: IndexFollower,
  start: string,
): Promise<IndexFollower | null> {
  if (!isCurrent(repository, following, start)) return null;
  const real = indexIn(repository.gitDir);
  const stamp = stampFiles([real]); // before it is read: what is written in between shows at the next look
  if (stamp === following.person.stamp) return following;
  const person = { stamp, bytes: indexBytes(real) };
  const compared = { own: indexBytes(indexIn(following.folder)), before: following.person.bytes, now: person.bytes };
  return (await isAlreadyIn(compared, repositoryStore(repository).objects)) ? { ...following, person } : null;
}

const ruledBy = ({ top }: Repository, rules: readonly string[]): string =>
  stampFiles(rules.map((path) => inTree(top, path)));

/** Were one of these another, another index would come of it. */
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

/** Ignore rules beside each file and in every folder above it; and none of these folders has to become a repository. */
function toRules(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  const below = [...folders].filter((folder) => folder !== ".");
  return [".gitignore", ...below.flatMap((folder) => [join(folder, ".gitignore"), join(folder, ".git")])];
}
