import { join, resolve } from "node:path";
import { isRecord, ownValue } from "../../core/own-value.ts";
import { specMetaFrom, type SpecMeta } from "../../core/spec/spec-meta.ts";
import { phaseUpdatesFrom, withPhaseUpdates } from "../../core/spec/spec-meta-change.ts";
import { isSpecPhase } from "../../core/spec/spec-phases.ts";
import { editDocument, errorMessage, readDocument, replaceDocument } from "./document-file.ts";
import { realFeatureFolder, foldersAbove } from "./feature-folder.ts";
import { OWN, OWN_FOLDER } from "../../core/own-folder.ts";
import { nodeFiles } from "../files/file-system.ts";

export const SPEC_META = ".meta.json";

export type SpecWriting = { readonly written: true } | { readonly written: false; readonly warning: string };

type FileRecord = Readonly<Record<string, unknown>>;

/** Reads a feature's `.meta.json`. Returns null if it is missing or damaged. Never throws. */
export function readSpecMeta(featurePath: unknown): SpecMeta | null {
  try {
    return specMetaFrom(recordFrom(readDocument(join(realFeatureFolder(featurePath), SPEC_META))?.text));
  } catch {
    return null;
  }
}

/** Writes the first `.meta.json` of a feature. An existing file stays unchanged. Never throws. */
export function writeNewSpecMeta(featurePath: unknown, meta: SpecMeta): SpecWriting {
  return attempt(() => {
    const file = join(realFeatureFolder(featurePath), SPEC_META);
    if (readDocument(file) !== null) throw new Error("there is one already");
    replaceDocument(file, render(meta), null);
  });
}

/**
 * Replaces the file atomically with the result of `change`, and repeats this if another process wrote it concurrently.
 * A damaged or unchanged file is not written. Never throws.
 */
export function changeSpecMeta(featurePath: unknown, change: (found: FileRecord) => FileRecord): SpecWriting {
  return attempt(() => {
    const file = join(realFeatureFolder(featurePath), SPEC_META);
    const document = readDocument(file);
    const found = recordFrom(document?.text);
    if (specMetaFrom(found) === null) throw new Error("it is damaged");
    const text = render(change(found));
    if (text !== document?.text) replaceDocument(file, text, document);
  });
}

/** Merges updates into a phase. Returns false, with a warning on stderr, if nothing was written. Never throws. */
export type UpdatePhaseState = (featurePath: unknown, phase: unknown, updates: unknown) => boolean;

export type PhaseStateUpdater = {
  /** Returns true if a run works on the feature in this folder: only the run may then write about it. */
  readonly isRunOpen: (folder: string) => boolean;
  readonly warn: (warning: string) => void;
};

export function createPhaseStateUpdater({ isRunOpen, warn }: PhaseStateUpdater): UpdatePhaseState {
  return (featurePath, phase, updates) => {
    const given = phaseUpdatesFrom(updates);
    const written = changeSpecMetaOutside(featurePath, isRunOpen, (found) => {
      if (!isSpecPhase(phase)) throw new Error("there is no such phase");
      if (given === null) throw new Error("the updates make no sense");
      return withPhaseUpdates(found, phase, given);
    });
    if (!written.written) warn(written.warning);
    return written.written;
  };
}

/** For callers outside a run. */
export const updatePhaseState = createPhaseStateUpdater({
  isRunOpen: hasOpenRun,
  warn: (warning) => void process.stderr.write(`[spec] ${warning.replaceAll(/\p{Cc}+/gu, " ").trim()}\n`),
});

function changeSpecMetaOutside(
  featurePath: unknown,
  isRunOpen: PhaseStateUpdater["isRunOpen"],
  change: (found: FileRecord) => FileRecord | null,
): SpecWriting {
  return changeSpecMeta(featurePath, (found) => {
    const changed = change(found);
    if (changed === null) throw new Error("the feature has ended");
    if (isRunOpen(realFeatureFolder(featurePath))) throw new Error("a run is open for this feature");
    return changed;
  });
}

function attempt(action: () => void): SpecWriting {
  try {
    editDocument(action);
    return { written: true };
  } catch (error) {
    return { written: false, warning: `${SPEC_META} was not written: ${errorMessage(error)}` };
  }
}

function recordFrom(text: string | undefined): FileRecord {
  if (text === undefined) throw new Error("there is none");
  const record: unknown = JSON.parse(text.startsWith("\u{FEFF}") ? text.slice(1) : text);
  if (!isRecord(record)) throw new Error("it holds no object");
  return record;
}

const render = (record: FileRecord): string => `${JSON.stringify(record, null, 2)}\n`;

/**
 * Returns true while a run works on the feature. An unreadable marker counts as a run, to refuse rather than to
 * overwrite.
 */
function hasOpenRun(folder: string): boolean {
  return foldersAbove(folder).some((root) => {
    try {
      const marker = readDocument(join(root, OWN_FOLDER, OWN.active));
      if (marker === null) return false;
      const item = ownValue(JSON.parse(marker.text) as unknown, "item");
      return typeof item !== "string" || isSameFolder(resolve(root, item), folder);
    } catch {
      return true;
    }
  });
}

/** Compares by inode, because case-insensitive file systems have several spellings of a folder. */
function isSameFolder(one: string, other: string): boolean {
  if (one === other) return true;
  const [first, second] = [one, other].map((path) => nodeFiles.lstatSync(path, { throwIfNoEntry: false }));
  return first !== undefined && second !== undefined && first.ino === second.ino && first.dev === second.dev;
}
