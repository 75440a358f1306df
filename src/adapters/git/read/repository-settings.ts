import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { personalFolder } from "./content-filters.ts";
import { homeFolder } from "../process/git-environment.ts";
import { hardenedGit, must } from "../process/git.ts";
import { splitFields } from "../process/git-path.ts";
import { gitFolders } from "../process/working-trees.ts";
import { readBounded } from "../../files/file-system.ts";

export type RepositorySetting = {
  readonly scope: string;
  readonly file: string;
  readonly key: string;
  readonly value: string;
};

type CachedSettings = {
  /** Settings files in places known only to git. Some systems have one. */
  readonly others: readonly string[];
  readonly contents: string;
  readonly settings: readonly RepositorySetting[];
};

const remembered = new Map<string, CachedSettings>();

/** Callers with another home or configuration folder have other settings in the same working tree. */
const settingsKey = (root: string, env: NodeJS.ProcessEnv): string =>
  [root, homeFolder(env), personalFolder(env)].join("\0");

/**
 * Reads every setting that applies in a working tree, in git's order, with included files. Asks git again if the
 * content of any file changed: file times prove nothing, because an agent can set them. If a file has an include, it
 * asks git each time, because an include may depend on anything.
 */
export async function repositorySettings(root: string, env: NodeJS.ProcessEnv): Promise<readonly RepositorySetting[]> {
  const known = recalledSettings(root, env);
  if (known !== null) return known;
  const before = readContents(usualFiles(root, env));
  return remember({ root, env, before }, await must(hardenedGit(root, env)(LIST_SETTINGS), "config"));
}

/** Like `repositorySettings`, for a synchronous caller. */
export function readRepositorySettings(
  root: string,
  env: NodeJS.ProcessEnv,
  ask: (args: readonly string[]) => Buffer,
): readonly RepositorySetting[] {
  const known = recalledSettings(root, env);
  if (known !== null) return known;
  const before = readContents(usualFiles(root, env));
  return remember({ root, env, before }, ask(LIST_SETTINGS));
}

/** Drops the cached settings of a working tree that is about to be removed. */
export function forgetSettings(root: string): void {
  for (const place of remembered.keys()) if (place.startsWith(`${root}\0`)) remembered.delete(place);
}

/** Returns git's last answer, the same array while it is valid; null if only git can answer. */
export function recalledSettings(root: string, env: NodeJS.ProcessEnv): readonly RepositorySetting[] | null {
  const place = settingsKey(root, env);
  const known = remembered.get(place);
  const isSame = known !== undefined && known.contents === readContents([...usualFiles(root, env), ...known.others]);
  if (!isSame) remembered.delete(place);
  return isSame ? known.settings : null;
}

type SettingsQuery = {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  /** Content of the usual files before the call of git; null if unknown. */
  readonly before: string | null;
};

/**
 * Caches git's answer while it is valid. Answers for a subfolder of a working tree are not cached, because the files
 * behind them are unknown.
 */
function remember({ root, env, before }: SettingsQuery, output: Buffer): readonly RepositorySetting[] {
  const usual = usualFiles(root, env);
  const settings = settingsIn(root, output);
  const isStable = before !== null && before === readContents(usual) && !settings.some(isInclude);
  const others = [...new Set(settings.map(({ file }) => file))].filter((file) => !usual.includes(file));
  const contents = readContents([...usual, ...others]);
  if (isStable && contents !== null && gitFolders(root) !== null)
    remembered.set(settingsKey(root, env), { others, contents, settings });
  return settings;
}

const isInclude = ({ key }: RepositorySetting): boolean => /^include(?:if)?\./.test(key);

/** Lists the files where git looks for settings. They may not exist. */
function usualFiles(root: string, env: NodeJS.ProcessEnv): readonly string[] {
  const folders = gitFolders(root);
  const own = folders === null ? [] : [join(folders.common, "config"), join(folders.own, "config.worktree")];
  return [...own, join(homeFolder(env), ".gitconfig"), join(personalFolder(env), "config"), "/etc/gitconfig"];
}

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Returns null if a file is unreadable or too large to compare. */
function readContents(files: readonly string[]): string | null {
  try {
    return files.map(readContent).join("\0");
  } catch {
    return null;
  }
}

function readContent(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return `${file}: none`;
  if (!found.isFile() || found.size > MAX_SETTINGS_BYTES) throw new Error(`${file} is not compared`);
  return `${file}:\n${readBounded(file, MAX_SETTINGS_BYTES).toString("latin1")}`;
}

const LIST_SETTINGS = ["config", "--list", "--show-scope", "--show-origin", "--includes", "-z"];

function settingsIn(root: string, output: Buffer): readonly RepositorySetting[] {
  const fields = splitFields(output).map((field) => field.toString("utf8"));
  const found: RepositorySetting[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope = "", origin = "", setting = ""] = fields.slice(at, at + 3);
    const [key = "", ...value] = setting.split("\n");
    const file = resolve(root, origin.replace(/^file:/, ""));
    if (scope !== OF_THIS_CALL) found.push({ scope, file, key: lowered(key), value: value.join("\n") });
  }
  return found;
}

const OF_THIS_CALL = "command";

/** Lowercases section and name, which ignore case. The subsection in between is case-sensitive. */
function lowered(key: string): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return `${key.slice(0, first).toLowerCase()}${key.slice(first, last)}${key.slice(last).toLowerCase()}`;
}

type Owner = { readonly home: string; readonly env: NodeJS.ProcessEnv };

/** Reads a setting from the user's own git files; null if it is not set. Repositories cannot influence it. */
export async function globalGitSetting(name: string, { home, env }: Owner): Promise<string | null> {
  try {
    const found = await hardenedGit(home, { ...env, HOME: home })(["config", "--global", "--get", name]);
    return found.status === 0 ? found.stdout.toString("utf8").trim() : null;
  } catch {
    return null; // no git, no setting
  }
}
