import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hardenedGit, must, wholeTreeTimeoutMs } from "../../../src/adapters/git/process/git.ts";
import type { Workspace } from "../../../src/ports/workspace.ts";
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
};

/**
 * A working tree made anew for one drive: what an execution that was cut off wrote is not in it, and neither is any
 * setting or hook that an agent left behind.
 */
export async function openRunTree(
  mirror: Mirror,
  { data, env, run, epoch, standing, author }: Wanted,
): Promise<RunTree> {
  const trees = join(data, "trees", run);
  rmSync(trees, { recursive: true, force: true });
  const root = join(trees, `e${epoch}`);
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
  const left = await withUnrecorded(mirror, run, standing.left);
  for (const [name, id] of Object.entries(left.names)) await git("update-ref", `refs/isdlc/${run}/${name}`, id);
  await git(
    "checkout",
    "--quiet",
    "--force",
    ...(left.branch === null ? ["--detach"] : ["-B", left.branch]),
    left.head,
  );
  await git("read-tree", "--reset", "-u", left.snapshot);
  await git("reset", "--quiet");
  return { root, env, left };
}

const gitIn =
  (root: string, env: NodeJS.ProcessEnv) =>
  async (...args: readonly string[]): Promise<string> => {
    const done = hardenedGit(root, env)(args, { timeoutMs: wholeTreeTimeoutMs });
    return (await must(done, args[0] ?? "")).toString("utf8").trim();
  };

/**
 * A driver may have been killed after it pushed a commit and before that was recorded. Where all commits beyond the
 * recorded one are this run's, the tree stands at the last of them, and the step that made it finds it done.
 */
async function withUnrecorded(mirror: Mirror, run: RunId, left: LeftTree): Promise<LeftTree> {
  const tip = left.branch === null ? null : await mirror.tip(left.branch);
  if (tip === null || tip === left.head) return left;
  const attempts = await mirror.attemptsBetween(left.head, tip);
  const isOurs = attempts !== null && attempts.every((attempt) => attempt.startsWith(`${run}/`));
  return isOurs ? { ...left, head: tip } : left;
}

export type HandOver = {
  readonly mirror: Mirror;
  readonly tree: RunTree;
  readonly run: RunId;
  readonly item: string;
  /** The run's own branch; null where it has none. */
  readonly branch: string | null;
  readonly workspace: Workspace;
};

/** Pushes for a record that names these trees. Null where nothing changed. */
export type HandingOver = (named: readonly string[]) => Promise<LeftTree | null>;

/** Pushes the tree as it is, its snapshots and the run's branch before each record, and says where they are. */
export function createHandOver({ mirror, tree, run, item, branch, workspace }: HandOver): HandingOver {
  const git = gitIn(tree.root, tree.env);
  const prefix = `refs/isdlc/${run}/`;
  let last = tree.left;
  const pushed = new Set(Object.values(tree.left?.names ?? {}));
  /** Where the run's branch stands at the remote, as far as we know; the empty text: it is not there. */
  let remoteTip = tree.left !== null && tree.left.branch === branch ? tree.left.head : "";
  return async (named) => {
    const snapshot = await workspace.now([item]);
    if (snapshot === null) return null;
    const [head, at, listed] = await Promise.all([
      git("rev-parse", "HEAD"),
      git("rev-parse", "--abbrev-ref", "HEAD"),
      git("for-each-ref", "--format=%(objectname) %(refname)", prefix),
    ]);
    const names = Object.fromEntries(
      listed
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => [line.slice(line.indexOf(" ") + 1 + prefix.length), line.slice(0, line.indexOf(" "))]),
    );
    const on = at === "HEAD" ? null : at;
    const left: LeftTree = { snapshot, head, branch: on, names };
    const fresh = [...new Set([snapshot, ...named, ...Object.values(names)])].filter((id) => !pushed.has(id));
    if (fresh.length === 0 && JSON.stringify(left) === JSON.stringify(last)) return null;
    const isMoved = on !== null && on === branch && remoteTip !== head;
    const specs = [...fresh.map((id) => `${id}:${prefix}${id}`), ...(isMoved ? [`${head}:refs/heads/${on}`] : [])];
    const lease = isMoved ? `refs/heads/${on}:${remoteTip}` : null;
    if (specs.length > 0) await mirror.push(join(tree.root, ".git", "objects"), { specs, lease });
    for (const id of fresh) pushed.add(id);
    if (isMoved) remoteTip = head;
    last = left;
    return left;
  };
}
