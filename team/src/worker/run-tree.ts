import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../../../src/adapters/git/process/git.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Mirror } from "./mirror.ts";

/** Where a run stands: at a branch of the remote, or where an earlier driver left it. */
export type Standing = {
  readonly base: string;
  readonly baseTip: string;
  readonly left: LeftTree | null;
};

export type RunTree = { readonly root: string; readonly env: NodeJS.ProcessEnv; readonly left: LeftTree | null };

type Wanted = {
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
  readonly run: RunId;
  /** Of the lease: every drive has a folder of its own, for what is known of a folder outlives what was in it. */
  readonly epoch: number;
  readonly standing: Standing;
  readonly author: string;
  /** Whether the journal had this head, as the trailer of a commit names it. */
  readonly knows: (head: string) => boolean;
};

/** The remote has commits of this run that were made at decisions which the journal does not have. */
export class RolledBackError extends Error {}

/**
 * A working tree made anew for one drive: what an execution that was cut off wrote is not in it, and neither is any
 * setting or hook that an agent left behind.
 * @throws RolledBackError
 */
export async function openRunTree(mirror: Mirror, wanted: Wanted): Promise<RunTree> {
  const { data, env, run, epoch, standing, author } = wanted;
  const root = treeFolder(data, run, epoch);
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const { base, baseTip } = standing;
  const git = gitIn(root, env);
  await git("init", "--quiet", "--template=", `--initial-branch=${base}`);
  await mirror.copyInto(root, run);
  await git("config", "user.name", author);
  await git("config", "user.email", "isdlc@localhost");
  await git("update-ref", `refs/heads/${base}`, baseTip);
  if (standing.left === null) {
    await git("reset", "--quiet", "--hard");
    return { root, env, left: null };
  }
  const left = await withUnrecorded(mirror, wanted, standing.left);
  for (const [name, id] of Object.entries(left.names)) await git("update-ref", `refs/isdlc/${run}/${name}`, id);
  const place = left.branch === null ? ["--detach"] : ["-B", left.branch];
  await git("checkout", "--quiet", "--force", ...place, left.head);
  await git("read-tree", "--reset", "-u", left.snapshot);
  await git("reset", "--quiet");
  return { root, env, left };
}

export const treeFolder = (data: string, run: RunId, epoch: number): string => join(data, "trees", run, `e${epoch}`);

export const gitIn =
  (root: string, env: NodeJS.ProcessEnv) =>
  async (...args: readonly string[]): Promise<string> => {
    const done = hardenedGit(root, env)(args, { timeoutMs: wholeTreeTimeoutMs });
    return (await must(done, args[0] ?? "")).toString("utf8").trim();
  };

/**
 * A driver may have been killed after it pushed a commit and before that was recorded. Where all commits beyond the
 * recorded one are this run's, the tree stands at the last of them, and the step that made it finds it done. A commit
 * names the head of the journal it was made at: one that the journal does not have tells that decisions are gone.
 */
async function withUnrecorded(mirror: Mirror, { run, knows }: Wanted, left: LeftTree): Promise<LeftTree> {
  const tip = left.branch === null ? null : await mirror.tip(left.branch);
  if (tip === null || tip === left.head) return left;
  const commits = await mirror.commitsBetween(left.head, tip);
  if (commits === null || !commits.every(({ attempt }) => attempt.startsWith(`${run}/`))) return left;
  const unknown = commits.find(({ journal }) => !knows(journal));
  if (unknown === undefined) return { ...left, head: tip };
  throw new RolledBackError(
    `${left.branch} at the remote has a commit of ${unknown.attempt}, made at decision ${unknown.journal}, which this journal does not have: the database was restored from an older copy.`,
  );
}
