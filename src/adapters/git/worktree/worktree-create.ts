import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { CreatedWorktree, CreateRefusal, WorktreeRefusal, WorktreeRequest } from "../../../ports/worktrees.ts";
import { hardenedGit } from "../process/git.ts";
import { type GitCaller, personalGit } from "../read/personal-git.ts";
import type { Git } from "../process/git.ts";
import { readPointer, treeAround } from "../process/working-trees.ts";
import { readFacts, readBranchTip } from "../read/git-read.ts";
import { isBranchName, isObjectId } from "../process/ref-name.ts";
import { submodulePaths } from "../snapshot/submodules.ts";
import { lastWords } from "../process/run-git.ts";
import { isWorktreeName, linkedTree, findMainTree, refused } from "./worktree-location.ts";
import { GONE, treesOfBranch } from "./worktree-branch.ts";
import { OWN, OWN_FOLDER, OWN_IGNORE, ownPath } from "../../../core/own-folder.ts";
import { parseRecord, readText } from "../../files/state-file.ts";
import { ensureFolder, folderExists, nodeFiles, readSmall, replaceFile } from "../../files/file-system.ts";

type CreateFailure = WorktreeRefusal<CreateRefusal>;
type Plan = {
  readonly main: string;
  readonly git: Git;
  readonly path: string;
  readonly branch: string;
  /** Start of a new branch. */
  readonly commit: string;
  readonly caller: GitCaller;
};

/**
 * Creates a linked working tree next to the main one, on its own branch. `root` is the top of the working tree whose
 * settings it inherits. The user's hooks run, as with every change; their exit status is ignored.
 */
export async function createWorktree(
  root: string,
  request: WorktreeRequest,
  caller: GitCaller,
): Promise<CreatedWorktree | CreateFailure> {
  const main = findMainTree(root);
  if (main === null) return noMainTree(root, caller.env);
  const path = await placeFor(main, request.path);
  if (typeof path !== "string") return path;
  const git = hardenedGit(main, caller.env);
  const commit = await resolveStart(git, request);
  if (typeof commit !== "string") return commit;
  const plan: Plan = { main, git, path, branch: request.branch, commit, caller };
  if (await isThere(path)) return adopt(root, plan);
  const refusal = await refusalOfBranch(plan);
  return refusal ?? addTree(root, plan);
}

async function noMainTree(root: string, env: NodeJS.ProcessEnv): Promise<CreateFailure> {
  const answer = await hardenedGit(root, env)(["-c", "safe.bareRepository=all", "rev-parse", "--is-bare-repository"]);
  const isBare = answer.status === 0 && answer.stdout.toString("latin1").trim() === "true";
  return isBare
    ? refused("bareRepository", "A bare repository has no main working tree. Clone it, and work in the clone.", [root])
    : refused("noRepository", "There is no git repository with a main working tree here. Work without --worktree.", [
        root,
      ]);
}

/** Returns the path if it is next to the main tree, has a valid name and is not inside another working tree. */
async function placeFor(main: string, wanted: string): Promise<string | CreateFailure> {
  const target = resolve(main, wanted);
  const [parent, name] = [dirname(target), basename(target)];
  const real = await realpath(parent).catch(() => null);
  if (real !== dirname(main)) {
    return real !== null && real !== parent
      ? refused("parentIsLink", "The folder for the working tree is a link that leads elsewhere. Use the real one.", [
          parent,
        ])
      : refused("notBeside", `Worktrees are created next to the main one, in ${dirname(main)}.`, [target]);
  }
  if (!isWorktreeName(name)) {
    const fix = "Choose one visible name without separators, control characters, or a dot or dash at its beginning.";
    return refused("badName", fix, [name]);
  }
  const outer = treeAround(real);
  if (outer === null) return join(real, name);
  const fix = "The place lies inside another working tree, whose commands could remove it. Work without --worktree.";
  return refused("insideTree", fix, [outer]);
}

/** Returns true for anything at the path, including a dangling link. */
async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

async function resolveStart(git: Git, { branch, base }: WorktreeRequest): Promise<string | CreateFailure> {
  if (!isBranchName(branch)) return refused("badBranch", "Choose a name that git accepts for a branch.", [branch]);
  if ((await readFacts(git)).head === null)
    return refused("noCommit", "The repository has no commit yet. Commit once, then try again.");
  const commit = isObjectId(base) ? base : isBranchName(base) ? await readBranchTip(git, base) : null;
  const isCommit = commit !== null && (await git(["cat-file", "-e", `${commit}^{commit}`])).status === 0;
  if (!isCommit) return refused("noBase", "There is no such branch or commit to start at.", [base]);
  const submodules = await submodulePaths(git, commit);
  if (submodules.length === 0) return commit;
  const fix = "Git cannot remove a working tree with submodules safely. Work in the main tree, without --worktree.";
  return refused("submodules", fix, submodules);
}

