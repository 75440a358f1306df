import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PreparedCommit, PrepareRequest } from "../../../ports/vcs.ts";
import { hasHooks, personalGit } from "../read/personal-git.ts";
import type { Repository } from "../read/repository.ts";
import { repositorySettings } from "../read/repository-settings.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import { attemptIn, commitIdentity, commitTime, readCommit } from "../snapshot/commit-object.ts";
import { repositoryStore } from "../snapshot/repository-store.ts";
import { copyIndex } from "../snapshot/temporary-index.ts";
import { changesBetween } from "../snapshot/tree-diff.ts";
import { hardenedGit, must } from "../process/git.ts";
import { isObjectId, snapshotRef } from "../process/ref-name.ts";
import { gitFailed } from "../process/run-git.ts";
import { gitFolders } from "../process/working-trees.ts";

type Preparation = PrepareRequest & { readonly repository: Repository; readonly text: string };

/**
 * Creates a commit of exactly this tree under a ref of the run. No branch moves, and the index and HEAD of the user
 * stay unchanged. Without hooks and signing, the same request gives the same id.
 */
export async function prepareCommit(repository: Repository, request: PrepareRequest): Promise<PreparedCommit> {
  const { parent, tree, keep } = request;
  if (!isObjectId(tree) || (parent !== null && !isObjectId(parent))) throw gitFailed("commit", "no tree to commit");
  const preparation = { ...request, repository, text: commitMessage(request) };
  if (parent !== null && (await readCommit(repository, parent)).tree === tree)
    return { commit: null, tree, changes: [] };
  const commit = (await isPlainCommit(repository))
    ? ((await writtenHere(preparation)) ?? (await writtenByGit(preparation)))
    : await committedByGit(preparation);
  await repositoryStore(repository).setRef(snapshotRef(keep.run, keep.name), commit);
  const made = await readCommit(repository, commit);
  if (made.tree === tree) return { commit, tree, changes: [] };
  const git = hardenedGit(repository.top, repository.env);
  return { commit, tree: made.tree, changes: (await changesBetween(git, { from: tree, to: made.tree })) ?? [] };
}

function commitMessage({ message, attempt, journal }: PrepareRequest): string {
  const trailers = [
    `Isdlc-Attempt: ${attempt.trim()}`,
    ...(journal === null ? [] : [`Isdlc-Journal: ${journal.trim()}`]),
  ];
  if ([attempt, journal ?? "-"].some((value) => value.trim() === "" || /\p{Cc}/u.test(value)))
    throw gitFailed("commit", "a trailer is empty or holds control characters");
  return `${message.trimEnd()}\n\n${trailers.join("\n")}\n`;
}

/** Settings that add more to a commit than tree, parent, identities and message. */
const ADDS = /^(?:commit\.gpgsign|i18n\.commitencoding)$/;

/** Returns true if `git commit` would only create the commit: no hook runs, and nothing is signed. */
async function isPlainCommit(repository: Repository): Promise<boolean> {
  const settings = await repositorySettings(repository.top, repository.env);
  return !settings.some(({ key }) => ADDS.test(key)) && !(await hasHooks(repository.top, repository));
}

/**
 * Writes the commit through a long-running git. Returns null if the settings do not clearly identify the committer, or
 * the message contains a NUL.
 */
async function writtenHere({ repository, tree, parent, text, at }: Preparation): Promise<string | null> {
  const identity = commitIdentity(await repositorySettings(repository.top, repository.env), repository.env);
  if (identity === null || text.includes("\0")) return null;
  const { objects, write } = repositoryStore(repository);
  if (!(await objects.has(tree))) throw gitFailed("commit", `the tree ${tree} is gone`);
  const time = commitTime(at);
  const headers = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    `author ${identity.author} ${time}`,
    `committer ${identity.committer} ${time}`,
  ];
  return write.commit(`${headers.join("\n")}\n\n${withoutNeedlessSpace(text)}`);
}

async function writtenByGit({ repository, tree, parent, text, at }: Preparation): Promise<string> {
  const args = ["commit-tree", tree, ...(parent === null ? [] : ["-p", parent]), "-F", "-"];
  const options = { input: Buffer.from(withoutNeedlessSpace(text)), environment: dated(at) };
  const made = await must(personalGit(repository.top, repository)(args, options), "commit-tree");
  return made.toString("latin1").trim();
}

/**
 * Runs `git commit` with hooks and signing, in a temporary git folder with a HEAD and index of its own that shares all
 * objects and settings of the repository. A killed git leaves no trace in the repository.
 */
function committedByGit({ repository, tree, parent, text, at, attempt }: Preparation): Promise<string> {
  const person = personalGit(repository.top, repository);
  return inTemporaryFolder(async (folder) => {
    await writeFile(join(folder, "HEAD"), `${parent ?? "ref: refs/worktree/isdlc"}\n`);
    await writeFile(join(folder, "commondir"), `${gitFolders(repository.top)?.common ?? repository.gitDir}\n`);
    const index = await copyIndex(repository, folder);
    const environment = { ...index, ...dated(at), GIT_DIR: folder, GIT_WORK_TREE: repository.top };
    await must(person(["read-tree", "--reset", tree], { environment }), "read-tree");
    const args = ["commit", "--quiet", "--cleanup=whitespace", "--file=-"];
    await must(person(args, { environment, input: Buffer.from(text) }), "commit");
    const made = await must(person(["rev-parse", "--verify", "HEAD"], { environment }), "rev-parse");
    const commit = made.toString("latin1").trim();
    const found = await readCommit(repository, commit);
    if ((found.parents[0] ?? null) !== parent || found.parents.length > 1 || attemptIn(found) !== attempt.trim())
      throw gitFailed("commit", "hooks of the repository changed the parent or the trailers of the commit");
    return commit;
  });
}

const dated = (at: string): Record<string, string> => ({
  GIT_AUTHOR_DATE: commitTime(at),
  GIT_COMMITTER_DATE: commitTime(at),
});

/**
 * Cleans a message like `--cleanup=whitespace`: no space at the end of lines, at most one empty line in a row, none at
 * either end.
 */
const withoutNeedlessSpace = (message: string): string =>
  `${message
    .replaceAll(/[ \t\r\f\v]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/^\n+|\n+$/g, "")}\n`;
