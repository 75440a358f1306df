import { join } from "node:path";
import type { Command } from "../../../src/core/command.ts";
import type { RunState } from "../../../src/core/run.ts";
import { discardedRef } from "../../../src/schema/api-team.ts";
import type { Mirror } from "./mirror.ts";

/** Whether a report is about the end of a run. */
export const endsRun = (command: Command): boolean =>
  command.do === "report" && command.outcome.of === "finish" && "merged" in command.outcome;

/** The branch of work that is being given up; null where it is not, or has none. */
export const discardedBranch = (state: RunState): string | null =>
  state.is === "active" && state.stage.is === "finishing" && state.stage.how === "discard"
    ? (state.run.git?.branch ?? null)
    : null;

type Discarding = {
  readonly run: string;
  /** Of the working tree. */
  readonly root: string;
  readonly branch: string;
  /** Where the run left the branch. */
  readonly tip: string;
};

/**
 * Deletes the branch of work that is given up, at the remote: only where it is as the run left it, and after a ref keeps
 * it. Done before the end is recorded: whoever is killed in between is followed by a drive that finds it done, or does
 * it again. Says what was done; null where there was nothing to do.
 */
export async function discardBranch(mirror: Mirror, { run, root, branch, tip }: Discarding): Promise<string | null> {
  await mirror.fetch(run);
  const there = mirror.tip(branch);
  if (there === null) return null;
  if (there !== tip) return `left ${branch}: somebody else pushed to it`;
  const objects = join(root, ".git", "objects");
  const kept = discardedRef(run);
  await mirror.push(objects, { specs: [`+${tip}:${kept}`], lease: null });
  await mirror.push(objects, { specs: [`:refs/heads/${branch}`], lease: `refs/heads/${branch}:${tip}` });
  return `deleted ${branch}; it is kept on ${kept}`;
}
