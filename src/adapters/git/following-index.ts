import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { stampOf } from "./file-stamp.ts";
import type { Git } from "./git.ts";
import { gitFolders } from "./git-head.ts";
import { type Differences, lookThrough } from "./look-through.ts";
import type { Repository } from "./repository.ts";
import { makeTemporaryFolder, removeAtExit, removeFolder } from "./temporary-folder.ts";
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
 * be read. It begins anew as a copy of the person's wherever that would make a difference.
 */
export type FollowingIndex = {
  look(filterless: IndexEnvironment, include: readonly string[]): Promise<Behind>;
  /** It holds this tree now. What has vanished may come back: was it ignored, only the person's index would know it. */
  holds(tree: string, hasVanished: boolean): void;
  /** Environment to read it with while it holds the tree, all of it; else null. */
  holding(tree: string): IndexEnvironment | null;
  /** After a failure nobody knows what it holds. */
  forget(): Promise<void>;
};

type Following = {
  readonly folder: string;
  readonly index: IndexEnvironment;
  /** What it began with. */
  readonly start: string;
  /** Files that say whether what was added is ignored, and how they stood. */
  readonly rules: readonly string[];
  readonly ruled: string;
  readonly tree: string | null;
  /** Some entry is here otherwise than in the person's index in a way that looking cannot tell. */
  readonly isAstray: boolean;
};

export function createFollowingIndex(git: Git, repository: Repository): FollowingIndex {
  let following: Following | null = null;

  async function begin(start: string): Promise<Following> {
    const folder = following?.folder ?? removeAtExit(await makeTemporaryFolder());
    const index = await copyIndex(repository, folder);
    return { folder, index, start, rules: [], ruled: "", tree: null, isAstray: false };
  }

  return {
    async look(filterless, include) {
      const start = startOf(repository, include);
      const now = following !== null && canGoOn(following, start) ? following : await begin(start);
      following = { ...now, tree: null };
      const environment = { ...filterless, ...now.index };
      const found = await lookThrough(git, { repository, environment, include });
      const added = ignoreFilesOf(found.added).map((file) => join(repository.top, file));
      const rules = [...new Set([...now.rules, ...added])];
      following = { ...following, rules, ruled: stampOf(rules), isAstray: found.isSparse };
      return { ...found, environment, tree: now.tree };
    },
    holds(tree, hasVanished) {
      if (following !== null) following = { ...following, tree, isAstray: following.isAstray || hasVanished };
    },
    holding: (tree) => (following?.tree === tree && !following.isAstray ? following.index : null),
    async forget() {
      const folder = following?.folder;
      following = null;
      if (folder !== undefined) await removeFolder(folder);
    },
  };
}

const canGoOn = ({ start, rules, ruled, isAstray }: Following, now: string): boolean =>
  !isAstray && start === now && stampOf(rules) === ruled;

/** Were one of these another, another index would come of it. */
function startOf({ top, gitDir }: Repository, include: readonly string[]): string {
  const exclude = join(gitFolders(top)?.common ?? gitDir, "info", "exclude");
  const ownExclude = join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "git", "ignore");
  return [stampOf([join(gitDir, "index"), exclude, ownExclude]), ...include].join("\n");
}

/** Beside each file and in every folder above it. */
function ignoreFilesOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  return [...folders].map((folder) => join(folder, ".gitignore"));
}
