import { createHash } from "node:crypto";
import { join } from "node:path";
import type { RepositoryStanding } from "../../../schema/facts.ts";
import { nodeFiles, readSmall } from "../../files/file-system.ts";
import { personalFolder } from "./content-filters.ts";
import { homeFolder } from "../process/git-environment.ts";
import { unavailable } from "../process/run-git.ts";
import { type GitFolders, gitFolders } from "../process/working-trees.ts";
import { branchTip, readRepositoryFacts } from "./git-read.ts";
import type { Repository } from "./repository.ts";

/** Reads the positions of HEAD, the run's branch and its base, and the settings of git. */
export async function readStanding(
  repository: Repository,
  branch: string | null,
  base: string | null,
): Promise<RepositoryStanding> {
  const here = await readRepositoryFacts(repository);
  const folders = gitFolders(repository.top);
  if (folders === null) throw unavailable("the git folder of this working tree cannot be read");
  const at = here.branch === null ? here.head : `refs/heads/${here.branch}`;
  return {
    at: at ?? "nothing",
    tip: branch === null ? here.head : await branchTip(repository, branch),
    base: base === null ? null : await branchTip(repository, base),
    settings: settingsIn(folders, { env: repository.env, refs: [branch, base] }),
  };
}

const MAX_HASHED_BYTES = 1024 * 1024;
const MAX_HOOKS = 100;

type RepositoryContext = { readonly env: NodeJS.ProcessEnv; readonly refs: readonly (string | null)[] };

/** Returns digests of the files that control git, by the names known to users. */
function settingsIn({ own, common }: GitFolders, { env, refs }: RepositoryContext): Record<string, string> {
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
      .slice(0, MAX_HOOKS)
      .map((name) => [`.git/hooks/${name}`, join(common, "hooks", name)] as const),
    ...ambiguousNames(own).map((name) => [`.git/${name}`, join(own, name)] as const),
    ...refs
      .filter((name) => name !== null && isSymbolic(join(common, "refs/heads", name)))
      .map((name) => [`.git/refs/heads/${name}`, join(common, "refs/heads", name ?? "")] as const),
    ...personalSettings(env),
  ];
  return Object.fromEntries(
    files.flatMap(([name, path]) => {
      const digest = digestFile(path, name === ".git/config");
      return digest === null ? [] : [[name, digest]];
    }),
  );
}

/** Lists the user's settings for all repositories: they name programs that git runs, in commits of isdlc as well. */
function personalSettings(env: NodeJS.ProcessEnv): (readonly [name: string, path: string])[] {
  const folder = personalFolder(env);
  return [
    ["~/.gitconfig", join(homeFolder(env), ".gitconfig")],
    ...["config", "attributes", "ignore"].map((name) => [`~/.config/git/${name}`, join(folder, name)] as const),
  ];
}

const MAX_AMBIGUOUS_NAMES = 100;
const MAX_REF_BYTES = 300;

/**
 * Lists files next to HEAD that git takes for refs before branches and tags: `.git/main` wins over `refs/heads/main`.
 * Files written by git itself are in capitals.
 */
function ambiguousNames(own: string): string[] {
  const names = quietly(() => nodeFiles.readdirSync(own)) ?? [];
  return names
    .filter((name) => /[a-z]/.test(name) && !GIT_FILES.has(name) && isRef(join(own, name)))
    .toSorted()
    .slice(0, MAX_AMBIGUOUS_NAMES);
}

/** Files with one line, like refs. Worktrees and shallow clones have them, too. */
const GIT_FILES = new Set(["commondir", "gitdir", "shallow", "packed-refs"]);

const isRef = (path: string): boolean => /^(?:ref: |[0-9a-f]{40,64}\s*$)/.test(smallText(path));
const isSymbolic = (path: string): boolean => smallText(path).startsWith("ref: ");
const smallText = (path: string): string =>
  quietly(() => readSmall(nodeFiles, path, MAX_REF_BYTES))?.toString("latin1") ?? "";

/** Returns null if there is no such file. An unreadable file has a digest too, to detect the change. */
function digestFile(path: string, isConfig: boolean): string | null {
  const found = quietly(() => nodeFiles.lstatSync(path, { throwIfNoEntry: false }));
  if (found === undefined) return null;
  const bytes = quietly(() => readSmall(nodeFiles, path, MAX_HASHED_BYTES));
  if (bytes === null) return `unreadable ${found?.size ?? ""} ${found?.mtimeMs ?? ""}`.trim();
  const content = isConfig ? withoutTracking(bytes.toString("latin1")) : bytes;
  return createHash("sha256").update(content).digest("hex").slice(0, 16);
}

const TRACKING = /^\[branch "[^"\\\n]*"\]\n(?:\t(?:remote|merge) = [\w./-]+\n)*(?=\[|(?![^]))/gm;

/** Removes the upstream settings written by `git push -u`. They have no effect here. */
const withoutTracking = (text: string): string => text.replaceAll(TRACKING, "");

function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null; // no permission, a link, too large
  }
}
