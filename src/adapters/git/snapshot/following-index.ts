import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Filterless, personalFolder, settingsFiles } from "../process/content-filters.ts";
import { stampOf } from "./file-stamp.ts";
import type { Git } from "../process/git.ts";
import { gitFolders } from "../read/git-head.ts";
import { inTree } from "../process/git-path.ts";
import { makeIndexFolder } from "./index-folder.ts";
import { type Differences, lookThrough } from "./look-through.ts";
import type { Repository } from "../read/repository.ts";
import { removeFolder } from "../process/temporary-folder.ts";
import { copyIndex } from "./temporary-index.ts";
import type { IndexEnvironment } from "./temporary-index.ts";

/** What the index has to be told, and what it held before. */
export type Behind = Differences & {
  readonly environment: IndexEnvironment;
  /** The tree that was last written from it; null where it holds something else. */
  readonly tree: string | null;
};

/**
 * An index of our own that follows the working tree from one look to the next, so that only what changed since has to
 * be read. It begins anew as a copy of the person's wherever that could make a difference.
 */
export type FollowingIndex = {
  look(filterless: Filterless, include: readonly string[]): Promise<Behind>;
  /** It holds this tree now. `isReliable`: the next look will see whatever is done to the tree. */
  holds(tree: string, isReliable: boolean): void;
  /** Environment to read it with while it holds the tree; else null. */
  holding(tree: string): IndexEnvironment | null;
  /** After a failure nobody knows what it holds. */
  forget(): Promise<void>;
};

type Following = {
  readonly folder: string;
  readonly index: IndexEnvironment;
  /** What it began with. */
  readonly start: string;
  /** Files that say whether what was added counts, and how they stood. */
  readonly rules: readonly string[];
  readonly ruled: string;
  readonly held: Held | null;
};

/** The tree that is in it, and how the file stood: nobody else has to write there. */
type Held = { readonly tree: string; readonly stamp: string; readonly isReliable: boolean };

export function createFollowingIndex(git: Git, repository: Repository): FollowingIndex {
  let following: Following | null = null;

  async function begin(start: string): Promise<Following> {
    const folder = following?.folder ?? (await makeIndexFolder(repository));
    await rm(indexIn(folder), { force: true });
    const index = await copyIndex(repository, folder);
    return { folder, index, start, rules: [], ruled: "", held: null };
  }

  return {
    async look(filterless, include) {
      const start = startOf(repository, include);
      const canGoOn =
        following !== null &&
        isAsLeft(following) &&
        following.start === start &&
        following.ruled === ruledBy(repository, following.rules);
      const now = following !== null && canGoOn ? following : await begin(start);
      following = { ...now, held: null };
      const environment = { ...filterless, ...now.index };
      const found = await lookThrough(git, { repository, environment, include });
      const rules = [...new Set([...now.rules, ...rulesOf(found.added)])];
      following = { ...following, rules, ruled: ruledBy(repository, rules) };
      return { ...found, environment, tree: now.held?.tree ?? null };
    },
    holds(tree, isReliable) {
      if (following !== null) following = { ...following, held: { tree, isReliable, stamp: stampIn(following) } };
    },
    holding: (tree) => (following?.held?.tree === tree && isAsLeft(following) ? following.index : null),
    async forget() {
      const folder = following?.folder;
      following = null;
      if (folder !== undefined) await removeFolder(folder);
    },
  };
}

const indexIn = (folder: string): string => join(folder, "index");
const stampIn = ({ folder }: Following): string => stampOf([indexIn(folder)]);

const isAsLeft = (following: Following): boolean =>
  following.held?.isReliable === true && following.held.stamp === stampIn(following);

const ruledBy = ({ top }: Repository, rules: readonly string[]): string =>
  stampOf(rules.map((path) => inTree(top, path)));

/** Were one of these another, another index would come of it. */
function startOf(repository: Repository, include: readonly string[]): string {
  const { top, gitDir } = repository;
  const exclude = join(gitFolders(top)?.common ?? gitDir, "info", "exclude");
  const files = [join(gitDir, "index"), exclude, join(personalFolder(), "ignore"), ...settingsFiles(repository)];
  return [stampOf(files), ...include].join("\n");
}

/** Ignore rules beside each file and in every folder above it; and none of these folders has to become a repository. */
function rulesOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  const below = [...folders].filter((folder) => folder !== ".");
  return [".gitignore", ...below.flatMap((folder) => [join(folder, ".gitignore"), join(folder, ".git")])];
}
