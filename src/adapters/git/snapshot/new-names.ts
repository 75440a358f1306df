import type { GitFolder } from "../process/git.ts";
import { createFolderStamper, type FolderLook, type FolderStamps } from "./folder-stamps.ts";

/** Rules out new files between two scans of a large tree. */
export type NewNames = {
  /** Returns true if no file is new. Must be called before git scans. */
  areRuledOut(look: Omit<FolderLook, "earlier">): Promise<boolean>;
  /** Records git's result. From now on the index has all these files, except those that could not be added. */
  found(added: readonly string[]): void;
  /** Starts again with a new index. */
  forget(): void;
};

export function createNewNames(tree: GitFolder): NewNames {
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
