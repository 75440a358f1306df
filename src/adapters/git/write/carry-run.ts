import type { LeftTree } from "../../../schema/api-team.ts";
import type { RunId } from "../../../schema/ids.ts";
import { type Git, hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../read/personal-git.ts";
import { readRepositoryFacts, branchTip } from "../read/git-read.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId, requireBranchName } from "../process/ref-name.ts";

/** Remote shared by a team's workers and users. */
const REMOTE = "origin";

export type CarriedRun = {
  readonly run: RunId;
  /** The run's own branch; checked out. */
  readonly branch: string;
  /** Snapshot of the current working tree. */
  readonly snapshot: string;
  /** Trees without a snapshot. */
  readonly trees: readonly string[];
};

/** Pushes a run's branch and all its snapshots, each under its id, as workers do. Returns where they are. */
export async function pushRunTree(repository: Repository, carried: CarriedRun): Promise<LeftTree> {
  const { run, branch, snapshot, trees } = carried;
  requireBranchName(branch, "push");
  const { head } = await readRepositoryFacts(repository);
  if (head === null) throw gitFailed("push", `${branch} has no commit`);
  const names = await snapshotNames(hardenedGit(repository.top, repository.env), run);
  const ids = [...new Set([snapshot, ...trees, ...Object.values(names)])];
  const specs = [...ids.map((id) => `${id}:refs/isdlc/${run}/${id}`), `${head}:refs/heads/${branch}`];
  // Hooks before a push are for branches finished by a user, not for work that a worker continues.
  const push = ["push", "--quiet", "--no-verify", "--no-follow-tags", REMOTE, ...specs];
  await must(personalGit(repository.top, repository)(push), "push");
  return { snapshot, head, branch, names };
}

async function snapshotNames(git: Git, run: RunId): Promise<Record<string, string>> {
  const prefix = `refs/isdlc/${run}/`;
  const listed = await must(git(["for-each-ref", "--format=%(objectname) %(refname)", prefix]), "for-each-ref");
  const pairs = listed
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => [line.slice(line.indexOf(" ") + 1 + prefix.length), line.slice(0, line.indexOf(" "))] as const);
  return Object.fromEntries(pairs.filter(([name]) => !isObjectId(name))); // fetched snapshots: their name is their id
}

/** Fetches a run's branch and snapshots from the remote. Checked-out files and branches do not change. */
export async function fetchRunTree(repository: Repository, run: RunId, branch: string): Promise<void> {
  requireBranchName(branch, "fetch");
  const specs = [`+refs/heads/${branch}:refs/remotes/${REMOTE}/${branch}`, `+refs/isdlc/${run}/*:refs/isdlc/${run}/*`];
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", REMOTE, ...specs];
  await must(personalGit(repository.top, repository)(fetch), "fetch");
}

/** Returns true if a switch to the commit loses no commit of a local branch with that name. */
export async function losesNothing(repository: Repository, branch: string, head: string): Promise<boolean> {
  const tip = await branchTip(repository, branch);
  if (tip === null || tip === head) return true;
  const isAncestor = ["merge-base", "--is-ancestor", tip, head];
  return (await hardenedGit(repository.top, repository.env)(isAncestor)).status === 0;
}

/**
 * Switches to the run's branch at the commit where the run left it. `restore` handles differing files of the working
 * tree.
 */
export async function enterRunTree(repository: Repository, run: RunId, left: LeftTree): Promise<void> {
  const { branch, head, names } = left;
  if (branch === null) throw gitFailed("switch", "the run has no branch of its own");
  const git = personalGit(repository.top, repository);
  for (const [name, id] of Object.entries(names))
    await must(git(["update-ref", `refs/isdlc/${run}/${name}`, id]), "update-ref");
  const isHere = (await readRepositoryFacts(repository)).branch === branch;
  const go = isHere
    ? ["reset", "--quiet", head]
    : ["switch", "--quiet", "--no-overwrite-ignore", "--no-track", "-C", branch, head];
  await must(git(go), isHere ? "reset" : "switch");
}
