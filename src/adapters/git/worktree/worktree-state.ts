import { lstatSync } from "node:fs";
import { join, basename } from "node:path";
import type { UnfinishedWork, Stash, WorktreeState } from "../../../ports/worktrees.ts";
import { allowsNothing } from "../read/personal-git.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { type GitFolders, readPointer } from "../process/working-trees.ts";
import { splitFields } from "../process/git-path.ts";
import { readFacts, readBranchTip } from "../read/git-read.ts";
import { isBranchName } from "../process/ref-name.ts";
import { linkedTree, findMainTree } from "./worktree-location.ts";
import { ignoredIn, walkTree } from "./worktree-files.ts";
import { uncommittedIn } from "../snapshot/worktree-uncommitted.ts";
import { lstat, readdir } from "node:fs/promises";
import { OWN, OWN_FOLDER } from "../../../core/own-folder.ts";
import { nodeFiles } from "../../files/file-system.ts";
import { readHolder } from "../../journal/file-lock.ts";
import { systemLockProcesses } from "../../journal/lock-files.ts";
import { SUBMODULE } from "../objects/tree-entries.ts";
import { journalsIn } from "../../journal/journal-location.ts";

/**
 * Reads the content of a linked working tree that exists nowhere else. `path` is its top folder with links resolved;
 * returns null if it is not a linked tree. `base` is the local branch to compare commits with. Throws if a folder is
 * unreadable.
 */
export async function worktreeState(path: string, base: string, env: NodeJS.ProcessEnv): Promise<WorktreeState | null> {
  const main = findMainTree(path);
  const folders = main === null ? null : linkedTree(main, path);
  if (folders === null) return null;
  const git = hardenedGit(path, env);
  const [{ files, nested }, uncommitted, { head, branch }] = await Promise.all([
    walkTree(path),
    uncommittedIn({ top: path, gitDir: folders.own, env, allows: allowsNothing }),
    readFacts(git),
  ]);
  const [ignored, unmerged, unpushed, stashes, openRuns, isModular] = await Promise.all([
    ignoredIn(git, { files, uncommitted }),
    unmergedCommits(git, head, base),
    unpushedCommits(git, head),
    branch === null ? [] : listStashes(git, branch),
    openRunsIn(path),
    hasSubmodules(git),
  ]);
  const locked = isThere(folders, "locked") ? (readPointer(join(folders.own, "locked")) ?? "") : null;
  const operation = operationIn(folders);
  const held = { uncommitted, ignored, unmerged, unpushed, stashes, operation, locked, openRuns, nested };
  return { path, branch, head, ...held, hasSubmodules: isModular || isThere(folders, "modules") };
}

async function unmergedCommits(git: Git, head: string | null, base: string): Promise<number | null> {
  const tip = isBranchName(base) ? await readBranchTip(git, base) : null;
  if (tip === null) return null;
  return head === null ? 0 : countCommits(git, [head, "--not", tip]);
}

async function unpushedCommits(git: Git, head: string | null): Promise<number | null> {
  const remotes = await must(git(["for-each-ref", "--count=1", "--format=x", "refs/remotes"]), "for-each-ref");
  return head === null || remotes.length === 0 ? null : countCommits(git, [head, "--not", "--remotes"]);
}

async function countCommits(git: Git, range: readonly string[]): Promise<number> {
  const output = await must(git(["rev-list", "--count", ...range], { timeoutMs: wholeTreeTimeoutMs }), "rev-list");
  return Number(output.toString("latin1").trim());
}

/**
 * Lists the stashes of a branch. Git names it in the subject: `WIP on <branch>: …`, or `On <branch>: …` with a
 * message.
 */
async function listStashes(git: Git, branch: string): Promise<Stash[]> {
  const args = ["log", "--walk-reflogs", "-z", "--format=%gd%n%gs", "--end-of-options", "refs/stash", "--"];
  const listed = await git(args);
  if (listed.status !== 0) return []; // no stash exists
  return splitFields(listed.stdout)
    .map((field) => field.toString("utf8").split("\n"))
    .map(([name = "", subject = ""]) => ({ name, subject }))
    .filter(({ subject }) => subject.startsWith(`WIP on ${branch}: `) || subject.startsWith(`On ${branch}: `));
}

const OPERATIONS: readonly [string, UnfinishedWork][] = [
  ["rebase-merge", "rebase"],
  ["rebase-apply", "rebase"],
  ["MERGE_HEAD", "merge"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["sequencer", "cherry-pick"],
  ["BISECT_LOG", "bisect"],
];

function operationIn(folders: GitFolders): UnfinishedWork | null {
  return OPERATIONS.find(([name]) => isThere(folders, name))?.[1] ?? null;
}

const isThere = ({ own }: GitFolders, name: string): boolean =>
  lstatSync(join(own, name), { throwIfNoEntry: false }) !== undefined;

async function hasSubmodules(git: Git): Promise<boolean> {
  const output = await must(git(["ls-files", "-z", "--stage"], { timeoutMs: wholeTreeTimeoutMs }), "ls-files");
  return splitFields(output).some((field) => field.toString("latin1", 0, SUBMODULE.length) === SUBMODULE);
}

/**
 * Lists open runs of a working tree and open analyses of its items. In doubt, a run counts as open: a damaged journal,
 * a running driver, a marker without a journal. Seals are not checked here but by readers.
 */
async function openRunsIn(tree: string): Promise<readonly string[]> {
  const own = join(tree, OWN_FOLDER);
  if ((await lstat(own).catch(() => null))?.isDirectory() !== true) return [];
  const items = await namesIn(join(own, OWN.items));
  const places = [own, ...items.map((item) => join(own, OWN.items, item))];
  return [...new Set((await Promise.all(places.map(openIn))).flat())].toSorted();
}

async function openIn(own: string): Promise<string[]> {
  const journals = journalsIn(join(own, OWN.journal));
  const open = journals.filter(({ isEnded }) => !isEnded).map(({ name }) => name);
  if (open.length > 0) return open;
  const isMarked = journals.length === 0 && !(await isMissing(join(own, OWN.active)));
  return isMarked || isDriven(own) ? [basename(own)] : [];
}

function isDriven(directory: string): boolean {
  const processes = systemLockProcesses();
  try {
    return readHolder({ directory, name: OWN.driver, files: nodeFiles, processes }) !== null;
  } catch {
    return true; // a link or a folder instead of the lock
  }
}

async function namesIn(folder: string): Promise<string[]> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true ? readdir(folder) : [];
}

const isMissing = async (path: string): Promise<boolean> => (await lstat(path).catch(() => null)) === null;
