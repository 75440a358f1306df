import { next } from "../../core/next.ts";
import { type ActiveRun, type EndedRun, chosenFinish, type RunState } from "../../core/run.ts";
import { drive } from "../../engine/drive.ts";
import type { Engine } from "../../engine/engine.ts";
import { refuseWhileHeld } from "../../engine/session-work.ts";
import type { ProgressSink } from "../../ports/progress.ts";
import type { RunAgents } from "../../schema/run-agents.ts";
import { REQUEST_BODY } from "../../views/pull-request.ts";
import { pullRequestBody } from "../../views/pull-request-body.ts";
import { projectName, waitNotice } from "../../views/wait-notice.ts";
import { currentRun, record } from "../project/current-run.ts";
import type { Project } from "../project/project.ts";
import { type AgentsChange, agentsOfRun } from "./agents-of-run.ts";
import { type CleaningUp, cleanUp } from "./clean-up.ts";
import { type WatchedRun, watchRun } from "./watch-run.ts";

/** Who drives a run, and what they want to hear of it. */
export type Driver = {
  readonly signal: AbortSignal;
  readonly progress: ProgressSink;
  readonly warn: (warning: string) => void;
  /** Called whenever the run rests, before anything else: nothing more is shown of the work. */
  readonly rested?: () => void;
  /** Asks whoever is there what is open; false leaves it open. Without it, the run is left at its first wait. */
  readonly ask?: (open: OpenWait) => Promise<boolean>;
  /** Another process drives this run already, and is watched. */
  readonly watching?: (pid: number) => void;
  readonly agents?: AgentsChange | undefined;
  /** For what belongs after a run that ends; without it nothing is lost that git ignores. */
  readonly cleaning?: CleaningUp;
};

/** What a driver asks about. */
export type OpenWait = {
  readonly project: Project;
  readonly engine: Engine;
  readonly run: ActiveRun;
  /** The wait was open before this driver began. */
  readonly returned: boolean;
  readonly signal: AbortSignal;
};

export type Driven =
  | {
      readonly is: "rested";
      readonly state: RunState;
      readonly warnings: readonly string[];
      /** What was done once the run had ended, for the person. */
      readonly after: readonly string[];
    }
  /** Another process drives it. */
  | ({ readonly is: "watched" } & WatchedRun);

/** Goes on with the open run until it rests, asking what is open where somebody can be asked. */
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

/** What was signed is told before what it is about is cleaned up. */
async function afterwards(
  project: Project,
  state: RunState,
  { cleaning = NOBODY }: Driver,
): Promise<readonly string[]> {
  if (state.is !== "ended") return [];
  if (chosenFinish(state) === "pr") writeRequestBody(project, state);
  return [...(await project.attest(state)), ...(await cleanUp(project, state, cleaning))];
}

/** For the command that opens the pull request. The plan of work without documents of its own is in our folder only. */
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

/** Whoever is not at this terminal hears of it too. */
async function tellOfWait(project: Project, state: RunState, warn: (warning: string) => void): Promise<void> {
  if (state.is !== "active" || state.wait === null) return;
  const trouble = await project.notifier()?.tell(waitNotice(state, state.wait, projectName(project)));
  if (typeof trouble === "string") warn(trouble);
}
