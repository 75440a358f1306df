import { dirname, join, resolve } from "node:path";
import { personalFolder } from "../process/content-filters.ts";
import type { GitFolder } from "../process/git.ts";
import { homeFolder } from "../process/git-environment.ts";
import { inTree } from "../process/git-path.ts";
import { gitFolders } from "./working-trees.ts";
import type { RepositorySetting } from "./repository-settings.ts";

/** Locations of the rules of one kind. */
export type RulePlaces = {
  /** File name in folders of the working tree. */
  readonly name: string;
  /** File name in the repository's `info` folder. */
  readonly shared: string;
  /** File name in the user's folder, unless the setting names another file. */
  readonly personal: string;
  readonly setting: string;
};

type RuleSources = { readonly paths: readonly string[]; readonly settings: readonly RepositorySetting[] };

/** Lists every file with rules that could apply to one of the paths; for a folder, also the file inside it. */
export function ruleFiles(
  folder: GitFolder,
  places: RulePlaces,
  { paths, settings }: RuleSources,
): (string | Buffer)[] {
  const { top, env } = folder;
  const named = settings.findLast(({ key }) => key === places.setting)?.value;
  const personal =
    named === undefined ? join(personalFolder(env), places.personal) : named.replace(/^~(?=\/)/, homeFolder(env));
  const folders = new Set(["."]);
  for (const path of paths) for (let at = dirname(`${path}.`); !folders.has(at); at = dirname(at)) folders.add(at);
  return [
    join(gitFolders(top)?.common ?? join(top, ".git"), "info", places.shared),
    resolve(top, personal),
    ...[...folders].map((at) => inTree(top, join(at, places.name))),
  ];
}
