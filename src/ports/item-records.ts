import type { MetaFields } from "../core/items/item-meta.ts";
import type { SpecChange } from "../core/spec/spec-meta-change.ts";
import type { NewFeature } from "../core/spec/spec-meta.ts";

/** Committed documents about an item: its meta file and its backlog line. They are the same in every clone. */
export interface ItemRecords {
  /** Merges the given fields into the item's meta file. Other fields stay unchanged. */
  merge(item: string, fields: MetaFields): void;
  /** Sets the marker of the item's backlog line, if it has one. */
  mark(item: string, marker: " " | "~" | "A" | "x"): void;
}

/** Committed documents about a feature: its meta file and its review history. Repeated calls change nothing. */
export interface FeatureRecords {
  /** Writes the meta file of a new feature. An existing file stays unchanged. */
  begin(item: string, feature: NewFeature & { readonly base: string | null }): void;
  tell(item: string, change: SpecChange): void;
  /** Inserts an entry into the review history in order, or replaces the entry with the same heading. */
  review(item: string, entry: string): void;
  /** Deletes the review history of an ended feature. The journal still contains it. */
  closeReviews(item: string): void;
}
