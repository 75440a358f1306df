import { join } from "node:path";
import { OWN, OWN_FOLDER, OWN_IGNORE, ownFolders, ownPath } from "../../core/own-folder.ts";
import { readSettings } from "../../core/supervision.ts";
import type { ActiveMarker, Projections } from "../../ports/projections.ts";
import { isRunId, isSafeName, type RunId } from "../../schema/ids.ts";
import { ensureFolder, type FileSystem, folderExists, removeFile, replaceFile } from "./file-system.ts";
import { createStateFile, parseRecord, readText } from "./state-file.ts";

const ARTIFACT_LIMIT = 2 * 1024 * 1024; // bytes
/**
 * Bytes. Fifty entries go into `state.json`, which must stay small; larger ones can be restored from their journals.
 */
const ENTRY_LIMIT = 64 * 1024;

/**
 * Creates projections next to the journal under `.isdlc/` of a working tree. An item's analysis has a separate folder.
 * Links are never followed.
 */
export function createProjections(root: string, files: FileSystem, item: string | null = null): Projections {
  const ours = ownFolders(item);
  const own = join(root, ...ours);
  const treeState = createStateFile(join(root, OWN_FOLDER, OWN.state), files);
  const ownState = item === null ? treeState : createStateFile(join(own, OWN.state), files);
  const folder = (...names: string[]): string => names.reduce((parent, name) => makeBelow(files, parent, name), root);
  return {
    setUp() {
      const ignore = join(folder(OWN_FOLDER), OWN.ignore);
      if (files.lstatSync(ignore, { throwIfNoEntry: false }) !== undefined) return [];
      replaceFile(files, ignore, Buffer.from(OWN_IGNORE));
      return [ownPath(OWN.ignore)];
    },
    stateFile: () => treeState.read(),
    settings: () => readSettings(treeState.read()),
    earlier: () => (folderExists(files, join(root, OWN_FOLDER)) ? treeState.earlier() : null),
    writeSettings(change) {
      folder(OWN_FOLDER);
      return treeState.write(({ user, version }) => ({ ...change(user), state_version: version + 1 }));
    },
    makeFolder: (item) => void folder(...item.split("/")),
    writeStateFile(render) {
      folder(...ours);
      return ownState.write(render);
    },
    isActive: () => files.lstatSync(join(own, OWN.active), { throwIfNoEntry: false }) !== undefined,
    writeActive(marker) {
      if (marker === null) removeFile(files, join(own, OWN.active));
      else replaceFile(files, join(folder(...ours), OWN.active), encode(marker));
    },
    writeSummary(name, text) {
      if (!isSafeName(name)) throw new Error(`${name} is not a file name`);
      replaceFile(files, join(folder(...ours, OWN.reviews), name), Buffer.from(text));
      return [...ours, OWN.reviews, name].join("/");
    },
    recordEnded: (run, entry) => replaceFile(files, join(folder(...ours, OWN.history), `${run}.json`), encode(entry)),
    endedRuns: () => endedRuns(files, join(own, OWN.history)),
    endedEntry: (run) => endedEntry(files, join(own, OWN.history), run),
    readArtifact: (path) => readArtifact(files, root, path),
    itemNames: (below) => namesIn(files, join(root, ...below.split("/"))),
  };
}

const encode = (value: ActiveMarker | Record<string, unknown>): Buffer => Buffer.from(`${JSON.stringify(value)}\n`);

function makeBelow(files: FileSystem, parent: string, name: string): string {
  if (name !== OWN_FOLDER && !isSafeName(name)) throw new Error(`${name} is not a folder name`);
  const folder = join(parent, name);
  ensureFolder(files, folder);
  return folder;
}

/** Reads a document. All parent folders must be real ones inside the working tree. */
function readArtifact(files: FileSystem, root: string, path: string): string | null {
  const names = path.split("/");
  if (names.some((name) => name !== OWN_FOLDER && !isSafeName(name))) return null;
  try {
    const parents = names.slice(0, -1).map((_name, index) => join(root, ...names.slice(0, index + 1)));
    if (!parents.every((parent) => folderExists(files, parent))) return null;
    return readText(files, join(root, ...names), ARTIFACT_LIMIT) ?? null;
  } catch {
    return null; // a link or a pipe
  }
}

/** Lists runs with an entry in a history folder, oldest first. */
function endedRuns(files: FileSystem, folder: string): readonly RunId[] {
  return namesIn(files, folder)
    .filter((name) => name.endsWith(".json"))
    .map((name) => name.slice(0, -".json".length))
    .filter(isRunId)
    .toSorted();
}

/** Returns null for a damaged, oversized or linked file, without affecting other entries. */
function endedEntry(files: FileSystem, folder: string, run: RunId): Record<string, unknown> | null {
  try {
    return parseRecord(readText(files, join(folder, `${run}.json`), ENTRY_LIMIT));
  } catch {
    return null;
  }
}

function namesIn(files: FileSystem, folder: string): string[] {
  try {
    return folderExists(files, folder) ? files.readdirSync(folder) : [];
  } catch {
    return []; // a link or a file instead of the folder
  }
}
