import type { LeftTree } from "../../../schema/api-team.ts";
import type { RunId } from "../../../schema/ids.ts";
import { type Git, hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../process/personal-git.ts";
import { readRepositoryFacts, branchTip } from "../read/git-read.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";
import { isObjectId, requireBranchName } from "../snapshot/ref-name.ts";

/** The remote that a team's workers and people share. */
const REMOTE = "origin";

export type CarriedRun = {
  readonly run: RunId;
  /** The run's own branch, which is checked out. */
  readonly branch: string;
  /** The working tree as it is. */
  readonly snapshot: string;
  /** Trees that no snapshot holds. */
  readonly trees: readonly string[];
};

/** Pushes a run's branch and every snapshot of it, each under its id, as workers do; says where they are. */
export async function pushRunTree(repository: Repository, carried: CarriedRun): Promise<LeftTree> {
  const { run, branch, snapshot, trees } = carried;
  requireBranchName(branch, "push");
  const { head } = await readRepositoryFacts(repository);
  if (head === null) throw gitFailed("push", `${branch} has no commit`);
  const names = await snapshotNames(hardenedGit(repository.top, repository.env), run);
  const ids = [...new Set([snapshot, ...trees, ...Object.values(names)])];
  const specs = [...ids.map((id) => `${id}:refs/isdlc/${run}/${id}`), `${head}:refs/heads/${branch}`];
  // Hooks before a push are about branches that a person finished, not about what a worker goes on with.
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
  return Object.fromEntries(pairs.filter(([name]) => !isObjectId(name))); // those were fetched, and are found by what they are
}

/** Brings a run's branch and its snapshots from the remote; nothing that is checked out changes. */
export async function fetchRunTree(repository: Repository, run: RunId, branch: string): Promise<void> {
  requireBranchName(branch, "fetch");
  const specs = [`+refs/heads/${branch}:refs/remotes/${REMOTE}/${branch}`, `+refs/isdlc/${run}/*:refs/isdlc/${run}/*`];
  const fetch = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", REMOTE, ...specs];
  await must(personalGit(repository.top, repository)(fetch), "fetch");
}

/** True where going to a commit loses nothing of a branch of that name here. */
export async function losesNothing(repository: Repository, branch: string, head: string): Promise<boolean> {
  const tip = await branchTip(repository, branch);
  if (tip === null || tip === head) return true;
  const isAncestor = ["merge-base", "--is-ancestor", tip, head];
  return (await hardenedGit(repository.top, repository.env)(isAncestor)).status === 0;
}

/** Goes to the run's branch where it stood when it was left; files of the tree that differ are for `restore`. */
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
