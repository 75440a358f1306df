import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { CommitRequest, CommitResult } from "../../../ports/vcs.ts";
import { repositoryStore } from "../snapshot/repository-store.ts";
import { treeDifferences } from "../objects/tree-differences.ts";
import { hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../read/personal-git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, joinFields, splitFields } from "../process/git-path.ts";
import { attemptIn, readCommit } from "../snapshot/commit-object.ts";
import { branchTip, readRepositoryFacts, refTarget } from "../read/git-read.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import { isObjectId, requireBranchName, snapshotRef } from "../process/ref-name.ts";
import { copyIndex } from "../snapshot/temporary-index.ts";
import { isPlainCommit, makePlainCommit } from "./plain-commit.ts";
import { changesBetween } from "../snapshot/tree-diff.ts";

type CommitContext = CommitRequest & { readonly repository: Repository; readonly git: Git; readonly person: Git };

/**
 * Commits exactly one tree through a separate index: nothing is taken from the working tree or from staged changes,
 * and a git killed during a hook leaves no lock behind. The result of hooks is compared with the tree.
 */
export async function commitTree(repository: Repository, request: CommitRequest): Promise<CommitResult> {
  const { branch, parent, tree } = request;
  if (branch !== null) requireBranchName(branch, "commit");
  if (!isObjectId(tree) || (parent !== null && !isObjectId(parent))) throw gitFailed("commit", "no tree to commit");
  const message = commitMessage(request);
  const git = hardenedGit(repository.top, repository.env);
  const committing = { ...request, repository, git, person: personalGit(repository.top, repository) };
  const tip = await readTip(committing);
  if (tip !== parent) return (await isOurs(committing, tip)) ? again(committing, tip) : { is: "moved" };
  if (parent !== null && (await readCommit(repository, parent)).tree === tree) return { is: "done", commit: null };
  const ready = await acceptKept(committing);
  if (ready !== null) return { is: "done", commit: ready };
  const here = await readRepositoryFacts(repository);
  if (branch !== null && here.branch !== branch) return { is: "moved" };
  await refuseUnfinished(repository);
  await make(committing, message);
  return judge(committing, await readTip(committing));
}

/** Returns the tip of the run's branch, or HEAD if the run has no branch. Null before the first commit. */
async function readTip({ repository, branch }: CommitContext): Promise<string | null> {
  const here = await readRepositoryFacts(repository);
  if (branch === null || here.branch === branch) return here.head;
  return branchTip(repository, branch);
}

/** Returns true for a commit of this attempt made before a crash, with the expected parent and exactly this tree. */
async function isOurs({ repository, attempt, parent, tree }: CommitContext, tip: string | null): Promise<boolean> {
  if (tip === null) return false;
  const found = await readCommit(repository, tip);
  const follows = found.parents.length === (parent === null ? 0 : 1) && found.parents[0] === (parent ?? undefined);
  return follows && found.tree === tree && attemptIn(found) === attempt.trim();
}

async function again(committing: CommitContext, tip: string | null): Promise<CommitResult> {
  const { repository, person } = committing;
  if (tip === null) return { is: "moved" };
  await resetEntries(person, await untouchedSince(repository, tip));
  return { is: "done", commit: tip };
}

/** Uses the saved commit with the changes of hooks, if the approver accepted exactly its tree. */
async function acceptKept(committing: CommitContext): Promise<string | null> {
  const { git, person, repository, branch, parent, tree } = committing;
  const ref = keptRef(committing);
  const kept = await refTarget(repository, ref);
  if (kept === null || parent === null || !(await isOurs(committing, kept))) return null;
  const to = branch === null ? "HEAD" : `refs/heads/${branch}`;
  const args = ["update-ref", "-m", "commit: accepted", "--end-of-options", to, kept, parent];
  if ((await git(args)).status !== 0) return null;
  await resetEntries(person, await listFiles(repository, kept));
  return (await readCommit(repository, kept)).tree === tree ? kept : null;
}

const keptRef = ({ keep: { run, name } }: CommitContext): string => snapshotRef(run, name);

