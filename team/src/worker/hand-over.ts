import { realpathSync } from "node:fs";
import { join } from "node:path";
import { repositoryStore, type RepositoryStore } from "../../../src/adapters/git/snapshot/repository-store.ts";
import { readTreeId } from "../../../src/adapters/git/objects/tree-entries.ts";
import { gitFailed } from "../../../src/adapters/git/process/run-git.ts";
import { type GitHead, readHead } from "../../../src/adapters/git/read/git-head.ts";
import type { Workspace } from "../../../src/ports/workspace.ts";
import { keptRef, type KeptWork, type LeftTree } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { HostWait, Mirror } from "./mirror.ts";
import { refsBelow } from "./ref-files.ts";
import { gitIn, type RunTree } from "./run-tree.ts";

export type HandOverOptions = {
  readonly mirror: Mirror;
  readonly tree: RunTree;
  readonly run: RunId;
  readonly item: string;
  /** The run's own branch, if it has one. */
  readonly branch: string | null;
  readonly workspace: Workspace;
  readonly wait: HostWait;
};

export type HandOver = {
  /** Pushes everything for a record that names these trees, and returns where they are. Null if nothing changed. */
  push(named: readonly string[]): Promise<LeftTree | null>;
  /** Marks the last push as recorded. */
  confirm(): void;
  /** Pushes unrecorded work to a separate ref, because another worker has the run now. Null if there is none. */
  keep(epoch: number): Promise<KeptWork | null>;
};

/**
 * Keeps the remote ahead of the journal: working tree, snapshots and the run's branch are pushed before each record.
 */
export function createHandOver(options: HandOverOptions): HandOver {
  const { mirror, tree, run, item, branch, workspace, wait } = options;
  const store = repositoryStore({ top: realpathSync(tree.root), env: tree.env });
  const objects = join(tree.root, ".git", "objects");
  const prefix = `refs/isdlc/${run}/`;
  let last = tree.left;
  let recorded = tree.left;
  const pushed = new Set(Object.values(tree.left?.names ?? {}));
  let isAnchored = false;
  /** Last known tip of the run's branch at the remote; an empty string if the remote does not have it. */
  let remoteTip = isAtRemote(mirror, branch) && tree.left?.branch === branch ? tree.left.head : "";
  const anchorsFor = async (head: string, [first]: readonly string[]): Promise<readonly string[]> =>
    isAnchored || first === undefined ? [] : await buildAnchors(store, head, `${run} ${first}`);
  return {
    async push(named) {
      const snapshot = await workspace.now([item]);
      if (snapshot === null) return null;
      const { hash: head, branch: on } = readGitHead(tree.root);
      const names = Object.fromEntries(refsBelow(join(tree.root, ".git"), prefix));
      const left: LeftTree = { snapshot, head, branch: on, names };
      const fresh = [...new Set([snapshot, ...named, ...Object.values(left.names)])].filter((id) => !pushed.has(id));
      if (fresh.length === 0 && JSON.stringify(left) === JSON.stringify(last)) return null;
      const isMoved = on !== null && on === branch && remoteTip !== head;
      const anchors = await anchorsFor(head, fresh);
      const ids = [...new Set([...anchors, ...fresh])];
      const moved = isMoved ? movedBranch(`refs/heads/${on}`, { from: remoteTip, to: head }) : NOT_MOVED;
      const specs = [...ids.map((id) => `${id}:${prefix}${id}`), ...moved.specs];
      const { lease } = moved;
      if (specs.length > 0) await mirror.push(objects, { specs, lease, wait });
      for (const id of ids) pushed.add(id);
      if (isMoved) remoteTip = head;
      isAnchored ||= anchors.length > 0;
      last = left;
      return left;
    },
    confirm: () => void (recorded = last),
    async keep(epoch) {
      const snapshot = await workspace.now([item]);
      if (snapshot === null || recorded === null || snapshot === recorded.snapshot) return null;
      const message = `Work of a worker that lost ${run}; it does not count.`;
      const commit = await gitIn(tree.root, tree.env)("commit-tree", `${snapshot}^{tree}`, "-p", "HEAD", "-m", message);
      await mirror.push(objects, { specs: [`${commit}:${keptRef(run, epoch)}`], lease: null });
      return { epoch, commit };
    },
  };
}

/** A branch deleted in the meantime is created again: it belongs to the run. */
const isAtRemote = (mirror: Mirror, branch: string | null): boolean => branch !== null && mirror.tip(branch) !== null;

const NOT_MOVED = { specs: [], lease: null };

const movedBranch = (ref: string, { from, to }: { readonly from: string; readonly to: string }) => ({
  specs: [`${to}:${ref}`],
  lease: `${ref}:${from}`,
});

/**
 * Returns objects pushed once per drive, to avoid pushes and fetches as large as the repository. Snapshots have no
 * parents, and git omits only objects reachable from parents of sent commits, and for pushes also those reachable from
 * trees in the remote's refs. A commit on top of HEAD covers the first case, the tree of HEAD the second.
 */
async function buildAnchors(
  { objects, write }: RepositoryStore,
  head: string,
  message: string,
): Promise<readonly string[]> {
  const tree = await readTreeId(objects, head);
  if (tree === null) throw gitFailed("cat-file", `the commit ${head} is not in the repository`);
  const people = ["author", "committer"].map((role) => `${role} isdlc <isdlc@localhost> 0 +0000`);
  const commit = [`tree ${tree}`, `parent ${head}`, ...people, "", message, ""].join("\n");
  return [tree, await write.commit(commit)];
}

function readGitHead(root: string): GitHead {
  const head = readHead(root);
  if (head === null) throw gitFailed("rev-parse", "HEAD names no commit");
  return head;
}
