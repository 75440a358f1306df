import { join, dirname, resolve } from "node:path";
import { type EntryGlance, readFromIndex } from "../objects/git-index.ts";
import { type GitFolder, startGit } from "../process/git.ts";
import { type Conversation, createConversation, createRuleConversation } from "../process/git-conversation.ts";
import { joinFields, inTree } from "../process/git-path.ts";
import { gitFolders } from "../process/working-trees.ts";
import { repositorySettings, type RepositorySetting } from "./repository-settings.ts";
import { personalFolder } from "./content-filters.ts";
import { homeFolder } from "../process/git-environment.ts";

/** Content filter of each path, as named by attributes. Paths without a filter are omitted. */
export type FilterAttributes = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const ATTRIBUTES = ".gitattributes";
const PLACES = { name: ATTRIBUTES, shared: "attributes", personal: "attributes", setting: "core.attributesfile" };
/** With this setting, attributes come from a git tree, which may be another one at the next scan. */
const FROM_A_TREE = "attr.tree";

const CHECK_ATTR = ["check-attr", "-z", "--stdin", "filter"];

/** Creates a lookup that asks one git process until an attribute changes. */
export function createFilterAttributes(folder: GitFolder): FilterAttributes {
  const talk = createRuleConversation(() => createConversation("check-attr", () => startGit(folder, CHECK_ATTR)));
  const given = sameWhileEqual();
  return async (paths) => {
    if (paths.length === 0) return new Map();
    const settings = await repositorySettings(folder.top, folder.env);
    const files = ruleFiles(folder, PLACES, { paths, settings });
    const ask = (conversation: Conversation): Promise<ReadonlyMap<string, string>> =>
      conversation.ask(joinFields(paths), async (answers) => {
        const filters = new Map<string, string>();
        for (const path of paths) {
          await answers.field();
          await answers.field(); // name of the attribute
          const value = (await answers.field()).toString("utf8");
          if (!["unspecified", "unset", "set"].includes(value)) filters.set(path, value);
        }
        return filters;
      });
    const staged = settings.some(({ key }) => key === FROM_A_TREE) ? null : stagedAttributes(folder);
    return talk({ files, given: given(settings, staged), ask });
  };
}

/** Returns the same object while both arguments stay the same. If `staged` is null, it is always a new object. */
function sameWhileEqual() {
  let last: { readonly settings: unknown; readonly staged: string | null } | null = null;
  return (settings: unknown, staged: string | null): unknown => {
    const isSame = last !== null && last.settings === settings && last.staged === staged && staged !== null;
    if (!isSame) last = { settings, staged };
    return last;
  };
}

/**
 * Lists the staged attribute files, which apply if the working tree has none. Returns null if only git can read the
 * index.
 */
function stagedAttributes({ top }: GitFolder): string | null {
  const folders = gitFolders(top);
  const isOfAttributes = ({ name }: EntryGlance): boolean => name === ATTRIBUTES || name.endsWith(`/${ATTRIBUTES}`);
  const staged = folders && readFromIndex(join(folders.own, "index"), isOfAttributes)?.entries;
  return staged?.map(({ name, id, stage }) => `${name} ${id} ${stage}`).join("\n") ?? null;
}

/** Locations of the rules of one kind. */
type RulePlaces = {
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
