import { dirname, join, resolve } from "node:path";
import { personalFolder } from "../process/content-filters.ts";
import { type Git, type GitFolder, must, startGit, wholeTreeTimeoutMs } from "../process/git.ts";
import { createConversation } from "../process/git-conversation.ts";
import { homeOf } from "../process/git-environment.ts";
import { decodePath, inTree, joinFields, splitFields } from "../process/git-path.ts";
import { createRuleConversation } from "../process/rule-conversation.ts";
import { gitFolders } from "../read/git-head.ts";
import { type RepositorySetting, repositorySettings } from "../read/repository-settings.ts";

export type IgnoreRule = { readonly source: string; readonly pattern: string };

/** The last rule that is about each of the paths, whether it ignores or not; none for those without. */
export type IgnoreRules = (paths: readonly string[]) => Promise<ReadonlyMap<string, IgnoreRule>>;

const CHECK_IGNORE = ["check-ignore", "--verbose", "--non-matching", "-z", "--stdin", "--no-index"];

/** Git is asked, in one process for as long as no rule changes. */
export function createIgnoreRules(folder: GitFolder): IgnoreRules {
  const talk = createRuleConversation(() => createConversation("check-ignore", () => startGit(folder, CHECK_IGNORE)));
  return async (paths) => {
    if (paths.length === 0) return new Map();
    const settings = await repositorySettings(folder.top, folder.env);
    const files = [...filesForAll(folder, settings), ...filesBeside(folder, paths)];
    return talk({
      files,
      given: settings,
      ask: (conversation) =>
        conversation.ask(joinFields(paths), async (answers) => {
          const rules = new Map<string, IgnoreRule>();
          for (const asked of paths) {
            const source = decodePath(await answers.field());
            await answers.field(); // the number of its line
            const pattern = decodePath(await answers.field());
            await answers.field();
            if (source !== "") rules.set(asked, { source, pattern });
          }
          return rules;
        }),
    });
  };
}

/** Those of the paths that git is told to ignore. */
export async function ignoredOf(rules: IgnoreRules, paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = [...(await rules(paths))].filter(([, { pattern }]) => !pattern.startsWith("!"));
  return new Set(found.map(([path]) => path));
}

/** Everything that git is told to ignore; a folder that is ignored as a whole ends in a slash. */
export async function ignoredPaths(git: Git): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  return splitFields(await must(git(args, { timeoutMs: wholeTreeTimeoutMs }), "ls-files")).map(decodePath);
}

function filesForAll({ top, env }: GitFolder, settings: readonly RepositorySetting[]): string[] {
  const named = settings.findLast(({ key }) => key === "core.excludesfile")?.value;
  const personal = named === undefined ? join(personalFolder(env), "ignore") : named.replace(/^~(?=\/)/, homeOf(env));
  return [join(gitFolders(top)?.common ?? join(top, ".git"), "info", "exclude"), resolve(top, personal)];
}

/** In the folder of each path and in every one above it; of a folder also in itself. */
function filesBeside({ top }: GitFolder, paths: readonly string[]): Buffer[] {
  const folders = new Set(["."]);
  for (const path of paths) for (let at = dirname(`${path}.`); !folders.has(at); at = dirname(at)) folders.add(at);
  return [...folders].map((at) => inTree(top, join(at, ".gitignore")));
}
