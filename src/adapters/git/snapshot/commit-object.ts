import { repositoryStore } from "./repository-store.ts";
import type { Git, GitFolder } from "../process/git.ts";
import { must } from "../process/git.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../process/ref-name.ts";
import type { RepositorySetting } from "../read/repository-settings.ts";

export type CommitObject = { readonly tree: string; readonly parents: readonly string[]; readonly message: string };

/**
 * Reads a commit object.
 * @throws ProblemError GIT_FAILED if there is no such commit.
 */
export async function readCommit(repository: GitFolder, id: string): Promise<CommitObject> {
  const object = await repositoryStore(repository).objects.read(id);
  if (object?.type !== "commit") throw gitFailed("cat-file", `there is no commit ${id}`);
  const text = object.content.toString("utf8");
  const end = text.indexOf("\n\n");
  const fields = text.slice(0, end === -1 ? text.length : end).split("\n");
  const valuesOf = (name: string): string[] =>
    fields.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
  const [tree] = valuesOf("tree");
  if (tree === undefined || !isObjectId(tree)) throw gitFailed("cat-file", `${id} is not a commit`);
  return { tree, parents: valuesOf("parent"), message: end === -1 ? "" : text.slice(end + 2) };
}

/**
 * Returns the attempt in the last `Isdlc-Attempt` line of a commit; null without such a line. Text before that line is
 * not trusted.
 */
export const attemptIn = ({ message }: CommitObject): string | null =>
  [...message.matchAll(/^Isdlc-Attempt: (.+)$/gm)].at(-1)?.[1] ?? null;

const MAX_COMMITS = 20;

/**
 * Lists short id and subject of commits in `to` but not in `from`, newest first. Returns none if `from` is not an
 * ancestor of `to`.
 */
export async function commitsBetween(git: Git, from: string | null, to: string): Promise<string[]> {
  if (!isObjectId(to) || (from !== null && !isObjectId(from))) return [];
  if (from !== null && (await git(["merge-base", "--is-ancestor", from, to])).status !== 0) return [];
  const range = from === null ? to : `${from}..${to}`;
  const output = await must(git(["log", "-z", `--max-count=${MAX_COMMITS}`, "--format=%h %s", range]), "log");
  return output
    .toString("utf8")
    .split("\0")
    .filter((line) => line !== "");
}

/** `Name <address>` of the author and of the committer. */
type CommitIdentity = { readonly author: string; readonly committer: string };

/** Variables that override the identity from the settings. */
const TOLD = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"];

/** Matches names and emails that git stores unchanged. */
const PLAIN = /^[^\p{Cc}\s<>.,:;"\\'\ufffd](?:[^\p{Cc}<>\ufffd]*[^\p{Cc}\s<>.,:;"\\'\ufffd])?$/u;

/**
 * Returns the identity of a commit, if the settings alone determine it. Returns null if only git should compose it:
 * with overriding variables, or a missing or unusual name.
 */
export function commitIdentity(settings: readonly RepositorySetting[], env: NodeJS.ProcessEnv): CommitIdentity | null {
  if (TOLD.some((name) => env[name] !== undefined)) return null;
  const last = (key: string): string | null => settings.findLast((setting) => setting.key === key)?.value ?? null;
  const [author, committer] = ["author", "committer"].map((role) => {
    const [name, email] = ["name", "email"].map((part) => last(`${role}.${part}`) ?? last(`user.${part}`) ?? "");
    return [name, email].every((value) => PLAIN.test(value ?? "")) ? `${name} <${email}>` : null;
  });
  return author && committer ? { author, committer } : null;
}

/** Formats the time of a commit: seconds, in UTC to be the same on every machine. */
export const commitTime = (at: string): string => `${Math.floor(Date.parse(at) / 1000)} +0000`;
