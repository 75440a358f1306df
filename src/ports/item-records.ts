import type { MetaFields } from "../core/items/item-meta.ts";

/** Committed documents about an item: its meta file and its backlog line. They are the same in every clone. */
export interface ItemRecords {
  /** Merges the given fields into the item's meta file. Other fields stay unchanged. */
  merge(item: string, fields: MetaFields): void;
  /** Sets the marker of the item's backlog line, if it has one. */
  mark(item: string, marker: " " | "~" | "A" | "x"): void;
}
