import type { GitFolder } from "../process/git.ts";
import { createFolderStamper, type FolderLook, type FolderStamps } from "./folder-stamps.ts";

/** Knows from one look at a large tree to the next whether a file can be new. */
export type NewNames = {
  /** No file is new. To be asked before git looks. */
  areRuledOut(look: Omit<FolderLook, "earlier">): Promise<boolean>;
  /** What git found then, all of which the index has from now on unless it could not be taken. */
  found(added: readonly string[]): void;
  /** The index begins anew. */
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
      wasNothingNew = false; // until git has looked
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
