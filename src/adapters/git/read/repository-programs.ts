import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { homeFolder } from "../process/git-environment.ts";
import { isUnder } from "../process/git-path.ts";
import { unavailable } from "../process/run-git.ts";
import { gitFolders, workingTrees } from "../process/working-trees.ts";
import { repositorySettings, type RepositorySetting } from "./repository-settings.ts";
import type { GitProgram } from "../../../ports/vcs.ts";
import { readBounded } from "../../files/file-system.ts";

/** Settings that make git start a program, read further settings, or look for programs elsewhere. */
const STARTS =
  /^(?:core\.(?:fsmonitor|hookspath|sshcommand|editor|pager|askpass|alternaterefscommand|gitproxy|attributesfile|worktree)|diff\.external|diff\..*\.(?:textconv|command)|(?:diff|merge|gui)tool\..*|filter\..*\.(?:clean|smudge|process)|merge\..*\.driver|alias\..*|credential\..*|gpg\..*program|gpg\.program|gpg\.ssh\.defaultkeycommand|hook\..*\.command|gc\.recentobjectshook|include\.path|includeif\..*|sequence\.editor|interactive\.difffilter|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|vcs)|submodule\..*\.update|tar\..*\.command|sendemail\..*cmd|web\.browser|browser\..*|man\..*|pager\..*|trailer\..*\.(?:command|cmd))$/;

/** Settings that choose the key of signatures. They start nothing, but need the same approval. */
const CHOOSES_KEY = /^(?:user\.signingkey|gpg\.format)$/;

/** The part of `STARTS` used by a commit, a merge, a switch or a push. */
const COMES_BY =
  /^(?:core\.(?:fsmonitor|hookspath|sshcommand|askpass|alternaterefscommand|gitproxy)|filter\.|merge\..*\.driver$|credential\.|gpg\.|hook\.|gc\.|uploadpack\.|remote\.)/;

/** True for settings of a repository that apply only after a user approved them. */
export const isForApproval = (key: string): boolean => STARTS.test(key) || CHOOSES_KEY.test(key);

export type StartingSetting = GitProgram & {
  readonly file: string;
  readonly key: string;
  readonly isComeBy: boolean;
};

export type RepositoryPrograms = {
  /** Settings in files that an agent could write: files of the repository, and any inside a working tree. */
  readonly settings: readonly StartingSetting[];
  /** Settings by the user or administrator for all repositories, by key, in order. */
  readonly own: ReadonlyMap<string, readonly string[]>;
  /** Folder of the hooks, and the folder without the repository's own settings. */
  readonly hooks: HooksFolder;
  readonly usualHooks: HooksFolder;
};

export type HooksFolder = {
  readonly folder: string;
  /** Empty for a folder that no agent could write to. */
  readonly written: readonly RepositoryHook[];
};

export type RepositoryHook = GitProgram & { readonly hook: string; readonly file: string };

/**
 * Lists everything that git starts because of the repository around a working tree.
 * @throws ProblemError GIT_UNAVAILABLE if its git folder is unreadable.
 */
export async function repositoryPrograms(root: string, env: NodeJS.ProcessEnv): Promise<RepositoryPrograms> {
  const places = programPlaces(root);
  const listed = await repositorySettings(root, env);
  const isOwn = ({ scope, file }: RepositorySetting): boolean => OWN_SCOPES.has(scope) && !places.isWritten(file);
  const own = new Map<string, string[]>();
  for (const { key, value } of listed.filter(isOwn)) own.set(key, [...(own.get(key) ?? []), value]);
  const settings = listed.filter((setting) => !isOwn(setting) && isForApproval(setting.key));
  const folderOf = (named: string | undefined): HooksFolder => {
    const folder = named === undefined ? join(places.common, "hooks") : resolve(root, fromHome(named, env));
    return { folder, written: places.isWritten(folder) ? hooksIn(folder, places) : [] };
  };
  return {
    settings: bySource(settings, places),
    own,
    hooks: folderOf(listed.findLast(({ key }) => key === "core.hookspath")?.value),
    usualHooks: folderOf(own.get("core.hookspath")?.at(-1)),
  };
}

