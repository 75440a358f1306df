import { next } from "../../core/next.ts";
import { type ActiveRun, type EndedRun, chosenFinish, type RunState } from "../../core/run.ts";
import { drive } from "../../engine/loop/drive.ts";
import type { Engine } from "../../engine/engine.ts";
import { refuseWhileHeld } from "../../engine/loop/session-work.ts";
import type { ProgressSink } from "../../ports/progress.ts";
import type { RunAgents } from "../../schema/run-agents.ts";
import { REQUEST_BODY, pullRequestBody } from "../../views/pull-request.ts";
import { projectName, waitNotice } from "../../views/wait-notice.ts";
import { currentRun, record } from "../project/current-run.ts";
import type { Project } from "../project/project.ts";
import { type AgentsChange, agentsOfRun } from "./agents-of-run.ts";
import { type CleaningUp, cleanUp } from "./clean-up.ts";
import type { RunId } from "../../schema/ids.ts";

/** Caller that drives a run, and its callbacks. */
export type Driver = {
  readonly signal: AbortSignal;
  readonly progress: ProgressSink;
  readonly warn: (warning: string) => void;
  /** Called first whenever the run waits or ends, to stop displaying progress. */
  readonly rested?: () => void;
  /** Asks a user to answer the wait; returns false if it stays open. Without it, the driver stops at the first wait. */
  readonly ask?: (open: OpenWait) => Promise<boolean>;
  /** Called if another process already drives this run, which is then watched. */
  readonly watching?: (pid: number) => void;
  readonly agents?: AgentsChange | undefined;
  /** For the cleanup after the run. Without it, no ignored files are deleted. */
  readonly cleaning?: CleaningUp;
};

/** Open wait to ask about. */
export type OpenWait = {
  readonly project: Project;
  readonly engine: Engine;
  readonly run: ActiveRun;
  /** True if the wait was open before this driver started. */
  readonly returned: boolean;
  readonly signal: AbortSignal;
};

export type Driven =
  | {
      readonly is: "rested";
      readonly state: RunState;
      readonly warnings: readonly string[];
      /** Messages for the user about the cleanup after the run. */
      readonly after: readonly string[];
    }
  /** Another process drives it. */
  | ({ readonly is: "watched" } & WatchedRun);

/** Drives the open run until it waits or ends, and asks a user to answer waits if `ask` is given. */
export async function driveRun(project: Project, driver: Driver): Promise<Driven> {
  const { run, state } = await currentRun(project);
  if (run === null || state.is !== "active") return { is: "rested", state, warnings: [], after: [] };
  const { agents, command } = await agentsOfRun(project, state, driver.agents);
  const acquired = project.driver.tryAcquire();
  if (!acquired.ok) {
    if (next(state).is === "action") driver.watching?.(acquired.pid);
    return { is: "watched", ...(await watchRun(project, run, driver.signal)) };
  }
  const drivenAlone = async (): Promise<DriveResult> => {
    project.trust.rememberAgents(run, agents);
    if (command !== null) await record(project, run, command);
    return driveAndAsk(project, driver, { run: state, agents });
  };
  const rested = await drivenAlone().finally(() => acquired.release());
  return { is: "rested", ...rested, after: await afterwards(project, rested.state, driver) };
}

type DriveResult = { readonly state: RunState; readonly warnings: readonly string[] };

const NOBODY: CleaningUp = { cwd: null, mayLose: () => Promise.resolve(false) };

/** Attests the run before its branch and working tree are removed. */
async function afterwards(
  project: Project,
  state: RunState,
  { cleaning = NOBODY }: Driver,
): Promise<readonly string[]> {
  if (state.is !== "ended") return [];
  if (chosenFinish(state) === "pr") writeRequestBody(project, state);
  return [...(await project.attest(state)), ...(await cleanUp(project, state, cleaning))];
}

/**
 * Writes the text for the command that opens the pull request. Includes the plan, which for work without an item is
 * only in `.isdlc`.
 */
function writeRequestBody({ projections }: Project, ended: EndedRun): void {
  const plan = projections.readArtifact(`${ended.run.item}/plan.md`);
  projections.writeSummary(REQUEST_BODY, pullRequestBody(ended, plan));
}

type DrivenRun = { readonly run: ActiveRun; readonly agents: RunAgents };

async function driveAndAsk(project: Project, driver: Driver, { run, agents }: DrivenRun): Promise<DriveResult> {
  const { signal, progress, warn } = driver;
  const engine = project.engine(run, { agents, progress, warn });
  refuseWhileHeld(engine, run);
  for (let returned = run.wait !== null; ; returned = false) {
    const { state, warnings } = await drive(engine, signal).finally(() => driver.rested?.());
    for (const warning of warnings) warn(warning);
    const told = returned ? null : tellOfWait(project, state, warn);
    if (signal.aborted || state.is !== "active" || driver.ask === undefined) {
      await told;
      return { state, warnings };
    }
    const answered = await driver.ask({ project, engine, run: state, returned, signal });
    if (!answered) return { state: (await engine.journal.load(engine.run)).state, warnings };
  }
}

/** Notifies users who are not at this terminal. */
async function tellOfWait(project: Project, state: RunState, warn: (warning: string) => void): Promise<void> {
  if (state.is !== "active" || state.wait === null) return;
  const trouble = await project.notifier()?.tell(waitNotice(state, state.wait, projectName(project)));
  if (typeof trouble === "string") warn(trouble);
}

type WatchedRun = {
  readonly state: RunState;
  /** Process that still drives the run, or displays its open wait; null if there is none. */
  readonly driver: number | null;
};

const LOOKS_AGAIN_AFTER = 50; // milliseconds
/** A driver without a terminal exits within two seconds after a wait opened. */
const LOOKS = 40;
const AT_LEAST_EVERY = 1000; // milliseconds

/** Watches a run driven by another process, until the run waits or ends, no process drives it, or `signal` aborts. */
async function watchRun(project: Project, run: RunId, signal: AbortSignal): Promise<WatchedRun> {
  const { journal, driver } = project;
  for (;;) {
    const { state } = await journal.load(run);
    if (state.is !== "active") return { state, driver: null };
    if (state.wait !== null) return { state, driver: await stayingDriver(project, signal) };
    const pid = driver.holder();
    if (signal.aborted || pid === null) return { state, driver: pid };
    await journal.changed(run, AbortSignal.any([signal, AbortSignal.timeout(AT_LEAST_EVERY)]));
  }
}

/** Returns the driver that stays at an open wait to ask at a terminal; null if it released the lock. */
async function stayingDriver({ driver, pause }: Project, signal: AbortSignal): Promise<number | null> {
  for (let look = 1; ; look++) {
    const pid = driver.holder();
    if (pid === null || signal.aborted || look > LOOKS) return pid;
    await pause(LOOKS_AGAIN_AFTER, signal);
  }
}
