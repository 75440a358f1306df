import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type FileSystem, nodeFiles } from "../adapters/files/file-system.ts";
import { treeAround } from "../adapters/git/process/working-trees.ts";
import { createFileAnchors } from "../adapters/files/anchors.ts";
import { type UserFolders, userFolders } from "../adapters/files/user-folders.ts";
import { userSeal } from "../adapters/files/user-key.ts";
import { OWN, OWN_FOLDER } from "../core/own-folder.ts";
import { ProblemError } from "../core/problem.ts";
import { isSafeName, type RunId } from "../schema/ids.ts";
import { version } from "./version.ts";
import type { Clock } from "../ports/processes.ts";

/** Locations of a working tree and of the user's folders on this machine. */
export type ProjectLocation = {
  readonly root: string;
  /** Folder of the journal and related files. */
  readonly own: string;
  readonly files: FileSystem;
  readonly folders: UserFolders;
  readonly env: NodeJS.ProcessEnv;
};

/** Set by the build. Changes with any code that folds the state of a run. */
declare const ISDLC_STATE_VERSION: string | undefined;

export const systemClock: Clock = { now: () => new Date().toISOString() };

/**
 * Finds the working tree of a directory: the top of its repository, else the nearest folder with `.isdlc`, else the
 * directory.
 */
export function findProject(cwd: string, env: NodeJS.ProcessEnv, files: FileSystem = nodeFiles): ProjectLocation {
  const root = findRoot(cwd);
  return { root, own: join(root, OWN_FOLDER), files, folders: userFolders(env), env };
}

/** Returns the options of the journal. `anchored`: the folder that identifies the journal's anchor. */
export const journalOptions = ({ own, files, folders }: Omit<ProjectLocation, "root" | "env">, anchored: string) => ({
  directory: join(own, OWN.journal),
  files,
  anchors: createFileAnchors(folders.state, anchored, files),
  seal: userSeal(folders.state, files),
  clock: systemClock,
  version: typeof ISDLC_STATE_VERSION === "string" ? ISDLC_STATE_VERSION : version,
});

/** Returns the folders in `.isdlc/items`, each with the journal of an analysis. */
export function analysedItems({ root }: Pick<ProjectLocation, "root">): readonly string[] {
  const isFolder = (...names: string[]): boolean =>
    lstatSync(join(root, ...names), { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder(OWN_FOLDER) || !isFolder(OWN_FOLDER, OWN.items)) return [];
  return readdirSync(join(root, OWN_FOLDER, OWN.items))
    .filter((name) => isSafeName(name) && isFolder(OWN_FOLDER, OWN.items, name))
    .sort();
}

function findRoot(cwd: string): string {
  if (!existsSync(cwd)) throw new ProblemError({ code: "UNSAFE_PATH", path: cwd, detail: "there is no such folder" });
  const start = realpathSync(resolve(cwd));
  return treeAround(start) ?? folderAroundOwn(start) ?? start;
}

function folderAroundOwn(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, OWN_FOLDER))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** `20261115-101500123-k3f9` */
export function newRunId(now: string, randomBytes: (count: number) => Uint8Array): RunId {
  const [day = "", time = ""] = now.split("T");
  const digits = (part: string): string => part.replaceAll(/[^0-9]/g, "");
  const tail = [...randomBytes(4)].map((byte) => (byte % 36).toString(36)).join("");
  return `${digits(day)}-${digits(time).slice(0, 9)}-${tail}`;
}
