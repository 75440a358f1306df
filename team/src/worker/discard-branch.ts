import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Command } from "../../../src/core/command.ts";
import { plainLine } from "../../../src/core/plain-text.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { createRedactor } from "../../../src/core/redact.ts";
import type { RunState } from "../../../src/core/run.ts";
import { discardedRef, type LeftBranch } from "../../../src/schema/api-team.ts";
import type { Mirror } from "./mirror.ts";

/** Returns true if a report ends the run. */
export const endsRun = (command: Command): boolean =>
  command.do === "report" && command.outcome.of === "finish" && "merged" in command.outcome;

/** Returns the branch of a run that is being discarded. Null for other runs, or without a branch. */
export const discardedBranch = (state: RunState): string | null =>
  state.is === "active" && state.stage.is === "finishing" && state.stage.how === "discard"
    ? (state.run.git?.branch ?? null)
    : null;

/** Returns true if the run came from a user's machine. Its branch may be older than the run and is not deleted. */
export const isBrought = (state: RunState): boolean => state.is === "active" && (state.run.brought ?? []).length > 0;

type DiscardRequest = {
  readonly run: string;
  /** Root of the working tree. */
  readonly root: string;
  readonly branch: string;
  /** Last commit of the run on the branch. */
  readonly tip: string;
  /** Values to redact from git output. */
  readonly secrets: readonly string[];
};

/** Retries outlast concurrent pushes and short outages of the remote. */
const MAX_DELETE_ATTEMPTS = 3;
const DELETE_RETRY_MS = 1000;
const MAX_DETAIL_LENGTH = 300; // characters of git output

/**
 * Deletes the branch of discarded work at the remote, if it is still at the run's last commit. A ref keeps the commit.
 * Runs before the end is recorded: after a crash, the next drive finds it done or repeats it. Returns null if the
 * branch no longer exists.
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
  if (there !== tip) return { branch, tip: null, why: "another user pushed to it" };
  const objects = join(root, ".git", "objects");
  await mirror.push(objects, { specs: [`+${tip}:${discardedRef(run)}`], lease: null });
  await mirror.push(objects, { specs: [`:refs/heads/${branch}`], lease: `refs/heads/${branch}:${tip}` });
  return null;
}

function describeError(error: unknown): string {
  if (error instanceof ProblemError && error.problem.code === "GIT_FAILED") return error.problem.detail;
  return error instanceof Error ? error.message : String(error);
}
