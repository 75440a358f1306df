import { realpathSync } from "node:fs";
import { join } from "node:path";
import { repositoryStore, type RepositoryStore } from "../../../src/adapters/git/objects/repository-store.ts";
import { readTreeId } from "../../../src/adapters/git/objects/tree-entries.ts";
import { gitFailed } from "../../../src/adapters/git/process/run-git.ts";
import { type GitHead, readHead } from "../../../src/adapters/git/read/git-head.ts";
import type { Workspace } from "../../../src/ports/workspace.ts";
import { keptRef, type KeptWork, type LeftTree } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Mirror } from "./mirror.ts";
import { refsBelow } from "./ref-files.ts";
import { gitIn, type RunTree } from "./run-tree.ts";

export type HandOverOptions = {
  readonly mirror: Mirror;
  readonly tree: RunTree;
  readonly run: RunId;
  readonly item: string;
  /** The run's own branch; null where it has none. */
  readonly branch: string | null;
  readonly workspace: Workspace;
};

export type HandOver = {
  /** Pushes for a record that names these trees, and says where they are. Null where nothing changed. */
  push(named: readonly string[]): Promise<LeftTree | null>;
  /** What was pushed last is on record now. */
  confirm(): void;
  /** Pushes what is not on record to a ref of its own, for the run is somebody else's now. Null where there is no such thing. */
  keep(epoch: number): Promise<KeptWork | null>;
};

/** Sees to it that the journal is never ahead of the remote: tree, snapshots and the run's branch are pushed before each record. */
export function createHandOver({ mirror, tree, run, item, branch, workspace }: HandOverOptions): HandOver {
  const store = repositoryStore({ top: realpathSync(tree.root), env: tree.env });
  const objects = join(tree.root, ".git", "objects");
  const prefix = `refs/isdlc/${run}/`;
  let last = tree.left;
  let recorded = tree.left;
  const pushed = new Set(Object.values(tree.left?.names ?? {}));
  let isAnchored = false;
  /** Where the run's branch stands at the remote, as far as we know; the empty text: it is not there. */
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
      if (specs.length > 0) await mirror.push(objects, { specs, lease });
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

/** Deleted meanwhile, it is made anew: it is the run's own. */
const isAtRemote = (mirror: Mirror, branch: string | null): boolean => branch !== null && mirror.tip(branch) !== null;

const NOT_MOVED = { specs: [], lease: null };

const movedBranch = (ref: string, { from, to }: { readonly from: string; readonly to: string }) => ({
  specs: [`${to}:${ref}`],
  lease: `${ref}:${from}`,
});

/**
 * What is pushed once in a drive, so that neither a push nor the next fetch is as large as the repository. A snapshot has
 * no parent, and git leaves out only what it finds below the parents of commits that are sent, and of a push also what it
 * finds below trees that refs of the remote name: a commit on top of HEAD is the former, the tree of HEAD the latter.
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
