import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, realpathSync, rmdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod/mini";
import { ProblemError } from "../../../core/problem.ts";
import { type FileSystem, readSmall, removeFile, replaceFile } from "../../files/file-system.ts";
import { addTo, type FileEdit, isIn, isPartlyIn, removeFrom } from "./edit-text.ts";

/** File of an integration, with its edit. */
export type FileChange = { readonly file: string; readonly edit: FileEdit };

export type InstallOutcome = { readonly file: string; readonly did: "written" | "unchanged" | "restored" | "removed" };

/** Status of a file: complete, present but different from this version, or absent. */
export type InstalledFile = { readonly file: string; readonly is: "installed" | "changed" | "absent" };

const Backup = z.object({ original: z.nullable(z.string()), written: z.string() });
const Backups = z.record(z.string(), Backup);
type Backups = z.infer<typeof Backups>;

const MAX_INSTALLED_FILE_BYTES = 4 * 1024 * 1024;

/** Adds integrations to files of agent products, and removes them again, byte for byte. */
export function createInstalledFiles(stateFolder: string, files: FileSystem) {
  const store = join(stateFolder, "installed.json");
  const backups = (): Backups => parseBackups(readSmall(files, store, MAX_INSTALLED_FILE_BYTES));
  const keep = (all: Backups): void => replaceFile(files, store, Buffer.from(`${JSON.stringify(all)}\n`));
  return {
    install: (changes: readonly FileChange[]): InstallOutcome[] =>
      changes.map((change) => {
        const file = target(change.file);
        const text = readText(files, file);
        const next = required(file, addTo(text, change.edit));
        if (next === text || next === null) return { file, did: "unchanged" };
        keep({
          ...backups(),
          [file]: { original: findOriginal(file, { text, change, known: backups()[file] }), written: digest(next) },
        });
        write(files, file, next);
        return { file, did: "written" };
      }),
    /** Starts with the last file: inner folders are empty before outer ones are tried. */
    uninstall: (changes: readonly FileChange[]): InstallOutcome[] =>
      changes.toReversed().map((change) => {
        const file = target(change.file);
        const text = readText(files, file);
        if (text === null) return { file, did: "unchanged" };
        const { [file]: known, ...others } = backups();
        const isOurs = known !== undefined && digest(text) === known.written;
        const next = isOurs ? known.original : required(file, removeFrom(text, change.edit));
        keep(others);
        if (next === text) return { file, did: "unchanged" };
        if (next === null) removeWhole(files, file);
        else write(files, file, next);
        return { file, did: isOurs ? "restored" : "removed" };
      }),
    inspect: (changes: readonly FileChange[]): InstalledFile[] =>
      changes.map(({ file, edit }) => {
        const text = readText(files, target(file));
        return { file, is: isIn(text, edit) ? "installed" : isPartlyIn(text, edit) ? "changed" : "absent" };
      }),
  };
}

type Before = {
  readonly text: string | null;
  readonly change: FileChange;
  readonly known: z.infer<typeof Backup> | undefined;
};

/** Returns the original text: the backup, unless the file was changed since. */
function findOriginal(file: string, { text, change, known }: Before): string | null {
  if (text === null) return null;
  if (known !== undefined && digest(text) === known.written) return known.original;
  return isPartlyIn(text, change.edit) ? required(file, removeFrom(text, change.edit)) : text;
}

/** Follows links: users may keep such files in their own repository, and that file is written. */
function target(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file; // does not exist yet
  }
}

function write(files: FileSystem, file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  replaceFile(files, file, Buffer.from(text));
  if (mode !== undefined) chmodSync(file, mode & 0o777);
}

/** Folders that an integration creates, within each other: `.gemini/extensions/isdlc/commands/isdlc`. */
const CREATED_FOLDER =
  /^(?:isdlc|commands|skills|plugin|hooks|extensions|opencode|\.claude|\.codex|\.gemini|\.opencode)$/;

/** Removes a file, and folders of integrations around it that are then empty. */
function removeWhole(files: FileSystem, file: string): void {
  removeFile(files, file);
  let folder = dirname(file);
  try {
    for (; CREATED_FOLDER.test(basename(folder)); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    return; // it contains other files
  }
}

const readText = (files: FileSystem, file: string): string | null =>
  readSmall(files, file, MAX_INSTALLED_FILE_BYTES)?.toString("utf8") ?? null;

function required(file: string, edited: ReturnType<typeof addTo>): string | null {
  if (edited.ok) return edited.text;
  throw new ProblemError({ code: "SETTINGS_UNREADABLE", file, detail: edited.detail });
}

function parseBackups(bytes: Buffer | null): Backups {
  try {
    return Backups.parse(JSON.parse(bytes?.toString("utf8") ?? "{}"));
  } catch {
    return {}; // backups are lost: uninstall then removes single entries
  }
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");
