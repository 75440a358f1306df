import { setTimeout as delay } from "node:timers/promises";
import { createFileLock } from "../../adapters/file-lock/file-lock.ts";
import { createTrustStore } from "../../adapters/user-files/trust-store.ts";
import type { PersonCommand } from "../../core/command.ts";
import { next } from "../../core/next.ts";
import { ProblemError } from "../../core/problem.ts";
import type { ActiveRun, RunState } from "../../core/run.ts";
import { drive } from "../../engine/drive.ts";
import type { RunId } from "../../schema/ids.ts";
import { closingReport } from "../../views/history.ts";
import { heldLines, openRunLine } from "../../views/open-run.ts";
import { statusLines, statusObject } from "../../views/status.ts";
import { allAgents, type ChosenAgents, recordedAgents } from "./agents.ts";
import { attestFinished } from "./attest-run.ts";
import { authorize } from "./authorize.ts";
import { namesAgent, renameAgents } from "./choose-agents.ts";
import { composeEngine } from "./compose.ts";
import { answerAtTerminal, type PromptContext } from "./terminal/answer-at-terminal.ts";
import { createProgressView, type ProgressView } from "./terminal/progress.ts";
import { refuseWithoutSandbox } from "./needs-sandbox.ts";
import { currentRun, driverLock, driverOf, type Project } from "./project.ts";
import { withSignals } from "./main/signals.ts";
import { submitAnswer } from "./submit-answer.ts";
import { cleanUpAfter } from "./spec/clean-up.ts";
import { nextVerb } from "./spec/next-verb.ts";
import { openPullRequest } from "./spec/open-pull-request.ts";
import type { Invocation, Result } from "./grammar/verb.ts";

/** Where progress is shown, and who answers what is open. */
export type UserInterface = {
  readonly view: ProgressView;
  /** False leaves it open. */
  readonly answer: (context: PromptContext) => Promise<boolean>;
};

/** Goes on with the open run until it rests; at a terminal, asks the person there and goes on again. */
export async function continueRun(
  invocation: Invocation,
  project: Project,
  ui: UserInterface = terminalInterface(invocation, project),
): Promise<Result> {
  const result = await driveOpenRun(invocation, project, ui);
  const { state } = currentRun(project, undefined);
  if (state.is !== "ended" || result.code !== 0) return result;
  const attested = await attestFinished(project, state); // before what it is about is cleaned up
  const requested = await openPullRequest(invocation, project, state);
  const lines = [...result.lines, ...attested, ...requested, ...(await cleanUpAfter(invocation, project, state))];
  const next = nextVerb(project, state);
  return next === null
    ? { ...result, lines }
    : { ...result, lines: [...lines, `Next: isdlc ${next}`], json: { ...result.json, next } };
}

async function driveOpenRun(invocation: Invocation, project: Project, ui: UserInterface): Promise<Result> {
  const { run, state } = currentRun(project, undefined);
  if (run === null || state.is !== "active") return restResult(state, []);
  const resolved = agentsOf(invocation, project, state);
  const { agents } = resolved;
  const lock = createFileLock(driverLock(project));
  const taken = lock.tryAcquire();
  if (!taken.ok) return attach(invocation, project, { run, pid: taken.holder.pid });
  try {
    await keepChange(project, run, resolved);
    return await withSignals((signal) => driveAndAsk(invocation, { project, run: state, agents, ui }, signal));
  } finally {
    taken.lock.release();
    lock.dispose();
  }
}

const terminalInterface = (invocation: Invocation, { journal }: Project): UserInterface => ({
  view: createProgressView(invocation.io, () => {
    const run = journal.newest();
    return run === null ? [] : journal.events(run);
  }),
  answer: (context) => (invocation.io.interactive ? answerAtTerminal(invocation, context) : Promise.resolve(false)),
});

type Driving = {
  readonly project: Project;
  readonly run: ActiveRun;
  readonly agents: ChosenAgents;
  readonly ui: UserInterface;
};

async function driveAndAsk(
  invocation: Invocation,
  { project, run, agents, ui: { view, answer } }: Driving,
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
    if (!answered) return restResult((await engine.journal.load(engine.run)).state, resting.warnings);
  }
}

