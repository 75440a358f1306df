import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { systemLockProcesses } from "../adapters/journal/lock-files.ts";
import { placeFile, readSmall } from "../adapters/files/file-system.ts";
import { repositoryAt } from "../adapters/git/read/repository.ts";
import type { Repository } from "../adapters/git/read/repository.ts";
import type { MovingLocation } from "../adapters/journal/move-journal.ts";
import { keySeal } from "../adapters/files/user-key.ts";
import { OWN } from "../core/own-folder.ts";
import { ProblemError } from "../core/problem.ts";
import type { ActiveRun } from "../core/run.ts";
import type { LocalProject } from "./project.ts";
import { journalOptions } from "./project-location.ts";
import { createGitCaller } from "./trusted-git-programs.ts";

/** Returns the location of this working tree's journals, for moving a run. */
export function movingPlace(project: LocalProject): MovingLocation {
  const { directory, files, anchors } = journalOptions(project, project.root);
  const seal = keySeal(project.folders.state, files);
  return { directory, files, anchors, seal, processes: systemLockProcesses() };
}

export const repositoryOfProject = (project: LocalProject): Promise<Repository> =>
  repositoryAt(project.root, createGitCaller(project))();

const PLACE_LENGTH = 32; // characters

/** Returns the number of this working tree, created on first use. It stays the same if the tree is moved. */
export function placeNumber({ own, files, projections }: LocalProject): string {
  projections.setUp();
  const file = join(own, OWN.place);
  const found = readSmall(files, file, PLACE_LENGTH)?.toString("latin1") ?? "";
  if (found.length === PLACE_LENGTH) return found;
  const made = randomBytes(PLACE_LENGTH / 2).toString("hex");
  const bytes = Buffer.from(made);
  placeFile(files, file, { bytes, durable: true, place: (temporary) => files.renameSync(temporary, file) });
  return made;
}

/**
 * Runs `work` with the driver lock of the tree, to prevent another process from driving the run.
 * @throws ProblemError RUN_NOT_MOVABLE if another process holds the lock.
 */
export async function asDriver<T>({ driver, projections }: LocalProject, work: () => Promise<T>): Promise<T> {
  projections.setUp();
  const taken = driver.tryAcquire();
  if (!taken.ok)
    throw staysHere(`process ${taken.pid} drives it now`, "Wait until it rests (isdlc status), or end that process.");
  try {
    return await work();
  } finally {
    taken.release();
  }
}

/**
 * Returns the branch of a movable run. `here`: the branch that is checked out.
 * @throws ProblemError RUN_NOT_MOVABLE
 */
export function requireMovable({ run, stage }: ActiveRun, here: string | null): string {
  const { worktree = null, passkeys = [] } = run;
  const branch = run.git?.branch ?? null;
  refuseSession(stage);
  if (branch === null)
    throw staysHere("it has no branch of its own, and workers meet at the remote", "Finish it here.");
  if (worktree !== null) throw staysHere("it was started in its own worktree", "Finish it there.");
  if (passkeys.length > 0)
    throw staysHere("its decisions are signed with passkeys, which teams do not take yet", "Finish it here.");
  if (here !== branch) throw staysHere(`${here ?? "no branch"} is checked out, not ${branch}`, `git switch ${branch}`);
  return branch;
}

function refuseSession(stage: ActiveRun["stage"]): void {
  const session = "claim" in stage ? (stage.claim?.session ?? null) : null;
  if (session === null) return;
  throw staysHere(`the session ${session.id} works on it now`, 'End that session, then run "isdlc retry".');
}

export const staysHere = (why: string, fix: string): ProblemError =>
  new ProblemError({ code: "RUN_NOT_MOVABLE", why, fix });
