import { lstatSync, readdirSync, statSync, type Dirent } from "node:fs";
import { join, resolve } from "node:path";
import { FILLED_BY_US, ownPath } from "../../../core/own-folder.ts";
import { type Git, hardenedGit, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, splitFields, encodePath, inTree } from "../process/git-path.ts";
import { readFromIndex } from "../objects/git-index.ts";
import { gitFolders } from "../process/working-trees.ts";
import { digest, isExecutable, isForApproval, repositoryPrograms } from "./repository-programs.ts";
import type { GitProgram } from "../../../ports/vcs.ts";
import { SUBMODULE } from "../objects/tree-entries.ts";
import { readBounded } from "../../files/file-system.ts";

/** Source of a program started by git: a setting in a file, or a hook, which has no key. */
export type StartedProgram = GitProgram & { readonly file: string; readonly key: string | null };

/**
 * Lists the programs that git would start by itself in a working tree and in the repositories inside it. For inner
 * repositories their files are read: git does not run in a folder with unknown settings. `documents` are searched in
 * every place.
 */
export async function startedPrograms(
  root: string,
  env: NodeJS.ProcessEnv,
  documents: readonly string[] = [],
): Promise<readonly StartedProgram[]> {
  const { settings, hooks } = await repositoryPrograms(root, env);
  const own = [...settings, ...hooks.written.map((hook) => ({ ...hook, key: null }))].map(
    ({ name, digest: found, file, key }) => ({ name, digest: found, file, key }),
  );
  const inner = (await innerRepositories({ root, env, documents })).flatMap((path) => {
    const folder = innerGit(join(root, path));
    return folder === null ? [] : startedIn(`${path}/.git`, folder);
  });
  return [...own, ...inner];
}

/** Lists the programs used by commits, merges and switches in the repository itself. */
export async function programsOfChanges(root: string, env: NodeJS.ProcessEnv): Promise<readonly GitProgram[]> {
  const { settings, hooks } = await repositoryPrograms(root, env);
  return [...settings.filter(({ isComeBy }) => isComeBy), ...hooks.written].map(({ name, digest: found }) => ({
    name,
    digest: found,
  }));
}

type ProgramSearch = { readonly root: string; readonly env: NodeJS.ProcessEnv; readonly documents: readonly string[] };

/** Lists submodules, and repositories unknown to git. */
async function innerRepositories({ root, env, documents }: ProgramSearch): Promise<readonly string[]> {
  const git = hardenedGit(root, env);
  const links = submodulesOfIndex(root) ?? (await submodulesByGit(git));
  const loose = repositoriesBelow(root, documents) ?? (await looseByGit(git, documents));
  return [...new Set([...links, ...loose])];
}

