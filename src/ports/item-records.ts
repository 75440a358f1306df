import type { MetaFields } from "../core/items/item-meta.ts";

/** The documents about an item that git carries: its meta file and its line in the backlog. True in every clone. */
export interface ItemRecords {
  /** Merges the given fields into the item's meta file; everything else in it stays as it is. */
  merge(item: string, fields: MetaFields): void;
  /** Sets the marker of the item's own line in the backlog, where it has one. */
  mark(item: string, marker: " " | "~" | "A" | "x"): void;
}
