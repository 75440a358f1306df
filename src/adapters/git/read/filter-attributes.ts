import { join } from "node:path";
import { type EntryGlance, readFromIndex } from "../objects/git-index.ts";
import { type GitFolder, startGit } from "../process/git.ts";
import { type Conversation, createConversation } from "../process/git-conversation.ts";
import { joinFields } from "../process/git-path.ts";
import { createRuleConversation } from "../process/rule-conversation.ts";
import { gitFolders } from "./working-trees.ts";
import { repositorySettings } from "./repository-settings.ts";
import { ruleFiles } from "./rule-files.ts";

/** The content filter that attributes name for each of the paths; none for those without. */
export type FilterAttributes = (paths: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const ATTRIBUTES = ".gitattributes";
const PLACES = { name: ATTRIBUTES, shared: "attributes", personal: "attributes", setting: "core.attributesfile" };
/** With it attributes come from a tree, which may be another one by the next look. */
const FROM_A_TREE = "attr.tree";

const CHECK_ATTR = ["check-attr", "-z", "--stdin", "filter"];

/** Git is asked, in one process for as long as no attribute changes. */
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
          await answers.field(); // the name of the attribute
          const value = (await answers.field()).toString("utf8");
          if (!["unspecified", "unset", "set"].includes(value)) filters.set(path, value);
        }
        return filters;
      });
    const staged = settings.some(({ key }) => key === FROM_A_TREE) ? null : stagedAttributes(folder);
    return talk({ files, given: given(settings, staged), ask });
  };
}

/** One and the same value for as long as both are the same. */
function sameWhileEqual() {
  let last: { readonly settings: unknown; readonly staged: string | null } | null = null;
  return (settings: unknown, staged: string | null): unknown => {
    const isSame = last !== null && last.settings === settings && last.staged === staged && staged !== null;
    if (!isSame) last = { settings, staged };
    return last;
  };
}

/** Where the tree has no file of attributes, the one that is staged counts. Null where only git can read the index. */
function stagedAttributes({ top }: GitFolder): string | null {
  const folders = gitFolders(top);
  const isOfAttributes = ({ name }: EntryGlance): boolean => name === ATTRIBUTES || name.endsWith(`/${ATTRIBUTES}`);
  const staged = folders && readFromIndex(join(folders.own, "index"), isOfAttributes)?.entries;
  return staged?.map(({ name, id, stage }) => `${name} ${id} ${stage}`).join("\n") ?? null;
}
