import type { ItemMeta, MetaFields } from "../core/items/item-meta.ts";
import type { CommitId } from "../schema/ids.ts";

export type FoundItem = {
  readonly slug: string;
  /** Null for a line of the backlog whose folder does not exist yet. */
  readonly dir: string | null;
  /** Null where there is no meta file, or a damaged one. */
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
      /** What is in the file, where it is one that can be read; a link or a folder in its place is left alone. */
      readonly text: string | null;
    };

export type NewItem = {
  readonly folder: string;
  /** One line. */
  readonly title: string;
  readonly text: string;
  readonly source: string;
  readonly reference: string | null;
  /** Address of the issue it comes from. */
  readonly url?: string | null;
  /** True for one that has its line in the backlog already. */
  readonly isListed?: boolean;
};

/** Whether an item was created, and what of it could not be written. */
export type Creation = { readonly created: boolean; readonly warnings: readonly string[] };

/** What was taken out: where the folder is kept, null where there was none, and whether the backlog had a line. */
export type Removal = { readonly kept: string | null; readonly wasListed: boolean };

/** What a list of all items is made from. */
export interface SeenItems {
  all(): readonly FoundItem[];
  /** Commit the working tree is at; null before the first, and without git. */
  head(): CommitId | null;
  /** Whether the code differs between HEAD and each of the commits; those that git cannot compare are left out. */
  movedOn(commits: readonly CommitId[]): Promise<ReadonlyMap<CommitId, boolean>>;
}

/** The records of items, apart from what a run under way writes into them. */
export interface Items {
  /** The item a person means: by folder name, number, reference or title. Several are a choice for the person. */
  find(words: string): ResolvedItem;
  /** Its record, told apart from a missing and from a damaged one. */
  inspect(item: FoundItem): MetaReading;
  /** The title its record has; the folder's name where it has none. */
  title(folder: string): string;
  /** True for an item that has its line in the backlog. */
  isListed(folder: string): boolean;
  /** Creates folder, draft, meta and line in the backlog. One that is there already stays as it is. */
  create(item: NewItem): Promise<Creation>;
  /** Takes an item out: its line, and its folder, which is kept outside of what git sees. */
  remove(folder: string): Promise<Removal>;
  /** Sets fields of an item's record; what keeps them from being written, or null. */
  setFields(folder: string, fields: MetaFields): string | null;
  /** Keeps a damaged record beside its place and writes a new one; the name it is kept under, null where that failed. */
  replaceDamaged(folder: string, damaged: string, meta: Readonly<Record<string, unknown>>): string | null;
  /** When the item was recorded as built; null when it is not. */
  builtAt(item: string): string | null;
  /** Takes back that the item was built then, in its record and in the backlog. */
  unmarkBuilt(item: string, at: string): Promise<void>;
  /** The same in a copy of the documents, for the commit that carries it. */
  unmarkBuiltIn(folder: string, item: string, at: string): void;
}

/** Folder of the items, relative to the working tree. */
export const ITEMS_ROOT = "docs/requirements";
