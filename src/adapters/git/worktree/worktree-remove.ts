import { lstat, realpath, unlink } from "node:fs/promises";
import { resolve, basename } from "node:path";
import { OWN, ownPath } from "../../../core/own-folder.ts";
import type {
  WorktreeRefusal,
  RemovedWorktree,
  RemoveRefusal,
  RemoveRequest,
  WorktreeState,
} from "../../../ports/worktrees.ts";
import { withoutFilters } from "../read/content-filters.ts";
import { hardenedGit, must, wholeTreeTimeoutMs, type Git } from "../process/git.ts";
import { isUnder } from "../process/git-path.ts";
import { lastWords } from "../process/run-git.ts";
import { carryOwnFiles } from "./worktree-carry.ts";
import { linkedTree, findMainTree, refused } from "./worktree-location.ts";
import { worktreeState } from "./worktree-state.ts";
import { fileAt } from "../snapshot/worktree-uncommitted.ts";
import { isObjectId, refPart } from "../process/ref-name.ts";
import { readBounded } from "../../files/file-system.ts";

type RemoveFailure = WorktreeRefusal<RemoveRefusal>;

/** Milliseconds. Deleting a hundred thousand files takes a while and must not be interrupted. */
const REMOVAL_TIMEOUT = 15 * 60_000;

/**
 * Removes a linked working tree if everything in it also exists elsewhere. First copies its runs to the main tree and
 * saves its loose commits under refs. Never forces the removal: git checks again and may refuse. The branch stays.
 */
export async function removeWorktree(
  root: string,
  request: RemoveRequest,
  env: NodeJS.ProcessEnv,
): Promise<RemovedWorktree | RemoveFailure> {
  const main = findMainTree(root);
  if (main === null) return refused("noRepository", "There is no repository with a main working tree here.", [root]);
  const path = resolve(main, request.path);
  const misplaced = await refusalOfPlace(main, path, request.cwd);
  if (misplaced !== null) return misplaced;
  const found = await inspect({ main, path, env }, request);
  if (!found.ok) return found;
  const carried = await carryOwnFiles(path, main, env);
  const kept = await keepLooseCommits(path, main, env);
  // Copying takes time. New work may have started since the first check.
  const again = await inspect({ main, path, env }, request);
  if (!again.ok) return again;
  for (const name of again.duplicates) await unlink(fileAt(path, name));
  const git = hardenedGit(main, env);
  const options = { timeoutMs: REMOVAL_TIMEOUT, environment: await withoutFilters(git) };
  const result = await git(["-c", "status.showUntrackedFiles=all", "worktree", "remove", path], options);
  if (result.status !== 0) return refused("gitRefused", `Git did not remove it: ${lastWords(result)}.`, [path]);
  return { ok: true, branch: again.state.branch, carried, kept };
}

async function refusalOfPlace(main: string, path: string, cwd: string): Promise<RemoveFailure | null> {
  if (path === main) return refused("mainTree", "This is the main working tree. Only linked ones are removed.", [path]);
  const found = await lstat(path).catch(() => null);
  if (found?.isSymbolicLink() === true) {
    const fix = "A link stands where the working tree was. Move the tree back, or run git worktree repair.";
    return refused("isLink", fix, [path]);
  }
  if (linkedTree(main, path) === null) {
    const fix =
      "There is no working tree of this repository. If it was moved, run git worktree repair where it is now.";
    return refused("notOurs", fix, [path]);
  }
  const here = await realpath(cwd).catch(() => cwd);
  return isUnder(here, path) ? refused("insideIt", `You are inside it. Go to ${main} first.`, [here]) : null;
}

type InspectedWorktree = {
  readonly ok: true;
  readonly state: WorktreeState;
  /** New files under `.isdlc` with an identical copy in the main tree. */
  readonly duplicates: readonly string[];
};

type WorktreeTrees = { readonly main: string; readonly path: string; readonly env: NodeJS.ProcessEnv };

async function inspect(trees: WorktreeTrees, request: RemoveRequest): Promise<InspectedWorktree | RemoveFailure> {
  const { path, env } = trees;
  let state: WorktreeState | null;
  try {
    state = await worktreeState(path, request.base, env);
  } catch (error) {
    const { code, path: unread } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") throw error;
    return refused("unreadable", "Part of it cannot be read. Fix the permissions, then try again.", [String(unread)]);
  }
  if (state === null) return refused("notOurs", "It is no longer a working tree of this repository.", [path]);
  const duplicates: string[] = [];
  for (const name of state.uncommitted) if (await isInMain(trees, name)) duplicates.push(name);
  const uncommitted = state.uncommitted.filter((name) => !duplicates.includes(name));
  return findRefusal({ ...state, uncommitted }, request) ?? { ok: true, state, duplicates };
}

