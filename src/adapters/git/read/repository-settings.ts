import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { personalFolder } from "../process/content-filters.ts";
import { homeOf } from "../process/git-environment.ts";
import { hardenedGit, must } from "../process/git.ts";
import { splitFields } from "../process/git-path.ts";
import { gitFolders } from "./working-trees.ts";

export type RepositorySetting = {
  readonly scope: string;
  readonly file: string;
  readonly key: string;
  readonly value: string;
};

type Remembered = {
  /** Files with settings in places that only git knows: some systems have one. */
  readonly others: readonly string[];
  readonly contents: string;
  readonly settings: readonly RepositorySetting[];
};

const remembered = new Map<string, Remembered>();

/**
 * Every setting that counts in a working tree, in the order in which git reads them, included files too. Git is asked
 * again once any of the files has other content: their times prove nothing, an agent can set them. With an include in
 * one of them it is asked each time, because what that leads to may depend on anything.
 */
export async function repositorySettings(root: string, env: NodeJS.ProcessEnv): Promise<readonly RepositorySetting[]> {
  const known = remembered.get(root);
  const usual = usualFiles(root, env);
  if (known !== undefined && known.contents === contentsOf([...usual, ...known.others])) return known.settings;
  remembered.delete(root);
  const before = contentsOf(usual);
  const settings = await listSettings(root, env);
  const isStable = before !== null && before === contentsOf(usual) && !settings.some(isInclude);
  const others = [...new Set(settings.map(({ file }) => file))].filter((file) => !usual.includes(file));
  const contents = contentsOf([...usual, ...others]);
  if (isStable && contents !== null) remembered.set(root, { others, contents, settings });
  return settings;
}

const isInclude = ({ key }: RepositorySetting): boolean => /^include(?:if)?\./.test(key);

/** Where git looks for settings, whether or not there are any. */
function usualFiles(root: string, env: NodeJS.ProcessEnv): readonly string[] {
  const folders = gitFolders(root);
  const own = folders === null ? [] : [join(folders.common, "config"), join(folders.own, "config.worktree")];
  return [...own, join(homeOf(env), ".gitconfig"), join(personalFolder(env), "config"), "/etc/gitconfig"];
}

const LARGEST_BYTES = 1024 * 1024;

/** Null where one of them is too large to be compared, or cannot be read. */
function contentsOf(files: readonly string[]): string | null {
  try {
    return files.map(contentOf).join("\0");
  } catch {
    return null;
  }
}

function contentOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return `${file}: none`;
  if (!found.isFile() || found.size > LARGEST_BYTES) throw new Error(`${file} is not compared`);
  return `${file}:\n${readFileSync(file, "latin1")}`;
}

async function listSettings(root: string, env: NodeJS.ProcessEnv): Promise<readonly RepositorySetting[]> {
  const args = ["config", "--list", "--show-scope", "--show-origin", "--includes", "-z"];
  const fields = splitFields(await must(hardenedGit(root, env)(args), "config")).map((field) => field.toString("utf8"));
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