type Places = {
  readonly root: string;
  readonly common: string;
  /** True if an agent could write there. */
  readonly isWritten: (path: string) => boolean;
  /** Name known to users: `.git/config`, `.husky/pre-commit`. */
  readonly nameOf: (path: string) => string;
};

function programPlaces(root: string): Places {
  const folders = gitFolders(root);
  if (folders === null) throw unavailable("the git folder of this working tree cannot be read");
  const gitPlaces = [folders.own, folders.common];
  const written = [...workingTrees(root), ...gitPlaces];
  return {
    root,
    common: folders.common,
    isWritten: (path) => written.some((place) => isUnder(path, place)),
    nameOf(path) {
      const git = gitPlaces.find((place) => isUnder(path, place));
      if (git !== undefined) return `.git/${relative(git, path)}`;
      return isUnder(path, root) ? relative(root, path) : path;
    },
  };
}

/** Returns one entry for each file and key, for any number of values. */
function bySource(settings: readonly RepositorySetting[], { nameOf }: Places): StartingSetting[] {
  const found = new Map<string, { file: string; key: string; values: string[] }>();
  for (const { file, key, value } of settings) {
    const name = `${nameOf(file)}: ${key}`;
    found.set(name, { file, key, values: [...(found.get(name)?.values ?? []), value] });
  }
  return [...found].map(([name, { file, key, values }]) => ({
    name,
    file,
    digest: digest(values.join("\0")),
    key,
    isComeBy: COMES_BY.test(key) || CHOOSES_KEY.test(key),
  }));
}

const OWN_SCOPES = new Set(["system", "global"]);

const fromHome = (path: string, env: NodeJS.ProcessEnv): string =>
  path.startsWith("~/") ? join(homeFolder(env), path.slice(2)) : path;

/**
 * Lists hooks with their digests. Scripts call each other: in a folder of the working tree, each digest includes all
 * files of this folder and of the folder above, unless that is the top.
 */
function hooksIn(folder: string, { root, nameOf }: Places): RepositoryHook[] {
  const isInTree = isUnder(folder, root) && !isUnder(folder, join(root, ".git"));
  const above = isInTree && dirname(folder) !== root ? [dirname(folder)] : [];
  const beside = isInTree ? [folder, ...above].flatMap((place) => filesIn(place).map(digestOfFile)) : [];
  return executablesIn(folder).map((file) => ({
    name: nameOf(file),
    digest: digest([digestOfFile(file), ...beside].join("\n")),
    hook: basename(file),
    file,
  }));
}

/** Lists the files that git would run in a folder of hooks. */
export const executablesIn = (folder: string): readonly string[] =>
  filesIn(folder, (name) => !name.endsWith(".sample")).filter(isExecutable);

function filesIn(folder: string, isWanted: (name: string) => boolean = () => true): readonly string[] {
  try {
    return readdirSync(folder)
      .filter(isWanted)
      .sort()
      .map((name) => join(folder, name))
      .filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile() === true);
  } catch {
    return []; // no such folder
  }
}

const MAX_PROGRAM_BYTES = 16 * 1024 * 1024;

/** Returns the digest of a file. A larger file is represented by its size and ctime, which cannot be set back. */
function digestOfFile(file: string): string {
  try {
    const { size, ctimeMs } = statSync(file);
    return size > MAX_PROGRAM_BYTES ? `${file} ${size} ${ctimeMs}` : digest(readBounded(file, MAX_PROGRAM_BYTES));
  } catch {
    return "unreadable";
  }
}

export const isExecutable = (path: string): boolean =>
  ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o111) !== 0;

export const digest = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 32);
