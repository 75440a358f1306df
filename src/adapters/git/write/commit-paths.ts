import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { CommitRequest } from "../../../ports/vcs.ts";
import { hardenedGit, must, personalGit } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, joinFields, splitFields } from "../process/git-path.ts";
import { factsOf } from "../read/git-read.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";
import { inTemporaryFolder } from "../process/temporary-folder.ts";
import { changedFiles, copyIndex, stage } from "../snapshot/temporary-index.ts";

/** How many commits back a commit of the same attempt is looked for. */
const probeDepth = 200;

/**
 * Commits the given files and folders through an index of its own: what else the person has staged is not in the
 * commit and stays staged, and a git that is killed while a hook runs leaves no lock behind.
 */
export async function commitPaths(repository: Repository, request: CommitRequest): Promise<string | null> {
  const message = messageOf(request);
  const git = hardenedGit(repository.top);
  const person = personalGit(repository.top);
  const { head } = await factsOf(repository);
  const done = head !== null && head !== request.since ? await findCommit(git, request.attempt) : null;
  if (done !== null) {
    await refreshEntries(git, { person, commit: done, paths: await untouchedSince(git, done) });
    return done;
  }
  await refuseUnfinished(repository);
  const isCommitted = await inTemporaryFolder(async (folder) => {
    const environment = await copyIndex(repository, folder);
    await must(person(["read-tree", ...(head ? ["--reset", head] : ["--empty"])], { environment }), "read-tree");
    const changed = (await changedFiles(person, environment)).filter((path) => !path.endsWith("/"));
    const paths = changed.filter(isWithin(request.paths));
    const staged = await stage(person, { environment, top: repository.top, paths });
    if (staged.count === 0) return false;
    const args = ["commit", "--quiet", "--cleanup=whitespace", "--file=-"];
    await must(person(args, { environment, input: Buffer.from(message) }), "commit");
    return true;
  });
  if (!isCommitted) return null;
  const made = (await factsOf(repository)).head;
  if (made === null) throw gitFailed("commit", "HEAD is not at a commit afterwards");
  await resetEntries(person, await filesOf(git, made));
  return made;
}

function messageOf({ message, attempt, journal }: CommitRequest): string {
  if ([attempt, journal].some((value) => value.trim() === "" || /\p{Cc}/u.test(value))) {
    throw gitFailed("commit", "a trailer is empty or holds control characters");
  }
  return `${message.trimEnd()}\n\nIsdlc-Attempt: ${attempt.trim()}\nIsdlc-Journal: ${journal.trim()}\n`;
}

async function findCommit(git: Git, attempt: string): Promise<string | null> {
  const format = "--format=%H%n%(trailers:key=Isdlc-Attempt,valueonly=true)";
  const output = await must(git(["log", "-z", `--max-count=${probeDepth}`, format, "HEAD"]), "log");
  for (const field of splitFields(output)) {
    const [commit = "", ...values] = field.toString("utf8").split("\n");
    if (values.includes(attempt.trim())) return commit;
  }
  return null;
}

/** With one of these under way, a commit would become part of it. */
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

function isWithin(paths: readonly string[]): (path: string) => boolean {
  const chosen = new Set(paths.map((path) => path.replace(/\/+$/, "")));
  return (path) => {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      if (chosen.has(path.slice(0, end))) return true;
    }
    return false;
  };
}

async function filesOf(git: Git, commit: string): Promise<string[]> {
  const args = ["diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--no-renames", commit];
  return splitFields(await must(git(args), "diff-tree")).map(decodePath);
}

/** Files of the commit that the index still has as they were before it: what a crash right after the commit leaves. */
async function untouchedSince(git: Git, commit: string): Promise<string[]> {
  const parent = await git(["rev-parse", "--verify", "--quiet", `${commit}^1`]);
  if (parent.status !== 0) return [];
  const before = parent.stdout.toString("latin1").trim();
  const args = ["diff-index", "-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff", before];
  const staged = new Set(splitFields(await must(git(args), "diff-index")).map(decodePath));
  return (await filesOf(git, commit)).filter((path) => !staged.has(path));
}

type Refresh = { readonly person: Git; readonly commit: string; readonly paths: readonly string[] };

/** Brings the person's index up to the commit for these files, unless later commits changed them again. */
async function refreshEntries(git: Git, { person, commit, paths }: Refresh): Promise<void> {
  if (paths.length === 0) return;
  const later = await must(git(["diff-tree", "-r", "-z", "--name-only", "--no-renames", commit, "HEAD"]), "diff-tree");
  const changedLater = new Set(splitFields(later).map(decodePath));
  await resetEntries(
    person,
    paths.filter((path) => !changedLater.has(path)),
  );
}

/** Has the person's index hold these files as HEAD does. */
async function resetEntries(person: Git, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const input = joinFields(paths);
  const args = ["--literal-pathspecs", "reset", "--quiet", "--pathspec-from-file=-", "--pathspec-file-nul", "HEAD"];
  await must(person(args, { input }), "reset");
}
