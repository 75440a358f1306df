import { accessSync, constants, type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import { type EntryGlance, readFromIndex } from "../objects/git-index.ts";
import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, type RawPath, rawInTree, splitFields } from "../process/git-path.ts";
import { type IgnoreRule, type IgnoreRules, ignoredPaths } from "./ignored.ts";
import { SUBMODULE } from "../objects/tree-entries.ts";

export type IgnoreContext = {
  readonly top: string;
  /** Git with the user's index and ignore rules. */
  readonly git: Git;
  readonly gitDir: string;
  readonly ignores: IgnoreRules;
  /** Start of the run in milliseconds. Older files are the user's own and are not reported. */
  readonly since: number;
};

/** Further files are not checked, which is reported. */
const MAX_WALKED_FILES = 500_000;
/** Maximum number of names in a line. */
const MAX_NAMED_PATHS = 20;

/**
 * Reports everything that hides files from git: repositories and folders called `.git` inside the tree and ignore
 * rules, both since the start of the run; marks in the index; and unreadable files. Snapshots do not contain the
 * hidden files.
 */
export async function hiddenThings(hiding: IgnoreContext): Promise<string[]> {
  const ignored = await ignoredPaths(hiding.git);
  const sources = await hiding.ignores(ignored);
  // Ignored as a whole, but not by a rule from outside: the rule is in the folder.
  const isOpaque = (path: string): boolean =>
    path.endsWith("/") && (sources.get(path)?.source ?? path).startsWith(path);
  const opaque = ignored.filter(isOpaque);
  const entries = marksIn(hiding.gitDir) ?? (await marksByGit(hiding.git));
  const known = new Set(ignored.filter((path) => !opaque.includes(path)));
  const found = walk(hiding, { ignored: known, submodules: entries.submodules });
  const below = listFiles(found);
  const all = new Map([...sources, ...(await hiding.ignores(below))]);
  return [
    ...found.repositories.map((path) => `${path}/ contains a .git folder: its files are neither shown nor committed`),
    ...newRules(found.rules, all),
    ...found.unreadable.map((path) => `${path} cannot be read: it is committed as it was before`),
    ...(found.isWhole
      ? []
      : [`There are more than ${MAX_WALKED_FILES} files: not all were checked for hidden content`]),
    ...(entries.marked.length === 0 ? [] : [`Marked so that git does not look at them: ${named(entries.marked)}`]),
  ];
}

const named = (paths: readonly string[]): string =>
  `${paths.slice(0, MAX_NAMED_PATHS).join(", ")}${paths.length > MAX_NAMED_PATHS ? ` and ${paths.length - MAX_NAMED_PATHS} more` : ""}`;

/** Entries that git skips because of a mark, and submodules. */
type Marks = { readonly marked: readonly string[]; readonly submodules: ReadonlySet<string> };

function marksIn(gitDir: string): Marks | null {
  const isMarked = ({ isAssumed, isSkipped }: EntryGlance): boolean => isAssumed || isSkipped;
  const index = readFromIndex(join(gitDir, "index"), (entry) => isMarked(entry) || entry.isSubmodule);
  if (index === null) return null;
  const pathOf = ({ name }: EntryGlance): string => decodePath(Buffer.from(name, "latin1"));
  return {
    marked: index.entries.filter(isMarked).map(pathOf),
    submodules: new Set(index.entries.filter(({ isSubmodule }) => isSubmodule).map(pathOf)),
  };
}

async function marksByGit(git: Git): Promise<Marks> {
  const fields = splitFields(
    await must(git(["ls-files", "-z", "-v", "--stage"], { timeoutMs: wholeTreeTimeoutMs }), "ls-files"),
  );
  const entries = fields.map((field) => {
    const tab = field.indexOf(0x09);
    const [tag = "", mode = ""] = field.toString("latin1", 0, tab).split(" ");
    return { tag, mode, bytes: field.subarray(tab + 1) };
  });
  return {
    marked: entries.filter(({ tag }) => tag === "S" || tag !== tag.toUpperCase()).map(({ bytes }) => decodePath(bytes)),
    submodules: new Set(entries.filter(({ mode }) => mode === SUBMODULE).map(({ bytes }) => decodePath(bytes))),
  };
}

type KnownPaths = {
  readonly ignored: ReadonlySet<string>;
  readonly submodules: ReadonlySet<string>;
};

type WalkedFolder = { readonly path: RawPath; readonly entries: readonly Dirent[] };

