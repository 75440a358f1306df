import type { ItemMeta, MetaFields } from "../core/items/item-meta.ts";
import type { CommitId } from "../schema/ids.ts";

export type FoundItem = {
  readonly slug: string;
  /** Null for a backlog line without a folder. */
  readonly dir: string | null;
  /** Null if the meta file is missing or damaged. */
  readonly meta: ItemMeta | null;
  readonly backlogLine?: string;
  readonly itemNumber?: string;
};

export type ResolvedItem = FoundItem | { readonly multiple: true; readonly matches: readonly FoundItem[] } | null;

export type MetaReading =
  | { readonly is: "found"; readonly meta: ItemMeta; readonly warnings: readonly string[] }
  | { readonly is: "missing" }
  | {
      readonly is: "damaged";
      readonly warning: string;
      /** Content of the file, if it is readable. A link or a folder in its place stays unchanged. */
      readonly text: string | null;
    };

export type NewItem = {
  readonly folder: string;
  /** One line. */
  readonly title: string;
  readonly text: string;
  readonly source: string;
  readonly reference: string | null;
  /** URL of the source issue. */
  readonly url?: string | null;
  /** True if the item already has a backlog line. */
  readonly isListed?: boolean;
};

/** Result of creating an item, with warnings about failed writes. */
export type Creation = { readonly created: boolean; readonly warnings: readonly string[] };

/** Result of removing an item: the backup path of its folder, if there was one, and true if it had a backlog line. */
export type Removal = { readonly kept: string | null; readonly wasListed: boolean };

/** Source of the list of all items. */
export interface SeenItems {
  all(): readonly FoundItem[];
  /** Returns the commit of the working tree. Null before the first commit, and without git. */
  head(): CommitId | null;
  /** Compares HEAD with each commit: true if the code differs. Omits commits that git cannot compare. */
  movedOn(commits: readonly CommitId[]): Promise<ReadonlyMap<CommitId, boolean>>;
}

/** An item with the title in its record, or else its folder name. */
export type TitledItem = FoundItem & { readonly title: string };

/** Records of items, except fields written by a running run. */
export interface Items {
  /** Finds an item by folder name, number, reference or title. Several matches are returned for the user to choose. */
  find(words: string): ResolvedItem;
  /** Lists all items with folder and title. */
  titles(): readonly TitledItem[];
  /** Reads the record of an item, and distinguishes a missing record from a damaged one. */
  inspect(item: FoundItem): MetaReading;
  /** Returns the recorded title, or else the folder name. */
  title(folder: string): string;
  /** Returns true if the item has a backlog line. */
  isListed(folder: string): boolean;
  /** Creates folder, draft, meta file and backlog line. Existing files stay unchanged. */
  create(item: NewItem): Promise<Creation>;
  /** Deletes an item's backlog line and moves its folder to a backup outside of git's view. */
  remove(folder: string): Promise<Removal>;
  /** Sets fields of an item's record. Returns an error message if they could not be written, or else null. */
  setFields(folder: string, fields: MetaFields): string | null;
  /** Renames a damaged record and writes a new one. Returns its new name. Null if this failed. */
  replaceDamaged(folder: string, damaged: string, meta: Readonly<Record<string, unknown>>): string | null;
  /** Returns the time of the recorded build. Null if the item is not built. */
  builtAt(item: string): string | null;
  /** Removes the recorded build of this time from the item's record and the backlog. */
  unmarkBuilt(item: string, at: string): Promise<void>;
  /** Does the same in a copy of the documents, for the commit that contains the change. */
  unmarkBuiltIn(folder: string, item: string, at: string): void;
}

/** Folder of the items, relative to the working tree. */
export const ITEMS_ROOT = "docs/requirements";

/** Names like `REQ-0007`, reserved in the repository to be unique in all of its working trees. */
export interface ReservedIds {
  /** Returns every reserved name, used or not. */
  names(): Promise<readonly string[]>;
  /** Reserves a name. Returns false if it is already reserved. */
  reserve(name: string): Promise<boolean>;
  /** Returns the names of item folders in a root folder of the other working trees, committed or not. */
  inOtherTrees(root: string): readonly string[];
}
