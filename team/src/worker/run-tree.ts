import {
  appendFileSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { releaseRepository } from "../../../src/adapters/git/snapshot/repository-store.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../../../src/adapters/git/process/git.ts";
import { rawInTree } from "../../../src/adapters/git/process/git-path.ts";
import { repositorySettings } from "../../../src/adapters/git/read/repository-settings.ts";
import { requireBranchName } from "../../../src/adapters/git/process/ref-name.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { REFS_AS_FILES } from "../copies/network-git.ts";
import type { Mirror, RunCommit } from "./mirror.ts";
import { packedText, type Refs } from "./ref-files.ts";
import type { SpareTree, SpareTrees } from "./spare-trees.ts";

/** Starting point of a run's working tree: a branch of the remote, or the state left by an earlier driver. */
export type RunPosition = {
  readonly base: string;
  readonly baseTip: string;
  readonly left: LeftTree | null;
};

export type RunTree = { readonly root: string; readonly env: NodeJS.ProcessEnv; readonly left: LeftTree | null };

type RunTreeRequest = {
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
  readonly run: RunId;
  /** Epoch of the lease. Every drive has its own folder, because cached data about a folder outlives its content. */
  readonly epoch: number;
  readonly standing: RunPosition;
  readonly author: string;
  readonly spares: SpareTrees;
  /** Returns true if the journal shows this commit at a gate, or had the head in its trailer. */
  readonly knows: (commit: RunCommit) => boolean;
};

/** The remote has commits of this run from decisions missing in the journal. */
export class RolledBackError extends Error {}

/**
 * Creates a new working tree for one drive, free of unfinished output, settings and hooks that an agent left behind.
 * Unchanged files are reused from the tree of an earlier drive. @throws RolledBackError
 */
export async function openRunTree(mirror: Mirror, wanted: RunTreeRequest): Promise<RunTree> {
  const { data, env, run, epoch, standing, spares } = wanted;
  const root = treeFolder(data, run, epoch);
  removeRunTree(wanted);
  const spare = spares.take(mirror.folder, root);
  await newRepository(root, wanted);
  const left = standing.left === null ? null : await withUnrecorded(mirror, wanted, standing.left);
  const refs = listRefs(mirror, { run, standing, left });
  const objects = join(root, ".git", "objects");
  await mirror.copyInto(objects, refs.values());
  writeFileSync(join(root, ".git", "packed-refs"), packedText(refs));
  const at = left === null ? standing.base : left.branch;
  writeFileSync(join(root, ".git", "HEAD"), at === null ? `${left?.head}\n` : `ref: refs/heads/${at}\n`);
  const git = gitIn(root, env);
  await writeFiles({ root, git, of: left?.snapshot ?? "HEAD" }, { spares, spare, repository: mirror.folder });
  if (left !== null) await git("read-tree", "--reset", "HEAD");
  await repositorySettings(root, env); // caches the settings that git reports
  return { root, env, left };
}

type RunTreeSource = { readonly root: string; readonly git: GitIn; readonly of: string };

type SpareContext = { readonly spares: SpareTrees; readonly spare: SpareTree | null; readonly repository: string };

/** Writes all files of a tree or commit. Git keeps unchanged files of a spare tree. */
async function writeFiles(
  { root, git, of }: RunTreeSource,
  { spares, spare, repository }: SpareContext,
): Promise<void> {
  const index = join(root, ".git", "index");
  if (spare !== null) writeFileSync(index, spare.index);
  await git("read-tree", "--reset", "-u", of);
  if (await spares.note(root, { repository, index: readFileSync(index), spare })) return;
  for (const name of readdirSync(root, { encoding: "latin1" }).filter((one) => one !== ".git"))
    rmSync(rawInTree(root, name), { recursive: true });
  rmSync(index);
  await writeFiles({ root, git, of }, { spares, spare: null, repository });
}

type PlacedRun = { readonly run: RunId; readonly standing: RunPosition; readonly left: LeftTree | null };

/** Returns the initial refs of the repository: the remote's refs under separate names, and the run's own. */
function listRefs(mirror: Mirror, { run, standing: { base, baseTip }, left }: PlacedRun): Refs {
  const remote = [...mirror.refs(run)].map(([name, id]) => {
    const [, ...rest] = name.split("/");
    return [["refs", "isdlc-mirror", ...(rest[0] === "isdlc" ? rest.slice(1) : rest)].join("/"), id] as const;
  });
  const names = Object.entries(left?.names ?? {}).map(([name, id]) => [`refs/isdlc/${run}/${name}`, id] as const);
  const branches = [[base, baseTip] as const, ...(left?.branch ? [[left.branch, left.head] as const] : [])];
  for (const [branch] of branches) requireBranchName(branch, "checkout");
  return new Map([...remote, ...names, ...branches.map(([name, id]) => [`refs/heads/${name}`, id] as const)]);
}

/** Copies an empty repository, created once by git in this file system. */
async function newRepository(root: string, { data, env, author }: RunTreeRequest): Promise<void> {
  const plain = join(data, "plain");
  if (!existsSync(join(plain, ".git", "HEAD"))) await makePlain(plain, env);
  cpSync(plain, root, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(root, 0o700);
  const user = `[user]\n\tname = ${JSON.stringify(author)}\n\temail = isdlc@localhost\n`;
  appendFileSync(join(root, ".git", "config"), user);
}

/** Concurrent first drives create one each; the first complete one is used. */
async function makePlain(plain: string, env: NodeJS.ProcessEnv): Promise<void> {
  const made = mkdtempSync(`${plain}-`);
  const done = hardenedGit(made, env)(["init", "--quiet", "--template="], { environment: REFS_AS_FILES });
  await must(done, "init");
  try {
    renameSync(made, plain);
  } catch {
    rmSync(made, { recursive: true, force: true }); // another drive was first
  }
}

type TreePlacement = Pick<RunTreeRequest, "data" | "run" | "epoch" | "spares">;

/** Removes the working tree of a drive. First ends git processes running in it, which would block the deletion. */
export function removeRunTree(placing: TreePlacement): void {
  placing.spares.remove(released(placing));
  removeRunFolder(placing);
}

/** The folder may contain trees of other drives of the run. */
function removeRunFolder({ data, run }: TreePlacement): void {
  const folder = join(data, "trees", run);
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Keeps the working tree of a finished drive as a spare. No process may be running in it. */
export function spareRunTree(placing: TreePlacement): void {
  placing.spares.keep(released(placing));
}

function released({ data, run, epoch }: TreePlacement): string {
  const root = treeFolder(data, run, epoch);
  if (existsSync(root)) releaseRepository(realpathSync(root));
  return root;
}

const treeFolder = (data: string, run: RunId, epoch: number): string => join(data, "trees", run, `e${epoch}`);

type GitIn = (...args: readonly string[]) => Promise<string>;

export function gitIn(root: string, env: NodeJS.ProcessEnv): GitIn {
  const git = hardenedGit(root, env);
  return async (...args) =>
    (await must(git(args, { timeoutMs: wholeTreeTimeoutMs }), args[0] ?? "")).toString("utf8").trim();
}

/**
 * Includes pushed, but unrecorded commits of a killed driver. If all commits after the recorded one belong to this
 * run, the tree starts at the last one, and the step that made it finds it done. If the journal neither shows a commit
 * at a gate nor has the head in its trailer, decisions are missing.
 */
async function withUnrecorded(mirror: Mirror, { run, knows }: RunTreeRequest, left: LeftTree): Promise<LeftTree> {
  const tip = left.branch === null ? null : mirror.tip(left.branch);
  if (tip === null || tip === left.head) return left;
  const commits = await mirror.commitsBetween(left.head, tip);
  if (commits === null || !commits.every(({ attempt }) => attempt.startsWith(`${run}/`))) return left;
  const unknown = commits.find((commit) => !knows(commit));
  if (unknown === undefined) return { ...left, head: tip };
  throw new RolledBackError(
    `${left.branch} at the remote has the commit ${unknown.commit} of ${unknown.attempt}, which this journal does not know: the database was restored from an older copy.`,
  );
}
