import { changesBetween } from "../../../src/adapters/git/snapshot/tree-diff.ts";
import { must } from "../../../src/adapters/git/process/git.ts";
import { isHostFailure } from "../copies/host-failure.ts";
import { isObjectId } from "../../../src/adapters/git/process/ref-name.ts";
import { foresee } from "../../../src/adapters/git/write/merge-branch.ts";
import { squashTrailer } from "../../../src/adapters/git/write/squash-branch.ts";
import { gitFailed } from "../../../src/adapters/git/process/run-git.ts";
import type { CommitId, RunId, TreeId } from "../../../src/schema/ids.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";

/** A merge chosen by an approver. All values come from the journal and the server's tables. */
export type MergeOrder = {
  readonly run: RunId;
  readonly branch: string;
  readonly base: string;
  /** Tips of branch and base that were shown to the approver. */
  readonly commit: CommitId;
  readonly shown: CommitId;
  readonly accepted: AcceptedTree | null;
  readonly isSquash: boolean;
  readonly message: string;
  /** Name of the requester, who becomes the author. */
  readonly author: string;
  /** Time of the choice, from the journal, to make the same commits when the merge is repeated after a crash. */
  readonly at: string;
  /** Merge commits of earlier attempts of this run. */
  readonly earlier: readonly CommitId[];
  /** Adds the record commit to the accepted commit. Returns the commit to merge. */
  readonly addRecord: (copy: RepositoryCopy, commit: CommitId) => Promise<CommitId>;
  /** Stores the merge commit durably, before it is pushed. */
  readonly note: (commit: CommitId) => Promise<void>;
};

/** The tree shown at the last accepted phase, and isdlc's files that may differ from it. */
export type AcceptedTree = { readonly tree: TreeId; readonly except: ReadonlySet<string> };

export type MergeResult =
  | { readonly is: "merged"; readonly commit: CommitId }
  /** The branch adds nothing to the base. */
  | { readonly is: "unchanged" }
  /**
   * Branch or base differ from the shown ones. `unaccepted`: files of the branch that differ from the accepted tree.
   */
  | {
      readonly is: "moved";
      readonly tip: CommitId | null;
      readonly base: CommitId | null;
      readonly unaccepted: readonly string[];
    }
  /** The remote rejects the push although the base is as shown. */
  | { readonly is: "refused"; readonly detail: string };

/** Returns the ref that keeps a run's merge commit at the remote, even if the base loses it. */
export const mergedRef = (run: RunId): string => `refs/isdlc/${run}/merged`;

const MAX_PUSH_ATTEMPTS = 3;

/**
 * Merges exactly the shown commit onto exactly the shown base, and pushes it if the remote's base still has that
 * value. A merge reachable from the base counts as pushed. @throws ProblemError MERGE_CONFLICT, or GIT_FAILED if the
 * remote cannot be read
 */
export async function mergeOntoBase(copy: RepositoryCopy, order: MergeOrder): Promise<MergeResult> {
  for (let attempt = 1; ; attempt++) {
    const seen = await readRemote(copy, order);
    const pushed = await findPushed(copy, order, seen);
    if (pushed !== null) return { is: "merged", commit: pushed };
    const merge = await prepare(copy, order, seen);
    if (typeof merge !== "string") return merge;
    if (await isReachable(copy, merge, seen.base)) return { is: "merged", commit: merge };
    if (seen.base !== order.shown) return movedTo(seen);
    await order.note(merge);
    const { isAccepted, detail } = await copy.push([
      { ref: `refs/heads/${order.base}`, to: merge, from: order.shown },
      { ref: mergedRef(order.run), to: merge, from: seen.merged },
    ]);
    const after = await readRemote(copy, order); // the remote's answer to the push is not proof
    if (await isReachable(copy, merge, after.base)) return { is: "merged", commit: merge };
    if (after.base !== order.shown) return movedTo(after);
    if (!isAccepted && isHostFailure(detail)) throw gitFailed("push", detail);
    if (attempt === MAX_PUSH_ATTEMPTS)
      return {
        is: "refused",
        detail: isAccepted ? "the remote accepted the push and did not update the base" : detail,
      };
  }
}

/** Refs of the remote, read in one fetch. */
type RemoteState = {
  readonly tip: CommitId | null;
  readonly base: CommitId | null;
  readonly merged: CommitId | null;
};

async function readRemote(copy: RepositoryCopy, { run, branch, base, accepted }: MergeOrder): Promise<RemoteState> {
  const heads = (name: string): string => `refs/heads/${name}`;
  const trees = accepted === null ? [] : [`refs/isdlc/${run}/${accepted.tree}`];
  const refs = await copy.fetch([heads(base), heads(branch), mergedRef(run), ...trees]);
  return {
    tip: refs.get(heads(branch)) ?? null,
    base: refs.get(heads(base)) ?? null,
    merged: refs.get(mergedRef(run)) ?? null,
  };
}