/** Returns a working tree left by an interrupted call of the same request. Anything else at the path is rejected. */
async function adopt(
  root: string,
  { main, caller, path, branch, commit }: Plan,
): Promise<CreatedWorktree | CreateFailure> {
  const folders = linkedTree(main, path);
  if (folders === null)
    return refused("pathTaken", "Something is already there. Move it away, or choose another name.", [path]);
  if (readPointer(join(folders.own, "locked")) === "initializing") {
    const fix = "Making it was cut off before. Run git worktree unlock and git worktree remove on it, then try again.";
    return refused("cutOff", fix, [path]);
  }
  const here = hardenedGit(path, caller.env);
  const facts = await readFacts(here);
  if (facts.branch !== branch || !(await contains(here, facts.head, commit))) {
    const fix = "A working tree of this repository is there already, with other work. Choose another name.";
    return refused("pathTaken", fix, [path]);
  }
  return created(root, { path, branch, isNew: false });
}

async function refusalOfBranch({ git, branch, commit }: Plan): Promise<CreateFailure | null> {
  const tip = await readBranchTip(git, branch);
  if (tip === null) return null;
  const elsewhere = await treesOfBranch(git, branch);
  if (elsewhere.length > 0) {
    const fix = `The branch is checked out in another working tree. Work there, or choose another name; ${GONE}.`;
    return refused("branchElsewhere", fix, [branch, ...elsewhere]);
  }
  if (await contains(git, tip, commit)) return null;
  const fix = "A branch of that name has other work: it does not contain the commit to start at. Choose another name.";
  return refused("branchTaken", fix, [branch]);
}

async function contains(git: Git, tip: string | null, commit: string): Promise<boolean> {
  return tip !== null && (await git(["merge-base", "--is-ancestor", commit, tip])).status === 0;
}

/** Checks the disk for the result: if a hook fails, git fails after everything is done. */
async function addTree(root: string, plan: Plan): Promise<CreatedWorktree | CreateFailure> {
  const { main, caller, git, path, branch, commit } = plan;
  const target =
    (await readBranchTip(git, branch)) === null ? ["--no-track", "-b", branch, path, commit] : [path, branch];
  const result = await personalGit(main, caller)(["worktree", "add", "--quiet", "--no-guess-remote", ...target]);
  const isMade = linkedTree(main, path) !== null && (await readFacts(hardenedGit(path, caller.env))).branch === branch;
  if (!isMade) return refused("gitRefused", `Git did not make it: ${lastWords(result)}.`, [path]);
  return created(root, { path, branch, isNew: true });
}

function created(root: string, made: { path: string; branch: string; isNew: boolean }): CreatedWorktree {
  const inherited = inheritSettings(root, made.path);
  return { ok: true, ...made, stored: `../${basename(made.path)}`, inherited };
}

/** Keys of `state.json` about runs. A new working tree has no runs. */
const OF_RUNS = new Set([
  "state_version",
  "active_workflow",
  "phases",
  "current_phase",
  "workflow_history",
  "counters",
  "derived_digest",
]);

const MAX_WORKTREE_SETTINGS_BYTES = 4 * 1024 * 1024;

/**
 * Copies the user's settings from one working tree to another. Never overwrites a file or copies data of a run.
 * Unreadable settings are skipped. Returns the written paths.
 * @throws ProblemError UNSAFE_PATH if `.isdlc` of the other tree is a link.
 */
export function inheritSettings(from: string, to: string): readonly string[] {
  const [source, target] = [join(from, OWN_FOLDER), join(to, OWN_FOLDER)];
  if (quietly(() => folderExists(nodeFiles, source)) !== true) return [];
  const wanted: readonly [string, Buffer | null][] = [
    [OWN.ignore, Buffer.from(OWN_IGNORE)],
    [OWN.state, settingsIn(join(source, OWN.state))],
    [OWN.workflows, quietly(() => readSmall(nodeFiles, join(source, OWN.workflows), MAX_WORKTREE_SETTINGS_BYTES))],
  ];
  ensureFolder(nodeFiles, target);
  return wanted.flatMap(([name, bytes]) => {
    const file = join(target, name);
    if (bytes === null || nodeFiles.lstatSync(file, { throwIfNoEntry: false }) !== undefined) return [];
    replaceFile(nodeFiles, file, bytes);
    return [ownPath(name)];
  });
}

function settingsIn(file: string): Buffer | null {
  const found = quietly(() => parseRecord(readText(nodeFiles, file, MAX_WORKTREE_SETTINGS_BYTES)));
  const settings = Object.entries(found ?? {}).filter(([key]) => !OF_RUNS.has(key));
  if (settings.length === 0) return null;
  return Buffer.from(`${JSON.stringify(Object.fromEntries(settings), null, 2)}\n`);
}

/** Returns null for a link or a pipe instead of the file. */
function quietly<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
