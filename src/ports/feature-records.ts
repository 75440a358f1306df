import type { SpecChange } from "../core/spec/spec-meta-change.ts";
import type { NewFeature } from "../core/spec/spec-meta.ts";

/** The documents about a feature that git carries: its meta file and its review history. Writing twice changes nothing. */
export interface FeatureRecords {
  /** Writes the meta file of a new feature; one that is there stays as it is. */
  begin(item: string, feature: NewFeature & { readonly base: string | null }): void;
  tell(item: string, change: SpecChange): void;
  /** Puts an entry of the review history where it belongs, or in place of the one with its heading. */
  review(item: string, entry: string): void;
  /** Takes the review history away: the feature has ended, and the journal keeps it. */
  closeReviews(item: string): void;
}
