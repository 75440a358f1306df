import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { personalFolder } from "../process/content-filters.ts";
import { homeFolder } from "../process/git-environment.ts";
import { hardenedGit, must } from "../process/git.ts";
import { splitFields } from "../process/git-path.ts";
import { gitFolders } from "./working-trees.ts";

export type RepositorySetting = {
  readonly scope: string;
  readonly file: string;
  readonly key: string;
  readonly value: string;
};

type CachedSettings = {
  /** Files with settings in places that only git knows: some systems have one. */
  readonly others: readonly string[];
  readonly contents: string;
  readonly settings: readonly RepositorySetting[];
};

const remembered = new Map<string, CachedSettings>();

/** Whoever has other files of their own has other settings in the same tree. */
const settingsKey = (root: string, env: NodeJS.ProcessEnv): string =>
  [root, homeFolder(env), personalFolder(env)].join("\0");

/**
 * Every setting that counts in a working tree, in the order in which git reads them, included files too. Git is asked
 * again once any of the files has other content: their times prove nothing, an agent can set them. With an include in
 * one of them it is asked each time, because what that leads to may depend on anything.
 */
export async function repositorySettings(root: string, env: NodeJS.ProcessEnv): Promise<readonly RepositorySetting[]> {
  const known = recalledSettings(root, env);
  if (known !== null) return known;
  const before = readContents(usualFiles(root, env));
  return remember({ root, env, before }, await must(hardenedGit(root, env)(LIST_SETTINGS), "config"));
}

/** The same for a caller that waits for its git. */
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

/** For a working tree that is about to be removed. */
export function forgetSettings(root: string): void {
  for (const place of remembered.keys()) if (place.startsWith(`${root}\0`)) remembered.delete(place);
}

/** What git last said, the same list for as long as it holds; null where git has to be asked. */
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
  /** What the usual files held before git was asked; null where that is not known. */
  readonly before: string | null;
};

/** What git said, kept for as long as it holds. Below the top of a tree it is not known which files that depends on. */
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

/** Where git looks for settings, whether or not there are any. */
function usualFiles(root: string, env: NodeJS.ProcessEnv): readonly string[] {
  const folders = gitFolders(root);
  const own = folders === null ? [] : [join(folders.common, "config"), join(folders.own, "config.worktree")];
  return [...own, join(homeFolder(env), ".gitconfig"), join(personalFolder(env), "config"), "/etc/gitconfig"];
}

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Null where one of them is too large to be compared, or cannot be read. */
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
  return `${file}:\n${readFileSync(file, "latin1")}`;
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

/** Section and name know no case; what is between them does. */
function lowered(key: string): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  return `${key.slice(0, first).toLowerCase()}${key.slice(first, last)}${key.slice(last).toLowerCase()}`;
}
