import { type Git, type GitFolder, must, startGit, wholeTreeTimeoutMs } from "../process/git.ts";
import { type Conversation, createConversation, createRuleConversation } from "../process/git-conversation.ts";
import { decodePath, joinFields, splitFields } from "../process/git-path.ts";
import { repositorySettings } from "../read/repository-settings.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { ruleFiles } from "../read/filter-attributes.ts";

export type IgnoreRule = { readonly source: string; readonly pattern: string };

/** The last rule that matches each path, ignoring or not. Paths without a rule are omitted. */
export type IgnoreRules = (paths: readonly string[]) => Promise<ReadonlyMap<string, IgnoreRule>>;

const PLACES = { name: ".gitignore", shared: "exclude", personal: "ignore", setting: "core.excludesfile" };
const CHECK_IGNORE = ["check-ignore", "--verbose", "--non-matching", "-z", "--stdin", "--no-index"];

/** Creates a lookup that reuses one git process until the rules or settings change. */
export function createIgnoreRules(folder: GitFolder): IgnoreRules {
  const talk = createRuleConversation(() => createConversation("check-ignore", () => startGit(folder, CHECK_IGNORE)));
  return async (paths) => {
    if (paths.length === 0) return new Map();
    const settings = await repositorySettings(folder.top, folder.env);
    const files = ruleFiles(folder, PLACES, { paths, settings });
    return talk({
      files,
      given: settings,
      ask: (conversation) => rulesAbout(conversation, paths),
    });
  };
}

async function rulesAbout(git: Conversation, paths: readonly string[]): Promise<ReadonlyMap<string, IgnoreRule>> {
  return git.ask(joinFields(paths), async (answers) => {
    const rules = new Map<string, IgnoreRule>();
    for (const asked of paths) {
      const source = decodePath(await answers.field());
      await answers.field(); // line number
      const pattern = decodePath(await answers.field());
      await answers.field();
      if (source !== "") rules.set(asked, { source, pattern });
    }
    return rules;
  });
}

/** Creates a lookup with the rules as of the first question, in the environment of a scan. */
export function rulesOfLook(folder: GitFolder, environment: IndexEnvironment): IgnoreRules & { end(): void } {
  const git = createConversation("check-ignore", () => startGit(folder, CHECK_IGNORE, environment));
  const ask = async (paths: readonly string[]) => (paths.length === 0 ? new Map() : rulesAbout(git, paths));
  return Object.assign(ask, { end: () => git.end() });
}

/** Returns the paths that git ignores. */
export async function findIgnored(rules: IgnoreRules, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = [...(await rules(paths))].filter(([, { pattern }]) => !pattern.startsWith("!"));
  return new Set(found.map(([path]) => path));
}

/** Lists everything that git ignores. A folder ignored as a whole ends in a slash. */
export async function ignoredPaths(git: Git): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  return splitFields(await must(git(args, { timeoutMs: wholeTreeTimeoutMs }), "ls-files")).map(decodePath);
}