/** Another process drives this run: watch it until it rests. */
async function attach(
  invocation: Invocation,
  project: Project,
  { run, pid }: { run: RunId; pid: number },
): Promise<Result> {
  return withSignals(async (signal) => {
    const isAtWork = next(project.journal.load(run).state).is === "action";
    if (isAtWork) invocation.io.err(`Process ${pid} is already driving this run; watching it.`);
    for (;;) {
      const { state } = project.journal.load(run);
      if (state.is !== "active") return restResult(state, []);
      if (state.wait !== null) {
        const holder = await stayingDriver(project, signal);
        return holder === null ? restResult(state, []) : heldResult(invocation, state, holder);
      }
      const driver = driverOf(project);
      if (signal.aborted || driver === null) return restResult(state, [], driver);
      const soon = AbortSignal.timeout(1000);
      await project.journal.changed(run, AbortSignal.any([signal, soon]));
    }
  });
}

const LEAVES_WITHIN = 2000; // milliseconds in which a driver without a terminal ends once it came to a wait
const LOOKS_AGAIN_AFTER = 50; // milliseconds

/** The driver that stays at an open wait, because it asks at a terminal; null when it let go. */
async function stayingDriver(project: Project, signal: AbortSignal): Promise<number | null> {
  const until = performance.now() + LEAVES_WITHIN;
  for (;;) {
    const driver = driverOf(project);
    if (driver === null || signal.aborted || performance.now() > until) return driver;
    await delay(LOOKS_AGAIN_AFTER);
  }
}

type RunsAgents = { readonly agents: ChosenAgents; readonly change: PersonCommand | null };

/** How the agents of this run are started: as told now, else as remembered. */
function agentsOf(invocation: Invocation, project: Project, run: ActiveRun): RunsAgents {
  const kept = memoryOf(project).agents(run.run.run);
  const remembered = kept !== null && areThoseOf(run, kept, project.env) ? kept : null;
  const chosen = namesAgent(invocation.values) ? renameAgents(invocation.values, remembered) : remembered;
  if (chosen === null) throw new ProblemError({ code: "AGENT_UNKNOWN", agent: run.run.agent.name });
  if (chosen === remembered || areThoseOf(run, chosen, project.env)) return { agents: chosen, change: null };
  if (run.run.sandbox !== true) refuseWithoutSandbox(namesOf(chosen), "This run has none: cancel it and start anew");
  const by = authorize(invocation, project); // another program is a person's decision
  return { agents: chosen, change: { do: "changeAgents", by, ...recordedAgents(chosen, project.env) } };
}

const namesOf = (agents: ChosenAgents): string[] => allAgents(agents).map(({ name }) => name);

async function keepChange(project: Project, run: RunId, { agents, change }: RunsAgents): Promise<void> {
  memoryOf(project).rememberAgents(run, agents);
  if (change !== null) await submitAnswer(project, run, change);
}

const memoryOf = ({ folders, root, files }: Project) => createTrustStore(folders.state, root, files);

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

/** The result of a verb that left a run at rest, or to the process that drives it: done, a person is needed, or interrupted. */
export function restResult(state: RunState, warnings: readonly string[], driver: number | null = null): Result {
  const liveness = { driven: driver !== null };
  const run = statusObject(state, liveness);
  const waiting = state.is === "active" && state.wait !== null;
  const isDriven = state.is === "active" && !waiting && liveness.driven;
  const interrupted = state.is === "active" && !waiting && !isDriven;
  const shown = state.is === "ended" ? closingReport(state) : statusLines(state, liveness);
  const lines = isDriven ? [...shown, `The run goes on in process ${driver}.`] : shown;
  const json = { ok: !interrupted, run, ...(warnings.length > 0 ? { warnings } : {}) };
  return { code: waiting ? 3 : interrupted ? 130 : 0, lines, json };
}

/** The same where another terminal has what is open before it: at this one, its keys would be refused. */
export function heldResult({ io }: Pick<Invocation, "io">, run: ActiveRun, pid: number): Result {
  const result = restResult(run, []);
  const shown = io.interactive ? [openRunLine(run, { driven: false })] : result.lines;
  return { ...result, lines: [...shown, ...(run.wait === null ? [] : heldLines(run.wait, pid))] };
}
