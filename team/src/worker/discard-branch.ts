import { join } from "node:path";
import { type EndedRun, finishOf } from "../../../src/core/run.ts";
import { discardedRef } from "../../../src/schema/api-team.ts";
import type { Mirror } from "./mirror.ts";

/**
 * Deletes the branch of work that was given up, at the remote: only where it still is as the run left it, and after a
 * ref keeps it. Says what was done; null where there was nothing to do.
 */
export async function discardBranch(mirror: Mirror, root: string, ended: EndedRun): Promise<string | null> {
  const { run, git } = ended.run;
  const branch = git?.branch ?? null;
  if (finishOf(ended) !== "discard" || branch === null) return null;
  await mirror.fetch(run);
  const tip = mirror.tip(branch);
  if (tip === null) return null;
  const objects = join(root, ".git", "objects");
  const kept = discardedRef(run);
  await mirror.push(objects, { specs: [`${tip}:${kept}`], lease: null });
  await mirror.push(objects, { specs: [`:refs/heads/${branch}`], lease: `refs/heads/${branch}:${tip}` });
  return `deleted ${branch}; it is kept on ${kept}`;
}
