import type { Git } from "../process/git.ts";
import type { Repository } from "../read/repository.ts";
import { type Differences, type IndexReview, lookThrough } from "./look-through.ts";
import { createNewNames } from "./new-names.ts";
import { createStampedDifferences } from "./stamped-differences.ts";
import { createTreeStamper, type TouchedFiles, touchedSince, type TreeStamps } from "./tree-stamps.ts";

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
