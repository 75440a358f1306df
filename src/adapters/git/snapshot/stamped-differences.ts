import { basename } from "node:path";
import { readFromIndex } from "../objects/git-index.ts";
import type { GitFolder } from "../process/git.ts";
import { decodePath, isUnder, type RawPath } from "../process/git-path.ts";
import { differingFrom } from "./doubted-files.ts";
import { findIgnored, type IgnoreRules, rulesOfLook } from "./ignored.ts";
import type { Differences } from "./look-through.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import type { TouchedFiles } from "./tree-stamps.ts";

/** Finds the changes that an index lacks, from files touched since the index was complete. */
export type StampedDifferences = {
  /** Returns null if only git can find them. */
  since(touched: TouchedFiles, look: StampedLook): Promise<Differences | null>;
  /** Drops cached data before a scan by git: the index may start again, and rules may change. */
  forget(): void;
};

type StampedLook = {
  readonly environment: IndexEnvironment;
  /** Files and folders that count even if they are ignored or under `.isdlc`. */
  readonly include: readonly string[];
};

/** Uses one git process for ignore rules while no rule changes, which the stat data would show. */
export function createStampedDifferences(tree: GitFolder): StampedDifferences {
  let rules: ReturnType<typeof rulesOfLook> | null = null;
  /** Names in the index, and names reported as new since then. */
  let known: Set<RawPath> | null = null;
  return {
    async since({ files, doubted, isAll }, { environment, include }) {
      const isPlain = isAll && ![...files, ...doubted].some(isOfRules);
      const names = isPlain ? (known ??= namesIn(environment)) : null;
      if (names === null) return null;
      const isKnown = (path: RawPath): boolean => names.has(path);
      const untracked = files.filter((path) => !isKnown(path));
      const ask = (): IgnoreRules => (rules ??= rulesOfLook(tree, environment));
      const ignored = untracked.length === 0 ? NONE : await findIgnored(ask(), untracked.map(decodeRawPath));
      const isAdded = (path: RawPath): boolean => !ignored.has(decodeRawPath(path));
      const isIncluded = (path: RawPath): boolean => include.some((folder) => isUnder(decodeRawPath(path), folder));
      const taken = untracked.filter((path) => isAdded(path) || isIncluded(path));
      const unsure = doubted.filter(isKnown).map(decodeRawPath);
      const changed = [...files.filter(isKnown).map(decodeRawPath), ...differingFrom(environment, tree.top, unsure)];
      for (const path of taken) names.add(path);
      const added = taken.filter(isAdded).map(decodeRawPath);
      return { files: [...taken.map(decodeRawPath), ...changed], repositories: [], added, isSparse: false, tree: null };
    },
    forget() {
      rules?.end();
      rules = null;
      known = null;
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

/** Files with rules for other files. */
const RULES: ReadonlySet<string> = new Set([".gitignore", ".gitattributes"]);
const isOfRules = (path: RawPath): boolean => RULES.has(basename(path).toLowerCase());

/**
 * Returns null if only git should read the index, or if it has submodules, files added with `git add -N`, or an
 * unresolved merge.
 */
function namesIn({ GIT_INDEX_FILE: index = "" }: IndexEnvironment): Set<RawPath> | null {
  const entries = readFromIndex(index, () => true)?.entries;
  const isPlain = entries?.every(({ isSubmodule, isAnnounced, stage }) => !isSubmodule && !isAnnounced && stage === 0);
  return entries !== undefined && isPlain === true ? new Set(entries.map(({ name }) => name)) : null;
}

const decodeRawPath = (path: RawPath): string => decodePath(Buffer.from(path, "latin1"));
