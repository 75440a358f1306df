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
import { releaseRepository } from "../../../src/adapters/git/objects/repository-store.ts";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../../../src/adapters/git/process/git.ts";
import { rawInTree } from "../../../src/adapters/git/process/git-path.ts";
import { repositorySettings } from "../../../src/adapters/git/read/repository-settings.ts";
import { requireBranchName } from "../../../src/adapters/git/snapshot/ref-name.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { REFS_AS_FILES } from "../copies/network-git.ts";
import type { Mirror } from "./mirror.ts";
import { packedText, type Refs } from "./ref-files.ts";
import type { SpareTree, SpareTrees } from "./spare-trees.ts";

/** Where a run stands: at a branch of the remote, or where an earlier driver left it. */
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
  /** Of the lease: every drive has a folder of its own, for what is known of a folder outlives what was in it. */
  readonly epoch: number;
  readonly standing: RunPosition;
  readonly author: string;
  readonly spares: SpareTrees;
  /** Whether the journal had this head, as the trailer of a commit names it. */
  readonly knows: (head: string) => boolean;
};

/** The remote has commits of this run that were made at decisions which the journal does not have. */
export class RolledBackError extends Error {}

/**
 * A working tree made anew for one drive: what an execution that was cut off wrote is not in it, and neither is any
 * setting or hook that an agent left behind. Files that are the same in an earlier drive's tree are taken from there.
 * @throws RolledBackError
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
  await repositorySettings(root, env); // with which what git tells of the repository is remembered
  return { root, env, left };
}

type Files = { readonly root: string; readonly git: GitIn; readonly of: string };

type SpareContext = { readonly spares: SpareTrees; readonly spare: SpareTree | null; readonly repository: string };

/** All files of a tree or commit. Git leaves alone which ones of a spare tree are the same. */
async function writeFiles({ root, git, of }: Files, { spares, spare, repository }: SpareContext): Promise<void> {
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

/** What the repository of a tree begins with: what the remote has, under names of our own, and where the run stands. */
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

/** As git makes one in this file system, which it is asked once. */
async function newRepository(root: string, { data, env, author }: RunTreeRequest): Promise<void> {
  const plain = join(data, "plain");
  if (!existsSync(join(plain, ".git", "HEAD"))) await makePlain(plain, env);
  cpSync(plain, root, { recursive: true, mode: constants.COPYFILE_FICLONE });
  chmodSync(root, 0o700);
  const user = `[user]\n\tname = ${JSON.stringify(author)}\n\temail = isdlc@localhost\n`;
  appendFileSync(join(root, ".git", "config"), user);
}

/** Drives that come first at the same time make one each; whichever is whole first stays. */
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

/** Removes the tree of a drive. The processes of git that stay in it are ended first: they would keep it on the disk. */
export function removeRunTree(placing: TreePlacement): void {
  placing.spares.remove(released(placing));
  removeRunFolder(placing);
}

/** Other drives of the run may have their trees in it. */
function removeRunFolder({ data, run }: TreePlacement): void {
  const folder = join(data, "trees", run);
  if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
}

/** The same for a drive after which nothing is at work there any more. */
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
 * A driver may have been killed after it pushed a commit and before that was recorded. Where all commits beyond the
 * recorded one are this run's, the tree stands at the last of them, and the step that made it finds it done. A commit
 * names the head of the journal it was made at: one that the journal does not have tells that decisions are gone.
 */
async function withUnrecorded(mirror: Mirror, { run, knows }: RunTreeRequest, left: LeftTree): Promise<LeftTree> {
  const tip = left.branch === null ? null : mirror.tip(left.branch);
  if (tip === null || tip === left.head) return left;
  const commits = await mirror.commitsBetween(left.head, tip);
  if (commits === null || !commits.every(({ attempt }) => attempt.startsWith(`${run}/`))) return left;
  const unknown = commits.find(({ journal }) => !knows(journal));
  if (unknown === undefined) return { ...left, head: tip };
  throw new RolledBackError(
    `${left.branch} at the remote has a commit of ${unknown.attempt}, made at decision ${unknown.journal}, which this journal does not have: the database was restored from an older copy.`,
  );
}
