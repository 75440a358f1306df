import { dirname, join, resolve } from "node:path";
import { personalFolder } from "../process/content-filters.ts";
import type { GitFolder } from "../process/git.ts";
import { homeFolder } from "../process/git-environment.ts";
import { inTree } from "../process/git-path.ts";
import { gitFolders } from "./working-trees.ts";
import type { RepositorySetting } from "./repository-settings.ts";

/** Where rules of one kind are written down. */
export type RulePlaces = {
  /** In folders of the tree. */
  readonly name: string;
  /** In the folder `info` of the repository. */
  readonly shared: string;
  /** In the folder of the person, unless the setting names another file. */
  readonly personal: string;
  readonly setting: string;
};

type RuleSources = { readonly paths: readonly string[]; readonly settings: readonly RepositorySetting[] };

/** Every file with rules that could be about one of the paths; of a folder also the one in itself. */
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