async function make({ repository, person, parent, tree }: CommitContext, message: string): Promise<void> {
  if (await isPlainCommit(repository)) return makePlainCommit(repository, { person, parent, tree, message });
  await inTemporaryFolder(async (folder) => {
    const environment = await copyIndex(repository, folder);
    await must(person(["read-tree", "--reset", tree], { environment }), "read-tree");
    const args = ["commit", "--quiet", "--cleanup=whitespace", "--file=-"];
    await must(person(args, { environment, input: Buffer.from(message) }), "commit");
  });
}

/**
 * Checks branch, parent and tree of the new commit. Undoes any other commit; if only the tree differs, the commit is
 * first saved under a ref.
 */
async function judge(committing: CommitContext, made: string | null): Promise<CommitResult> {
  const { git, person, repository, tree } = committing;
  if (made === null || !(await isInPlace(committing, made))) {
    await takeBackFromHead(committing);
    return { is: "moved" };
  }
  const found = await readCommit(repository, made);
  if (found.tree === tree) {
    await resetEntries(person, await listFiles(repository, made));
    return { is: "done", commit: made };
  }
  await must(git(["update-ref", "--end-of-options", keptRef(committing), made]), "update-ref");
  await takeBack(committing, made);
  return {
    is: "changed",
    tree: found.tree,
    changes: (await changesBetween(git, { from: tree, to: found.tree })) ?? [],
  };
}

async function isInPlace({ repository, branch, parent, attempt }: CommitContext, made: string): Promise<boolean> {
  const here = await readRepositoryFacts(repository);
  if (here.head !== made || (branch !== null && here.branch !== branch)) return false;
  const found = await readCommit(repository, made);
  return (found.parents[0] ?? null) === parent && attemptIn(found) === attempt.trim();
}

/** Undoes the commit at HEAD, on any branch. */
async function takeBackFromHead(committing: CommitContext): Promise<void> {
  const { head } = await readRepositoryFacts(committing.repository);
  if (head !== null && head !== committing.parent) await takeBack(committing, head);
}

/** Undoes only a commit with this attempt's trailer, and only while HEAD is at it. */
async function takeBack({ git, repository, attempt }: CommitContext, made: string): Promise<void> {
  const found = await readCommit(repository, made);
  const [before] = found.parents;
  if (attemptIn(found) !== attempt.trim() || before === undefined) return;
  await must(git(["update-ref", "-m", "commit: taken back", "HEAD", before, made]), "update-ref");
}

function commitMessage({ message, attempt, journal }: CommitRequest): string {
  if ([attempt, journal].some((value) => value.trim() === "" || /\p{Cc}/u.test(value))) {
    throw gitFailed("commit", "a trailer is empty or holds control characters");
  }
  return `${message.trimEnd()}\n\nIsdlc-Attempt: ${attempt.trim()}\nIsdlc-Journal: ${journal.trim()}\n`;
}

/** Operations in progress that a commit would become part of. */
const unfinished = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

async function refuseUnfinished({ gitDir }: Repository): Promise<void> {
  for (const name of unfinished) {
    const isThere = await lstat(join(gitDir, name)).then(
      () => true,
      () => false,
    );
    if (isThere) throw gitFailed("commit", `a merge, rebase or pick is not finished (${name})`);
  }
}

/** Lists the files that differ between a commit and its parent. */
async function listFiles(repository: Repository, commit: string): Promise<string[]> {
  const { tree, parents } = await readCommit(repository, commit);
  const differences = await treeDifferences(repositoryStore(repository).objects, parents[0] ?? null, tree);
  return differences.map(({ path }) => path);
}

/**
 * Lists the files of the commit that are unchanged from its parent in the index, as after a crash right after the
 * commit.
 */
async function untouchedSince(repository: Repository, commit: string): Promise<string[]> {
  const [before] = (await readCommit(repository, commit)).parents;
  if (before === undefined) return [];
  const args = ["diff-index", "-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff", before];
  const output = await must(hardenedGit(repository.top, repository.env)(args), "diff-index");
  const staged = new Set(splitFields(output).map(decodePath));
  return (await listFiles(repository, commit)).filter((path) => !staged.has(path));
}

/** Resets these files to HEAD in the user's index. */
async function resetEntries(person: Git, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = joinFields(paths);
  const args = ["--literal-pathspecs", "reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul", "HEAD"];
  await must(person(args, { input }), "reset");
}