async function looseByGit(git: Git, documents: readonly string[]): Promise<readonly string[]> {
  const patterns = [...FILLED_BY_US.map((name) => `/${ownPath(name)}/*`), ...documents.map((path) => `!/${path}`)];
  const args = ["ls-files", "--others", "-z", ...patterns.map((pattern) => `--exclude=${pattern}`)];
  const others = await must(git(args, { timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return splitFields(others)
    .map((field) => decodePath(field))
    .flatMap((path) => (path.endsWith("/") ? [path.slice(0, -1)] : []));
}

function submodulesOfIndex(root: string): readonly string[] | null {
  const folders = gitFolders(root);
  const links = folders && readFromIndex(join(folders.own, "index"), ({ isSubmodule }) => isSubmodule)?.entries;
  return links?.map(({ name }) => decodePath(Buffer.from(name, "latin1"))) ?? null;
}

async function submodulesByGit(git: Git): Promise<readonly string[]> {
  const staged = await must(git(["ls-files", "--stage", "-z"], { timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return splitFields(staged)
    .map((field) => decodePath(field))
    .flatMap((line) => (line.startsWith(`${SUBMODULE} `) ? [line.slice(line.indexOf("\t") + 1)] : []));
}

/** Returns the git folder of an inner repository: `.git`, or the folder named in the `.git` file. */
function innerGit(path: string): string | null {
  const place = join(path, ".git");
  const facts = lstatSync(place, { throwIfNoEntry: false });
  if (facts?.isFile() !== true) return facts === undefined ? null : place;
  const pointer = /^gitdir: (.*)$/m.exec(readText(place))?.[1];
  return pointer === undefined ? null : resolve(path, pointer.trim());
}

function startedIn(name: string, folder: string): readonly StartedProgram[] {
  const settings = ["config", "config.worktree"].flatMap((config) => {
    const file = join(folder, config);
    return settingsIn(readText(file))
      .filter(([key]) => isForApproval(key))
      .map(([key, value]) => ({ name: `${name}/${config}: ${key}`, digest: digest(value), file, key }));
  });
  const hooks = namesIn(join(folder, "hooks")).flatMap((hook) => {
    const file = join(folder, "hooks", hook);
    if (hook.endsWith(".sample") || !isExecutable(file)) return [];
    return [{ name: `${name}/hooks/${hook}`, digest: digest(readText(file)), file, key: null }];
  });
  return [...settings, ...hooks];
}

/** Parses `[section "sub"] key = value` as `section.sub.key`. Imprecise, but misses no setting. */
function settingsIn(text: string): readonly (readonly [key: string, value: string])[] {
  const found: (readonly [string, string])[] = [];
  let section = "";
  for (const line of text.split("\n")) {
    const header = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line);
    if (header !== null) section = [header[1]?.toLowerCase(), header[2]].filter((part) => part !== undefined).join(".");
    const [, key, value = ""] =
      /^\s*([A-Za-z][\w-]*)\s*(?:=(.*))?$/.exec(header === null ? line : (header[3] ?? "")) ?? [];
    if (key !== undefined) found.push([`${section}.${key.toLowerCase()}`, value.trim()]);
  }
  return found;
}

const MAX_PROGRAM_FILE_BYTES = 1024 * 1024;

function readText(path: string): string {
  try {
    const found = statSync(path);
    if (!found.isFile()) return ""; // reading a pipe would wait forever
    return found.size > MAX_PROGRAM_FILE_BYTES
      ? `(${MAX_PROGRAM_FILE_BYTES} bytes and more)`
      : readBounded(path, MAX_PROGRAM_FILE_BYTES).toString("utf8");
  } catch {
    return ""; // missing or no permission: git could not read it either
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Git itself lists more entries faster. */
const MAX_PROGRAM_ENTRIES = 5_000;

/**
 * Lists folders inside a working tree with a `.git` of any kind, at any depth: never fewer than git treats as
 * repositories. Folders filled by isdlc are skipped, because they grow with every run; `documents` are searched
 * anyway. Returns null if the tree has more than `MAX_PROGRAM_ENTRIES` entries.
 */
export function repositoriesBelow(top: string, documents: readonly string[] = []): readonly string[] | null {
  const found: string[] = [];
  const left: Buffer[] = [Buffer.alloc(0), ...documents.map(encodePath)];
  let count = 0;
  for (let folder = left.pop(); folder !== undefined; folder = left.pop()) {
    const entries = entriesIn(inTree(top, folder));
    count += entries.length;
    if (count > MAX_PROGRAM_ENTRIES) return null;
    for (const entry of entries) {
      const path = folder.length === 0 ? entry.name : Buffer.concat([folder, SLASH, entry.name]);
      const isGit = entry.name.toString("latin1") === ".git";
      if (isGit && folder.length > 0) found.push(decodePath(folder));
      if (!isGit && entry.isDirectory() && !FILLED.has(path.toString("latin1"))) left.push(path);
    }
  }
  return found.sort();
}

const FILLED: ReadonlySet<string> = new Set(FILLED_BY_US.map((name) => ownPath(name)));
const SLASH = Buffer.from("/");

function entriesIn(folder: Buffer): Dirent<Buffer>[] {
  try {
    return readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
  } catch {
    return []; // deleted in the meantime, or no permission: git could not read it either
  }
}