async function findPushed(
  copy: RepositoryCopy,
  { earlier }: MergeOrder,
  { base }: RemoteState,
): Promise<CommitId | null> {
  for (const commit of earlier) if (await isReachable(copy, commit, base)) return commit;
  return null;
}

/** Returns true if the commit is the base or one of its ancestors, false if the copy does not have it. */
export async function isReachable(copy: RepositoryCopy, commit: CommitId, base: CommitId | null): Promise<boolean> {
  if (base === null || !isObjectId(commit)) return false;
  return (await copy.git(["merge-base", "--is-ancestor", commit, base])).status === 0;
}

/** Returns the merge commit, or the result if there is nothing to merge or the remote differs from the shown state. */
async function prepare(copy: RepositoryCopy, order: MergeOrder, seen: RemoteState): Promise<CommitId | MergeResult> {
  const { commit, shown, branch, base, accepted } = order;
  if (seen.tip !== commit || seen.base === null) return movedTo(seen);
  const unaccepted = await findUnaccepted(copy, commit, accepted);
  if (unaccepted.length > 0) return { ...movedTo(seen), unaccepted };
  if (!(await hasCommit(copy, shown))) return movedTo(seen);
  const work = await order.addRecord(copy, commit);
  if (await isReachable(copy, work, shown)) return seen.base === shown ? { is: "unchanged" } : movedTo(seen);
  const tree = await mergedTree(copy, { branch, base, commit: work, baseTip: shown }, seen);
  if (tree === null) return movedTo(seen);
  if (order.isSquash && tree === (await readTree(copy, shown)))
    return seen.base === shown ? { is: "unchanged" } : movedTo(seen);
  return commitMerge(copy, order, { tree, work });
}

type MergeContent = { readonly tree: TreeId; readonly work: CommitId };

async function commitMerge(
  { git }: RepositoryCopy,
  order: MergeOrder,
  { tree, work }: MergeContent,
): Promise<CommitId> {
  const parents = order.isSquash ? [order.shown] : [order.shown, work];
  const trailers = [`Isdlc-Run: ${order.run}`, ...(order.isSquash ? [squashTrailer(work)] : [])];
  const input = Buffer.from(`${order.message.trimEnd()}\n\n${trailers.join("\n")}\n`);
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return (await must(git(args, { input, environment: identity(order) }), "commit-tree")).toString("latin1").trim();
}

type MergeInput = { readonly branch: string; readonly base: string; readonly commit: string; readonly baseTip: string };

/** Returns null for a conflict if the base moved: the approver then decides about the new base. */
async function mergedTree(copy: RepositoryCopy, merging: MergeInput, seen: RemoteState): Promise<TreeId | null> {
  try {
    const { expected } = await foresee({ ...merging, git: copy.git, person: copy.git });
    if (expected === null) throw gitFailed("merge", "the server's git is too old to merge (2.38 is needed)");
    return expected;
  } catch (error) {
    if (seen.base === merging.baseTip) throw error;
    return null;
  }
}

const movedTo = ({ tip, base }: RemoteState): Extract<MergeResult, { is: "moved" }> => ({
  is: "moved",
  tip,
  base,
  unaccepted: [],
});

async function findUnaccepted(
  copy: RepositoryCopy,
  commit: CommitId,
  accepted: AcceptedTree | null,
): Promise<readonly string[]> {
  if (accepted === null) return [];
  const to = await readTree(copy, commit);
  if (to === accepted.tree) return [];
  const changes = await changesBetween(copy.git, { from: accepted.tree, to });
  if (changes === null) return ["the accepted tree is missing at the remote"];
  return changes.filter(({ path }) => !accepted.except.has(path)).map(({ path, change }) => `${path} (${change})`);
}

const hasCommit = async ({ git }: RepositoryCopy, id: string): Promise<boolean> =>
  isObjectId(id) && (await git(["cat-file", "-e", `${id}^{commit}`])).status === 0;

export const readTree = async ({ git }: RepositoryCopy, commit: CommitId): Promise<TreeId> =>
  (await must(git(["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`]), "rev-parse"))
    .toString("latin1")
    .trim();

const EMAIL = "isdlc@localhost";

/**
 * Returns the requester as author and the server as committer. Names come from accounts, which reject characters that
 * git forbids.
 */
export function identity({ author, at }: Pick<MergeOrder, "author" | "at">): Record<string, string> {
  const date = `@${Math.floor(Date.parse(at) / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: author,
    GIT_AUTHOR_EMAIL: EMAIL,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: "isdlc server",
    GIT_COMMITTER_EMAIL: EMAIL,
    GIT_COMMITTER_DATE: date,
  };
}