/** Returns true for inherited, untracked `workflows.json` settings with an identical copy in the main tree. */
async function isInMain({ main, path, env }: WorktreeTrees, name: string): Promise<boolean> {
  if (name !== ownPath(OWN.workflows)) return false;
  const isTracked = (await hardenedGit(path, env)(["ls-files", "--error-unmatch", "--", name])).status === 0;
  if (isTracked) return false;
  const [here, there] = [path, main].map((tree) => readSettings(fileAt(tree, name)));
  return !!here && !!there && here.equals(there);
}

const MAX_SETTINGS_BYTES = 1024 * 1024;

/** Returns null if there is no such file, and for pipes and larger files. */
function readSettings(file: Buffer): Buffer | null {
  try {
    return readBounded(file, MAX_SETTINGS_BYTES);
  } catch {
    return null;
  }
}

type RemovalRule = readonly [
  RemoveRefusal,
  (state: WorktreeState, request: RemoveRequest) => readonly string[],
  string,
];

/** The first rule that returns names decides. */
const RULES: readonly RemovalRule[] = [
  ["locked", ({ locked }) => (locked === null ? [] : [locked]), "It is locked. Run git worktree unlock on it first."],
  [
    "operation",
    ({ operation }) => (operation === null ? [] : [operation]),
    "A merge, rebase, pick or bisect is under way in it. Finish or abort that first.",
  ],
  [
    "submodules",
    ({ hasSubmodules, path }) => (hasSubmodules ? [path] : []),
    "Git cannot remove a tree with submodules safely. Check that they are pushed, then remove the tree by hand.",
  ],
  [
    "nested",
    ({ nested }) => nested,
    "It has other repositories or working trees inside, which would go with it. Move or remove those first.",
  ],
  ["uncommitted", ({ uncommitted }) => uncommitted, "Commit, stash or remove what is not committed, then try again."],
  ["runOpen", ({ openRuns }) => openRuns, "A run is open in it. Finish or cancel that first."],
  [
    "ignoredFiles",
    ({ ignored }, { agreedToLose = [] }) => ignored.filter((name) => !agreedToLose.includes(name)),
    "Ignored files would be lost with it. Move those you need, and agree to lose the rest.",
  ],
  ["noBase", ({ unmerged }, { base }) => (unmerged === null ? [base] : []), "There is no such branch to compare with."],
  [
    "unmerged",
    ({ unmerged, branch }, request) =>
      unmerged === 0 || request.unmerged === "stayOnBranch" ? [] : [branch ?? "HEAD", request.base],
    "It has commits that the base does not have. Merge them, or choose to keep or discard the branch.",
  ],
];

function findRefusal(state: WorktreeState, request: RemoveRequest): RemoveFailure | null {
  for (const [why, find, fix] of RULES) {
    const about = find(state, request);
    if (about.length > 0) return refused(why, fix, about);
  }
  return null;
}

const ID_LENGTH = 12;

/**
 * Saves commits known only to this working tree (amended, reset away or made without a branch) under refs of the
 * repository, because its reflog and own refs are deleted with it. Returns the refs.
 */
async function keepLooseCommits(tree: string, main: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  const git = hardenedGit(main, env);
  const kept: string[] = [];
  for (const tip of await looseTips(git, await knownTips(hardenedGit(tree, env)))) {
    const ref = `refs/isdlc/loose/${refPart(basename(tree))}/${tip.slice(0, ID_LENGTH)}`;
    await must(git(["update-ref", "--end-of-options", ref, tip]), "update-ref");
    kept.push(ref);
  }
  return kept;
}

/** Lists commits of HEAD, ORIG_HEAD, the reflog of HEAD and the refs of this working tree, in this order. */
async function knownTips(git: Git): Promise<string[]> {
  const logged = await git(["log", "--walk-reflogs", "--format=%H", "HEAD", "--"]);
  const own = ["refs/worktree", "refs/bisect", "refs/rewritten"];
  const refs = await must(git(["for-each-ref", "--format=%(objectname)", ...own]), "for-each-ref");
  const [head, before] = await Promise.all([
    git(["rev-parse", "--verify", "HEAD"]),
    git(["rev-parse", "--verify", "ORIG_HEAD"]),
  ]);
  const text = [head.stdout, before.stdout, logged.stdout, refs].map((output) => output.toString("latin1")).join("\n");
  return [...new Set(text.split("\n").filter(isObjectId))];
}

/**
 * Returns tips that are reachable neither from a shared ref nor from another tip. HEADs of other working trees do not
 * count.
 */
async function looseTips(git: Git, tips: readonly string[]): Promise<string[]> {
  if (tips.length === 0) return [];
  const input = Buffer.from(tips.map((tip) => `${tip}\n`).join(""));
  const args = ["rev-list", "--parents", "--ignore-missing", "--stdin", "--single-worktree", "--not", "--all"];
  const output = await must(git(args, { input, timeoutMs: wholeTreeTimeoutMs }), "rev-list");
  const lines = output
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  const loose = new Set(lines.map((line) => line.split(" ")[0] ?? ""));
  const parents = new Set(lines.flatMap((line) => line.split(" ").slice(1)));
  return tips.filter((tip) => loose.has(tip) && !parents.has(tip));
}
