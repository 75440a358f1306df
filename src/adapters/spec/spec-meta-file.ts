import { join } from "node:path";
import { isRecord } from "../../core/own-value.ts";
import { specMetaFrom, type SpecMeta } from "../../core/spec/spec-meta.ts";
import { phaseUpdatesFrom, withPhaseUpdates } from "../../core/spec/spec-meta-change.ts";
import { isSpecPhase } from "../../core/spec/spec-phases.ts";
import { editDocument, errorMessage, readDocument, replaceDocument } from "../items/document-file.ts";
import { realFeatureFolder } from "./feature-folder.ts";
import { hasOpenRun } from "./open-run.ts";

export const SPEC_META = ".meta.json";

export type SpecWriting = { readonly written: true } | { readonly written: false; readonly warning: string };

type FileRecord = Readonly<Record<string, unknown>>;

/** A feature's `.meta.json`; null where there is none or it is damaged. Never throws. */
export function readSpecMeta(featurePath: unknown): SpecMeta | null {
  try {
    return specMetaFrom(recordFrom(readDocument(join(realFeatureFolder(featurePath), SPEC_META))?.text));
  } catch {
    return null;
  }
}

/** Writes the first `.meta.json` of a feature into its folder; one that is there is left alone. Never throws. */
export function writeNewSpecMeta(featurePath: unknown, meta: SpecMeta): SpecWriting {
  return attempt(() => {
    const file = join(realFeatureFolder(featurePath), SPEC_META);
    if (readDocument(file) !== null) throw new Error("there is one already");
    replaceDocument(file, render(meta), null);
  });
}

/**
 * Puts what `change` makes of the file in its place, in one step, and again when somebody else wrote it meanwhile.
 * A damaged file is left to a person, as is one that `change` gives back as it was. Never throws.
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

/** Merges updates into a phase; false, with a warning on stderr, where nothing was written. Never throws. */
export type UpdatePhaseState = (featurePath: unknown, phase: unknown, updates: unknown) => boolean;

export type PhaseStateUpdater = {
  /** Is a run at work on the feature in this folder? Then the run alone writes about it. */
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
