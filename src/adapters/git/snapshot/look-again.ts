import type { Git } from "../process/git.ts";
import type { Repository } from "../read/repository.ts";
import { type Differences, type IndexReview, lookThrough } from "./look-through.ts";
import { createNewNames } from "./new-names.ts";
import { createStampedDifferences } from "./stamped-differences.ts";
import { createTreeStamper, type TouchedFiles, touchedSince, type TreeStamps } from "./tree-stamps.ts";

/** Looks at a tree again and again, each time only as far as the looks before do not tell. */
export type LookAgain = {
  /** Null: nothing happened since the last look, after which the index had all of it. */
  look(looking: LookingAgain): Promise<Differences | null>;
  /** The index begins anew. */
  forget(): void;
};

export type LookingAgain = Omit<IndexReview, "repository" | "isNothingNew"> & {
  /** One of our own, which tells the time. */
  readonly folder: string;
  /** It is known which files have ignore rules. */
  readonly isPlain: boolean;
};

export function createLookAgain(git: Git, repository: Repository): LookAgain {
  const stampsIn = createTreeStamper(repository.top);
  const names = createNewNames(repository);
  const stamped = createStampedDifferences(repository);
  /** How a small tree stood before it was last looked at. */
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
