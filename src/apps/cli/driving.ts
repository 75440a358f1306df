import { createFileLock } from "../../adapters/file-lock/file-lock.ts";
import { createTreeMemory } from "../../adapters/user-files/tree-memory.ts";
import type { PersonCommand } from "../../core/command.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ActiveRun, RunState } from "../../core/run.ts";
import { drive } from "../../engine/drive.ts";
import type { RunId } from "../../schema/ids.ts";
import { closingReport } from "../../views/history.ts";
import { statusLines, statusObject } from "../../views/status.ts";
import { allAgents, type ChosenAgents, recordedAgents } from "./agents.ts";
import { decider } from "./authority.ts";
import { namesAgent, renameAgents } from "./choose-agents.ts";
import { composeEngine } from "./compose.ts";
import { answerAtTerminal, type Scene } from "./at-terminal.ts";
import { createProgressView, type ProgressView } from "./progress.ts";
import { refuseWithoutWall } from "./needs-wall.ts";
import { currentRun, driverLock, type Project } from "./project.ts";
import { withSignals } from "./signals.ts";
import { submitAnswer } from "./submit-answer.ts";
import { cleanUpAfter } from "./spec/clean-up.ts";
import { nextVerb } from "./spec/next-verb.ts";
import { openPullRequest } from "./spec/open-pull-request.ts";
import { flag, type Invocation, type Result } from "./verb.ts";

/** Where progress is shown, and who answers what is open. */
export type Seat = {
  readonly view: ProgressView;
  /** False leaves it open. */
  readonly answer: (scene: Scene) => Promise<boolean>;
};

/** Goes on with the open run until it rests; at a terminal, asks the person there and goes on again. */
export async function goOn(
  invocation: Invocation,
  project: Project,
  seat: Seat = ownSeat(invocation),
): Promise<Result> {
  const result = await driveOpenRun(invocation, project, seat);
  const { state } = currentRun(project, undefined);
  if (state.is !== "ended" || result.code !== 0) return result;
  const requested = await openPullRequest(invocation, project, state);
  const lines = [...result.lines, ...requested, ...(await cleanUpAfter(invocation, project, state))];
  const next = nextVerb(project, state);
  return next === null
    ? { ...result, lines }
    : { ...result, lines: [...lines, `Next: isdlc ${next}`], json: { ...result.json, next } };
}

async function driveOpenRun(invocation: Invocation, project: Project, seat: Seat): Promise<Result> {
  const { run, state } = currentRun(project, undefined);
  if (run === null || state.is !== "active") return restResult(state, []);
  const settled = agentsOf(invocation, project, state);
  const { agents } = settled;
  const lock = createFileLock(driverLock(project));
  const taken = lock.tryAcquire();
  if (!taken.ok) return attach(invocation, project, { run, pid: taken.holder.pid });
  try {
    await keepChange(project, run, settled);
    return await withSignals((signal) => driveAndAsk(invocation, { project, run: state, agents, seat }, signal));
  } finally {
    taken.lock.release();
    lock.dispose();
  }
}

const ownSeat = (invocation: Invocation): Seat => ({
  view: createProgressView(invocation.io, flag(invocation.values, "json")),
  answer: (scene) => (invocation.io.interactive ? answerAtTerminal(invocation, scene) : Promise.resolve(false)),
});

type Driving = {
  readonly project: Project;
  readonly run: ActiveRun;
  readonly agents: ChosenAgents;
  readonly seat: Seat;
};

async function driveAndAsk(
  invocation: Invocation,
  { project, run, agents, seat: { view, answer } }: Driving,
  signal: AbortSignal,
): Promise<Result> {
  const { io } = invocation;
  const warn = (warning: string): void => io.err(`warning: ${warning}`);
  const engine = composeEngine(project, run, { agents, show: (progress) => view.show(progress), warn });
  for (let returned = run.wait !== null; ; returned = false) {
    const resting = await drive(engine, signal).finally(() => view.stop());
    for (const warning of resting.warnings) io.err(`warning: ${warning}`);
    const { state } = resting;
    if (signal.aborted || state.is !== "active") return restResult(state, resting.warnings);
    const answered = await answer({ project, engine, run: state, returned, signal });
    if (!answered) return restResult(engine.journal.load(engine.run).state, resting.warnings);
  }
}

