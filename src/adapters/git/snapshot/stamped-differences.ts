import { basename } from "node:path";
import { readFromIndex } from "../objects/git-index.ts";
import type { GitFolder } from "../process/git.ts";
import { decodePath, isUnder, type RawPath } from "../process/git-path.ts";
import { differingFrom } from "./doubted-files.ts";
import { findIgnored, type IgnoreRules, rulesOfLook } from "./ignored.ts";
import type { Differences } from "./look-through.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import type { TouchedFiles } from "./tree-stamps.ts";

/** Tells what an index does not have from what happened to the tree since it had all of it. */
export type StampedDifferences = {
  /** Null where only git can tell. */
  since(touched: TouchedFiles, look: StampedLook): Promise<Differences | null>;
  /** Git looks: the index may begin anew, rules may be others. */
  forget(): void;
};

type StampedLook = {
  readonly environment: IndexEnvironment;
  /** Files and folders that count though they are ignored, or our own. */
  readonly include: readonly string[];
};

/** One git knows the ignore rules for as long as none of them changes, which shows in the stamps. */
export function createStampedDifferences(tree: GitFolder): StampedDifferences {
  let rules: ReturnType<typeof rulesOfLook> | null = null;
  /** Names that the index has, and those that it was to take since. */
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

/** Files of which git reads what holds for others. */
const RULES: ReadonlySet<string> = new Set([".gitignore", ".gitattributes"]);
const isOfRules = (path: RawPath): boolean => RULES.has(basename(path).toLowerCase());

/** Null where the index has something that is more than a file. */
function namesIn({ GIT_INDEX_FILE: index = "" }: IndexEnvironment): Set<RawPath> | null {
  const entries = readFromIndex(index, () => true)?.entries;
  const isPlain = entries?.every(({ isSubmodule, isAnnounced, stage }) => !isSubmodule && !isAnnounced && stage === 0);
  return entries !== undefined && isPlain === true ? new Set(entries.map(({ name }) => name)) : null;
}

const decodeRawPath = (path: RawPath): string => decodePath(Buffer.from(path, "latin1"));
