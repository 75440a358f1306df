import type { Git, GitFolder } from "../process/git.ts";
import type { Repository } from "../read/repository.ts";
import { type Differences, type IndexReview, lookThrough } from "./look-through.ts";
import { createStampedDifferences } from "./stamped-differences.ts";
import { createTreeStamper, type TouchedFiles, touchedSince, type TreeStamps } from "./tree-stamps.ts";
import { createFolderStamper, type FolderLook, type FolderStamps } from "./folder-stamps.ts";

/** Repeated scans of a working tree. Each one reads only files that earlier scans do not cover. */
export type LookAgain = {
  /** Returns null if nothing changed since the last scan, after which the index was complete. */
  look(looking: LookingAgain): Promise<Differences | null>;
  /** Starts again with a new index. */
  forget(): void;
};

export type LookingAgain = Omit<IndexReview, "repository" | "isNothingNew"> & {
  /** A folder of isdlc, to read the clock. */
  readonly folder: string;
  /** True if the files with ignore rules are known. */
  readonly isPlain: boolean;
};

export function createLookAgain(git: Git, repository: Repository): LookAgain {
  const stampsIn = createTreeStamper(repository.top);
  const names = createNewNames(repository);
  const stamped = createStampedDifferences(repository);
  /** Stat data of a small tree from before its last scan. */
  let stamps: TreeStamps | null = null;

  async function throughGit(looking: LookingAgain, isLarge: boolean): Promise<Differences> {
    const { folder, environment } = looking;
    stamped.forget();
    const canTell = looking.isOurs && looking.isPlain && isLarge;
    const isNothingNew = canTell && (await names.areRuledOut({ folder, environment }));
    return lookThrough(git, { ...looking, repository, isNothingNew });
  }

  return {
    async look(looking) {
      const before = looking.isOurs ? stamps : null;
      const now = looking.isPlain ? stampsIn(looking.folder, looking.include) : null;
      stamps = now;
      const touched = before && now && touchedSince(before, now);
      if (touched !== null && isNothing(touched)) return null;
      const known = touched && (await stamped.since(touched, looking));
      const found = known ?? (await throughGit(looking, now === null));
      names.found(found.added);
      return found;
    },
    forget() {
      stamps = null;
      names.forget();
      stamped.forget();
    },
  };
}

const isNothing = ({ files, doubted, isAll }: TouchedFiles): boolean => files.length + doubted.length === 0 && isAll;

/** Rules out new files between two scans of a large tree. */
type NewNames = {
  /** Returns true if no file is new. Must be called before git scans. */
  areRuledOut(look: Omit<FolderLook, "earlier">): Promise<boolean>;
  /** Records git's result. From now on the index has all these files, except those that could not be added. */
  found(added: readonly string[]): void;
  /** Starts again with a new index. */
  forget(): void;
};

function createNewNames(tree: GitFolder): NewNames {
  const stampsIn = createFolderStamper(tree);
  let stamps: FolderStamps | null = null;
  let wasNothingNew = false;
  return {
    async areRuledOut(look) {
      const now = await stampsIn({ ...look, earlier: stamps });
      const isRuledOut = wasNothingNew && now?.isUntouched === true;
      stamps = now?.stamps ?? null;
      wasNothingNew = false; // until git has scanned
      return isRuledOut;
    },
    found(added) {
      wasNothingNew = added.length === 0;
    },
    forget() {
      stamps = null;
      wasNothingNew = false;
    },
  };
}