/** Another process drives this run: watch it until it rests. */
async function attach(
  invocation: Invocation,
  project: Project,
  { run, pid }: { run: RunId; pid: number },
): Promise<Result> {
  invocation.io.err(`Process ${pid} is already driving this run; watching it.`);
  return withSignals(async (signal) => {
    const lock = createFileLock(driverLock(project));
    for (;;) {
      const { state } = project.journal.load(run);
      const settled = state.is !== "active" || state.wait !== null;
      if (settled || signal.aborted || lock.holder() === null) return restResult(state, []);
      const soon = AbortSignal.timeout(1000);
      await project.journal.changed(run, AbortSignal.any([signal, soon]));
    }
  });
}

type RunsAgents = { readonly agents: ChosenAgents; readonly change: PersonCommand | null };

/** How the agents of this run are started: as told now, else as remembered. */
function agentsOf(invocation: Invocation, project: Project, run: ActiveRun): RunsAgents {
  const kept = memoryOf(project).agents(run.run.run);
  const remembered = kept !== null && areThoseOf(run, kept, project.env) ? kept : null;
  const chosen = namesAgent(invocation.values) ? renameAgents(invocation.values, remembered) : remembered;
  if (chosen === null) throw new ProblemError({ code: "AGENT_UNKNOWN", agent: run.run.agent.name });
  if (chosen === remembered || areThoseOf(run, chosen, project.env)) return { agents: chosen, change: null };
  if (run.run.sandbox !== true) refuseWithoutWall(namesOf(chosen), "This run has none: cancel it and start anew");
  const by = decider(invocation, project); // another program is a person's decision
  return { agents: chosen, change: { do: "changeAgents", by, ...recordedAgents(chosen, project.env) } };
}

const namesOf = (agents: ChosenAgents): string[] => allAgents(agents).map(({ name }) => name);

async function keepChange(project: Project, run: RunId, { agents, change }: RunsAgents): Promise<void> {
  memoryOf(project).rememberAgents(run, agents);
  if (change !== null) await submitAnswer(project, run, change);
}

const memoryOf = ({ folders, root, files }: Project) => createTreeMemory(folders.state, root, files);

/** The journal holds what the run was started with; a memory that says otherwise was changed by somebody else. */
function areThoseOf({ run }: ActiveRun, agents: ChosenAgents, env: NodeJS.ProcessEnv): boolean {
  const now = recordedAgents(agents, env);
  const keys = [now, run].flatMap((recorded) =>
    [recorded.agents, recorded.reviewers].flatMap((one) => Object.keys(one ?? {})),
  );
  const reviewer = run.reviewer ?? now.reviewer;
  return (
    now.agent.digest === run.agent.digest &&
    now.reviewer.digest === reviewer.digest &&
    keys.every((key) => {
      const works = (now.agents?.[key] ?? now.agent).digest === (run.agents?.[key] ?? run.agent).digest;
      const reviews = (now.reviewers?.[key] ?? now.reviewer).digest === (run.reviewers?.[key] ?? reviewer).digest;
      return works && reviews;
    })
  );
}

/** The result of a verb that left a run at rest: done, a person is needed, or interrupted. */
export function restResult(state: RunState, warnings: readonly string[]): Result {
  const run = statusObject(state, { driven: false });
  const waiting = state.is === "active" && state.wait !== null;
  const interrupted = state.is === "active" && state.wait === null;
  const lines = state.is === "ended" ? closingReport(state) : statusLines(state, { driven: false });
  const json = { ok: !interrupted, run, ...(warnings.length > 0 ? { warnings } : {}) };
  return { code: waiting ? 3 : interrupted ? 130 : 0, lines, json };
}
