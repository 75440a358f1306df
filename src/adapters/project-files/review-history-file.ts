import { join } from "node:path";
import { errorCode, nodeFiles, syncFolder } from "../files/file-system.ts";
import { editDocument, errorMessage, readDocument, replaceDocument } from "./document-file.ts";
import { realFeatureFolder } from "./feature-folder.ts";
import type { SpecWriting } from "./spec-meta-file.ts";
import { withHistoryEntry } from "../../core/spec/review-artifact.ts";

export const REVIEW_HISTORY = ".review-history.md";

/** Adds an entry to a feature's review history, once: its heading names the iteration. Never throws. */
export function appendReviewHistory(featurePath: unknown, entry: string): SpecWriting {
  return attempt(() =>
    editDocument(() => {
      const file = fileIn(featurePath);
      const found = readDocument(file);
      const text = withHistoryEntry(found?.text ?? "", entry);
      if (text !== found?.text) replaceDocument(file, text, found);
    }),
  );
}

/** Returns the history, or null if it is missing or unreadable. */
export function readReviewHistory(featurePath: unknown): string | null {
  try {
    return readDocument(fileIn(featurePath))?.text ?? null;
  } catch {
    return null;
  }
}

/** Deletes the history when its feature ends. A missing file is no error. Never throws. */
export function deleteReviewHistory(featurePath: unknown): SpecWriting {
  return attempt(() => {
    const file = fileIn(featurePath);
    try {
      nodeFiles.unlinkSync(file);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return;
      throw error;
    }
    syncFolder(nodeFiles, join(file, ".."));
  });
}

function attempt(action: () => void): SpecWriting {
  try {
    action();
    return { written: true };
  } catch (error) {
    return { written: false, warning: `${REVIEW_HISTORY} was not written: ${errorMessage(error)}` };
  }
}

const fileIn = (featurePath: unknown): string => join(realFeatureFolder(featurePath), REVIEW_HISTORY);
