import { ADOPTED } from "../../schema/attestation.ts";
import type { ActiveRun } from "../../core/run.ts";
import { formatCount } from "../../core/duration.ts";
import type { ReturnBases } from "../../schema/facts.ts";
import { treeAt, type TreeId } from "../../schema/ids.ts";

/** Returns the tree before adopted work; null for other runs. */
export const adoptedFrom = ({ run: { git } }: Pick<ActiveRun, "run">): TreeId | null =>
  git?.adopts === undefined ? null : treeAt(git.commit);

/** Base trees of adopted work: the gate shows the whole range, and the commit adds only uncommitted changes. */
export function adoptedBases({ run: { git } }: ActiveRun, tree: TreeId | null): ReturnBases | null {
  if (git?.adopts === undefined || tree === null) return null;
  const start = treeAt(git.commit);
  return { entered: tree, own: start, start, gate: start, commit: treeAt(git.adopts.head) };
}

/** States at the gate where the work comes from. */
export function adoptedNotices({ run: { git } }: ActiveRun): string[] {
  if (git?.adopts === undefined) return [];
  const { commits, head } = git.adopts;
  const last = head.slice(0, 12);
  const range = commits === 0 ? `nothing committed since ${last}` : `${formatCount(commits, "commit")} up to ${last}`;
  return [`Adopted (${ADOPTED}): ${range}, plus any uncommitted changes`];
}
