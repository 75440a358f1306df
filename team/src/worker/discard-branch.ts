import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "../../../src/core/command.ts";
import { plainLine } from "../../../src/core/plain-text.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { createRedactor } from "../../../src/core/redact.ts";
import type { RunState } from "../../../src/core/run.ts";
import { discardedRef, type LeftBranch } from "../../../src/schema/api-team.ts";
import type { Mirror } from "./mirror.ts";

/** Whether a report is about the end of a run. */
export const endsRun = (command: Command): boolean =>
  command.do === "report" && command.outcome.of === "finish" && "merged" in command.outcome;

/** The branch of work that is being given up; null where it is not, or has none. */
export const discardedBranch = (state: RunState): string | null =>
  state.is === "active" && state.stage.is === "finishing" && state.stage.how === "discard"
    ? (state.run.git?.branch ?? null)
    : null;

/** The branch may be older than the run: it is not deleted. */
export const isBrought = (state: RunState): boolean => state.is === "active" && (state.run.brought ?? []).length > 0;

type DiscardRequest = {
  readonly run: string;
  /** Of the working tree. */
  readonly root: string;
  readonly branch: string;
  /** Where the run left the branch. */
  readonly tip: string;
  /** Not to be told to anybody, should git name them. */
  readonly secrets: readonly string[];
};

/** A push of somebody else at the same moment, or a remote that was away for one, is over by the next try. */
const MAX_DELETE_ATTEMPTS = 3;
const DELETE_RETRY_MS = 1000; // milliseconds
const MAX_DETAIL_LENGTH = 300; // characters of what git says

/**
 * Deletes the branch of work that is given up, at the remote: only where it is as the run left it, and after a ref keeps
 * it. Done before the end is recorded: whoever is killed in between is followed by a drive that finds it done, or does
 * it again. Null where it is gone.
 */
export async function discardBranch(mirror: Mirror, discarding: DiscardRequest): Promise<LeftBranch | null> {
  const { branch, tip, secrets } = discarding;
  for (let tries = 1; ; tries++) {
    try {
      return await deleteBranch(mirror, discarding);
    } catch (error) {
      const why = plainLine(createRedactor(secrets)(describeError(error)), MAX_DETAIL_LENGTH);
      if (tries === MAX_DELETE_ATTEMPTS) return { branch, tip, why };
      await delay(DELETE_RETRY_MS);
    }
  }
}

async function deleteBranch(mirror: Mirror, { run, root, branch, tip }: DiscardRequest): Promise<LeftBranch | null> {
  await mirror.fetch(run);
  const there = mirror.tip(branch);
  if (there === null) return null;
  if (there !== tip) return { branch, tip: null, why: "somebody else pushed to it" };
  const objects = join(root, ".git", "objects");
  await mirror.push(objects, { specs: [`+${tip}:${discardedRef(run)}`], lease: null });
  await mirror.push(objects, { specs: [`:refs/heads/${branch}`], lease: `refs/heads/${branch}:${tip}` });
  return null;
}

function describeError(error: unknown): string {
  if (error instanceof ProblemError && error.problem.code === "GIT_FAILED") return error.problem.detail;
  return error instanceof Error ? error.message : String(error);
}
