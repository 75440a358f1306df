import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { decide } from "../../core/decide.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import { ensureFolder, type FileSystem, nodeFiles } from "../../adapters/file-system/file-system.ts";
import { readHolder } from "../../adapters/file-lock/file-lock.ts";
import type { LockLocation } from "../../adapters/file-lock/lock-files.ts";
import { systemLockProcesses } from "../../adapters/file-lock/lock-processes.ts";
import { createFileJournal } from "../../adapters/journal-file/create-file-journal.ts";
import { createJournalReader, type JournalReader } from "../../adapters/journal-file/create-journal-reader.ts";
import { createFileAnchors } from "../../adapters/user-files/anchors.ts";
import { type UserFolders, userFolders } from "../../adapters/user-files/user-folders.ts";
import { loadUserKey, sealWith } from "../../adapters/user-files/user-key.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Head, LocalJournal } from "../../ports/journal.ts";
import { isSafeName, RUN_ID, type RunId } from "../../schema/ids.ts";
import { version } from "./main/version.ts";

/** One working tree, and this person's things that belong to it. */
export type Project = {
  readonly root: string;
  /** Folder of the item whose analysis this is about; null for the run of the working tree. */
  readonly item: string | null;
  /** Folder of the journal and the files beside it. */
  readonly own: string;
  readonly files: FileSystem;
  readonly folders: UserFolders;
  readonly journal: LocalJournal;
  readonly env: NodeJS.ProcessEnv;
};

/** A working tree that is only looked at. */
export type SeenProject = Pick<Project, "root" | "item" | "own" | "files" | "env">;

/** Set by the build; changes with everything that the state of a run is folded with. */
declare const ISDLC_STATE_VERSION: string | undefined;

export const systemClock: Clock = { now: () => new Date().toISOString(), monotonic: () => performance.now() };

/** The working tree around a directory: the top of its repository, else the nearest `.isdlc`, else the directory itself. */
export function openProject(cwd: string, env: NodeJS.ProcessEnv, files: FileSystem = nodeFiles): Project {
  const place = findProject(cwd, env, files);
  return { ...place, item: null, journal: openJournal(place, place.root) };
}

/** The same for a look at its newest run: without what only writers need, so that it is fast. */
export function seeProject(cwd: string, env: NodeJS.ProcessEnv): { project: SeenProject; current: Current } {
  const place = findProject(cwd, env);
  const reader: JournalReader = createJournalReader(journalOptions(place, place.root));
  return { project: { ...place, item: null }, current: reader.current() ?? nothing };
}

/** The same without its runs. */
export function findProject(cwd: string, env: NodeJS.ProcessEnv, files: FileSystem = nodeFiles) {
  const root = findRoot(cwd);
  return { root, own: join(root, ".isdlc"), files, folders: userFolders(env), env };
}

/** The same working tree, for the analysis of one item: a journal of its own, beside the tree's run. */
export function itemProject(project: Project, folder: string): Project {
  if (!isSafeName(folder))
    throw new ProblemError({ code: "UNSAFE_PATH", path: folder, detail: "it is not the name of an item" });
  const { root, files } = project;
  const own = join(root, ".isdlc", "items", folder);
  for (const parent of [join(root, ".isdlc"), join(root, ".isdlc", "items"), own]) ensureFolder(files, parent);
  const place = { ...project, own };
  return { ...place, item: folder, journal: openJournal(place, own) };
}

type ProjectLocation = Pick<Project, "own" | "files" | "folders">;

function openJournal(place: ProjectLocation, anchored: string): LocalJournal {
  return createFileJournal({ ...journalOptions(place, anchored), decide, processes: systemLockProcesses() });
}

/** `anchored`: the folder by which the user's own record of the journal is found. */
const journalOptions = ({ own, files, folders }: ProjectLocation, anchored: string) => ({
  directory: join(own, "journal"),
  files,
  anchors: createFileAnchors(folders.state, anchored, files),
  seal: sealWith(loadUserKey(folders.state, files)),
  clock: systemClock,
  version: typeof ISDLC_STATE_VERSION === "string" ? ISDLC_STATE_VERSION : version,
});

function findRoot(cwd: string): string {
  if (!existsSync(cwd)) throw new ProblemError({ code: "UNSAFE_PATH", path: cwd, detail: "there is no such folder" });
  const start = realpathSync(resolve(cwd));
  return nearestWith(start, ".git") ?? nearestWith(start, ".isdlc") ?? start;
}

function nearestWith(start: string, name: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, name))) return folder;
    if (folder === dirname(folder)) return null;
  }
}

export type Current = { readonly run: RunId | null; readonly state: RunState; readonly head: Head };

const nothing: Current = { run: null, state: { is: "none" }, head: { seq: 0, hash: "" } };

/** The run a verb is about: the named one, or the newest of this working tree. */
export function currentRun(project: Project, named: string | undefined): Current {
  const run = named ?? project.journal.newest();
  if (run === null) return nothing;
  if (!RUN_ID.test(run))
    throw new ProblemError({ code: "USAGE", detail: `"${run}" is no run id.`, usage: "isdlc status --run <id>" });
  const loaded = project.journal.load(run);
  if (named !== undefined && loaded.state.is === "none")
    throw new ProblemError({ code: "USAGE", detail: `There is no run ${run} here.`, usage: "isdlc status --run <id>" });
  return { run, ...loaded };
}

/** Held for the life of the process that drives a run. */
export const driverLock = ({ own, files }: Pick<Project, "own" | "files">): LockLocation => ({
  directory: own,
  name: "driver",
  files,
  processes: systemLockProcesses(),
});

/** The living process that drives a run here; null when there is none. */
export function driverOf(project: Pick<Project, "own" | "files">): number | null {
  if (!existsSync(project.own)) return null;
  return readHolder(driverLock(project))?.pid ?? null;
}
