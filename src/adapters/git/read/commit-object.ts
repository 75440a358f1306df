import { repositoryStore } from "../objects/repository-store.ts";
import type { Git, GitFolder } from "../process/git.ts";
import { must } from "../process/git.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId } from "../snapshot/ref-name.ts";

export type CommitObject = { readonly tree: string; readonly parents: readonly string[]; readonly message: string };

/** A commit as it is stored. @throws ProblemError GIT_FAILED where there is no such commit. */
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

/** The attempt that a commit says it belongs to; null where it says none. The text before may say what it likes. */
export const attemptIn = ({ message }: CommitObject): string | null =>
  [...message.matchAll(/^Isdlc-Attempt: (.+)$/gm)].at(-1)?.[1] ?? null;

const MAX_COMMITS = 20;

/** Id and subject of the commits that `to` has and `from` has not, newest first; none where `from` is lost. */
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
