import { join } from "node:path";
import { createFeatureMeta } from "../../core/spec/spec-meta.ts";
import { specMetaAfter } from "../../core/spec/spec-meta-change.ts";
import { appendReviewHistory, deleteReviewHistory } from "./review-history-file.ts";
import { changeSpecMeta, readSpecMeta, type SpecWriting, writeNewSpecMeta } from "./spec-meta-file.ts";
import type { FeatureRecords } from "../../ports/item-records.ts";

/** Writes the feature documents of a working tree. Errors are reported to `warn` and do not stop the run. */
export function createFeatureRecords(root: string, warn: (warning: string) => void): FeatureRecords {
  const folder = (item: string): string => join(root, ...item.split("/"));
  const told = (writing: SpecWriting): void => {
    if (!writing.written) warn(writing.warning);
  };
  return {
    begin(item, { base, ...feature }) {
      if (readSpecMeta(folder(item)) !== null) return;
      told(writeNewSpecMeta(folder(item), { ...createFeatureMeta(feature), base }));
    },
    tell: (item, change) => told(changeSpecMeta(folder(item), (found) => specMetaAfter(found, change))),
    review: (item, entry) => told(appendReviewHistory(folder(item), entry)),
    closeReviews: (item) => told(deleteReviewHistory(folder(item))),
  };
}
