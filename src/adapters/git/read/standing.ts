import { createHash } from "node:crypto";
import { join } from "node:path";
import type { RepositoryStanding } from "../../../schema/facts.ts";
import { nodeFiles, readSmall } from "../../file-system/file-system.ts";
import { unavailable } from "../process/run-git.ts";
import { type GitFolders, gitFolders } from "./working-trees.ts";
import { branchTip, factsOf } from "./git-read.ts";
import type { Repository } from "./repository.ts";

/** Where HEAD, the run's branch, its base and the settings of git stand. */
export async function standingOf(
  repository: Repository,
  branch: string | null,
  base: string | null,
): Promise<RepositoryStanding> {
  const here = await factsOf(repository);
  const folders = gitFolders(repository.top);
  if (folders === null) throw unavailable("the git folder of this working tree cannot be read");
  const at = here.branch === null ? here.head : `refs/heads/${here.branch}`;
  return {
    at: at ?? "nothing",
    tip: branch === null ? here.head : await branchTip(repository, branch),
    base: base === null ? null : await branchTip(repository, base),
    settings: settingsIn(folders),
  };
}

const FILE_LIMIT = 1024 * 1024;
const MOST_HOOKS = 100;

/** The files that steer git, by the name a person knows them by. */
function settingsIn({ own, common }: GitFolders): Record<string, string> {
  const hooks = quietly(() => nodeFiles.readdirSync(join(common, "hooks"))) ?? [];
  const files: readonly (readonly [name: string, path: string])[] = [
    [".git/config", join(common, "config")],
    [".git/config.worktree", join(own, "config.worktree")],
    [".git/info/attributes", join(common, "info", "attributes")],
    [".git/info/exclude", join(common, "info", "exclude")],
    [".git/info/grafts", join(common, "info", "grafts")],
    [".git/info/sparse-checkout", join(own, "info", "sparse-checkout")],
    [".git/objects/info/alternates", join(common, "objects", "info", "alternates")],
    ...hooks
      .filter((name) => !name.endsWith(".sample"))
      .toSorted()
      .slice(0, MOST_HOOKS)
      .map((name) => [`.git/hooks/${name}`, join(common, "hooks", name)] as const),
  ];
  return Object.fromEntries(
    files.flatMap(([name, path]) => {
      const digest = digestOf(path, name === ".git/config");
      return digest === null ? [] : [[name, digest]];
    }),
  );
}

/** Null where there is no such file. What cannot be read has a digest too, so that it becoming so is seen. */
function digestOf(path: string, isConfig: boolean): string | null {
  const found = quietly(() => nodeFiles.lstatSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return null;
  const bytes = quietly(() => readSmall(nodeFiles, path, FILE_LIMIT));
  if (bytes === null) return `unreadable ${found?.size ?? ""} ${found?.mtimeMs ?? ""}`.trim();
  const content = isConfig ? withoutTracking(bytes.toString("latin1")) : bytes;
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

const TRACKING = /^\[branch "[^"\\\n]*"\]\n(?:\t(?:remote|merge) = [\w./-]+\n)*(?=\[|(?![^]))/gm;

/** What `git push -u` writes says where a branch goes, and steers nothing here. */
const withoutTracking = (text: string): string => text.replaceAll(TRACKING, "");

function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null; // no permission, a link, too large
  }
}