type IgnoredFiles = {
  repositories: string[];
  rules: string[];
  unreadable: string[];
  /** Every folder of the scan. */
  folders: WalkedFolder[];
  isWhole: boolean;
};

function walk(hiding: IgnoreContext, known: KnownPaths): IgnoredFiles {
  const found: IgnoredFiles = { repositories: [], rules: [], unreadable: [], folders: [], isWhole: true };
  const left: RawPath[] = [""];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(rawInTree(hiding.top, folder));
    if (entries === null) found.unreadable.push(`${shown(folder)}/`);
    else found.folders.push({ path: folder, entries });
    for (const entry of entries ?? []) {
      if (++count > MAX_WALKED_FILES) return { ...found, isWhole: false };
      const path = below(folder, entry);
      if (isGit(entry)) noteGit(hiding, known, { folder: shown(folder), path, found });
      else if (!entry.isDirectory()) noteFile(hiding, known, { entry, path, found });
      else if (isLookedInto(shown(path), known)) left.push(path);
    }
  }
  return found;
}

const below = (folder: RawPath, { name }: Dirent): RawPath => (folder === "" ? name : `${folder}/${name}`);
const shown = (path: RawPath): string => decodePath(Buffer.from(path, "latin1"));

const isLookedInto = (path: string, { ignored, submodules }: KnownPaths): boolean =>
  path !== OWN_FOLDER && !ignored.has(`${path}/`) && !submodules.has(path);

type GitEntry = { readonly folder: string; readonly path: RawPath; readonly found: IgnoredFiles };

/** Records a new repository inside the tree. The tree's own `.git` at its top does not count. */
function noteGit({ top, since }: IgnoreContext, { submodules }: KnownPaths, { folder, path, found }: GitEntry): void {
  if (folder !== "" && !submodules.has(folder) && isSince(rawInTree(top, path), since)) found.repositories.push(folder);
}

type FileEntry = { readonly entry: Dirent; readonly path: RawPath; readonly found: IgnoredFiles };

function noteFile({ top, since }: IgnoreContext, { ignored }: KnownPaths, { entry, path, found }: FileEntry): void {
  const place = rawInTree(top, path);
  if (entry.name === RULES && isSince(place, since)) found.rules.push(shown(path));
  if (entry.isFile() && !isReadable(place) && !ignored.has(shown(path))) found.unreadable.push(shown(path));
}

const RULES = ".gitignore";
const isGit = ({ name }: Dirent): boolean => name.length === 4 && name.toLowerCase() === ".git";

function entriesIn(folder: string | Buffer): Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: "latin1" });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? [] : null;
  }
}

function isSince(file: string | Buffer, since: number): boolean {
  try {
    return lstatSync(file).ctimeMs >= since;
  } catch {
    return false; // deleted in the meantime
  }
}

function isReadable(file: string | Buffer): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT"; // deleted in the meantime
  }
}

/** Lists the files in and under folders with new rules. */
function listFiles({ rules, folders }: IgnoredFiles): string[] {
  const ruled = rules.map((rule) => rule.slice(0, -RULES.length));
  const inside = folders.filter(({ path }) => ruled.some((folder) => `${shown(path)}/`.startsWith(folder)));
  return inside.flatMap(({ path, entries }) =>
    entries.filter((entry) => !entry.isDirectory() && !isGit(entry)).map((entry) => shown(below(path, entry))),
  );
}

/** Reports the paths hidden by rules in files written since the start of the run. */
function newRules(files: readonly string[], rules: ReadonlyMap<string, IgnoreRule>): string[] {
  const hidden = new Map<string, string[]>();
  for (const [path, { source, pattern }] of rules) {
    if (!files.includes(source)) continue;
    const rule = `${pattern} in ${source}`;
    hidden.set(rule, [...(hidden.get(rule) ?? []), shortened(path)]);
  }
  return [...hidden].map(
    ([rule, paths]) => `The ignore rule ${rule} hides ${named([...new Set(paths)])}: none of it is committed`,
  );
}

/** Folders that tools fill at every run, with an ignore file of their own. */
const TOOL_CACHE = /^(?:.*\/)?(?:\.pytest_cache|\.mypy_cache|\.ruff_cache|\.hypothesis|\.tox|\.nox)\//;

/** Names a tool's cache as a whole: its files change at every run, and the same line is shown in full only once. */
const shortened = (path: string): string => TOOL_CACHE.exec(path)?.[0] ?? path;
