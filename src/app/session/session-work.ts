import { ProblemError } from "../../core/problem.ts";
import type { ActiveRun, RunState } from "../../core/run.ts";
import { drive } from "../../engine/loop/drive.ts";
import type { Engine } from "../../engine/engine.ts";
import {
  claimForSession,
  recordSessionReport,
  type SessionReport,
  type SessionTask,
  type SessionWorker,
} from "../../engine/loop/session-work.ts";
import { writeProjections } from "../../engine/write-projections.ts";
import type { ProgressSink } from "../../ports/progress.ts";
import { agentsOfRun } from "../drive/agents-of-run.ts";
import { currentRun } from "../project/current-run.ts";
import type { Project } from "../project/project.ts";

/** Working session, its progress display and its stop signal. */
export type AtWork = {
  readonly session: SessionWorker;
  readonly progress: ProgressSink;
  readonly signal: AbortSignal;
};

/** State of the run after all steps that need neither the session nor a user. */
export type SessionState = {
  readonly state: RunState;
  /** Next work of the session; null if it is not its turn, or it did not claim the work. */
  readonly task: SessionTask | null;
  readonly warnings: readonly string[];
};

/**
 * Runs the steps before the session's own work, then claims that work for it. Returns an ended run as it is.
 * @throws ProblemError NO_RUN, RUN_DRIVEN, SESSION_HOLDS
 */
export async function beginWork(project: Project, atWork: AtWork): Promise<SessionState> {
  const { state } = await currentRun(project);
  if (state.is === "ended") return { state, task: null, warnings: [] };
  return asDriver(project, atWork, (engine) => continueWork(engine, atWork));
}

/**
 * Records the session's report, then runs the due steps: checks, reviewer, gate, or the session's next task.
 * @throws ProblemError as above, and NOT_HELD
 */
export const reportWork = (project: Project, atWork: AtWork, report: SessionReport): Promise<SessionState> =>
  asDriver(project, atWork, async (engine) => {
    await recordSessionReport(engine, report);
    return continueWork(engine, atWork);
  });

/** Runs the steps before the session's own work, without claiming that work. */
export const driveForSession = (project: Project, atWork: AtWork): Promise<SessionState> =>
  asDriver(project, atWork, async (engine) => {
    const { state, warnings } = await drive(engine, atWork.signal);
    return { state, task: null, warnings };
  });

async function continueWork(engine: Engine, { session, signal }: AtWork): Promise<SessionState> {
  const driven = await drive(engine, signal);
  const task = signal.aborted ? null : await claimForSession(engine, session);
  const { state, head } = await engine.journal.load(engine.run);
  const warnings = task === null ? [] : writeProjections(engine, state, head);
  return { state, task, warnings: [...new Set([...driven.warnings, ...warnings])] };
}

/**
 * Takes the driver lock, also for a session: one process drives a run at a time. The session then works on every
 * phase, even if someone else started the run.
 */
async function asDriver<T>(project: Project, atWork: AtWork, work: (engine: Engine) => Promise<T>): Promise<T> {
  const { state } = await currentRun(project);
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const acquired = project.driver.tryAcquire();
  if (!acquired.ok) throw new ProblemError({ code: "RUN_DRIVEN", pid: acquired.pid });
  try {
    return await work(await sessionEngine(project, state, atWork));
  } finally {
    acquired.release();
  }
}

async function sessionEngine(project: Project, run: ActiveRun, { progress }: AtWork): Promise<Engine> {
  const { agents } = await agentsOfRun(project, run, undefined);
  const warn = (text: string): void => progress.show({ at: "says", step: "note", attempt: null, text, usage: null });
  return { ...project.engine(run, { agents, progress, warn }), isSessionWork: () => true };
}
