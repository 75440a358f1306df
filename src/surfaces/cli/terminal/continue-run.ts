import { type Driven, driveRun, type OpenWait } from "../../../app/drive/drive-run.ts";
import type { CleaningUp } from "../../../app/drive/clean-up.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { type ActiveRun, noRun, type RunState, type EndedRun, chosenFinish } from "../../../core/run.ts";
import { isWithSession } from "../../../core/next.ts";
import type { ProgressSink } from "../../../ports/progress.ts";
import type { RunEvent } from "../../../schema/event.ts";
import { closingReport } from "../../../views/history.ts";
import { heldLines, openRunLine } from "../../../views/open-run.ts";
import { statusLines, statusObject } from "../../../views/status.ts";
import { projectName, waitNotice } from "../../../views/wait-notice.ts";
import { renameAgents } from "../../../app/agents/choose-agents.ts";
import { askedAgents, namesAgent } from "../grammar/agents.ts";
import { flag, type Invocation, type Result } from "../invocation/verb.ts";
import { identifyPerson } from "../invocation/caller.ts";
import { withSignals } from "../invocation/signals.ts";
import { ask } from "./ask.ts";
import { answerAtTerminal } from "./answer-at-terminal.ts";
import { createProgressView } from "./progress.ts";
import { desktopCall } from "./desktop-call.ts";
import { createWindow, NO_WINDOW, type Window } from "./window.ts";
import { pagePort } from "../../../compose/open-elsewhere.ts";
import { findProgram } from "../../../adapters/process/find-program.ts";
import { BODY_FILE, pullRequestCommands } from "../../../views/pull-request.ts";
import { runInteractive } from "./run-interactive.ts";
import { shellWord } from "../../../core/command-line.ts";
import { nextVerb } from "./active-feature.ts";

/** Shows progress and answers waits. */
export type UserInterface = {
  readonly view: ProgressSink & { stop(): void };
  /** False leaves the wait open. */
  readonly answer: (open: OpenWait) => Promise<boolean>;
  /** Called last: nothing is shown or asked after it. */
  readonly leave?: () => void;
};

/** Drives the open run until it waits or ends. At a terminal, asks the user for an answer and continues. */
export async function continueRun(
  invocation: Invocation,
  project: LocalProject,
  ui: UserInterface = terminalInterface(invocation, project),
): Promise<Result> {
  const rested: { state: RunState } = { state: noRun };
  const result = await withSignals(async (signal) => {
    const driven = await driveRun(project, {
      signal,
      progress: ui.view,
      warn: (warning) => invocation.io.err(`warning: ${warning}`),
      rested: () => ui.view.stop(),
      ask: ui.answer,
      watching: (pid) => invocation.io.err(`Process ${pid} is already driving this run; watching it.`),
      cleaning: cleaningBy(invocation),
      agents: namesAgent(invocation.values)
        ? {
            rename: (before) => renameAgents(askedAgents(invocation.values), before),
            by: () => identifyPerson(invocation, project),
          }
        : undefined,
    });
    rested.state = driven.state; // the cleanup may move the journal
    return drivenResult(invocation, driven);
  }).finally(() => ui.leave?.());
  const { state } = rested;
  if (state.is !== "ended" || result.code !== 0) return result;
  const lines = [...result.lines, ...(await openPullRequest(invocation, project, state))];
  const next = nextVerb(project, state);
  return next === null
    ? { ...result, lines }
    : { ...result, lines: [...lines, `Next: isdlc ${next}`], json: { ...result.json, next } };
}

/** Asks at the terminal before files are lost with the working tree, unless `--yes` is set. */
export const cleaningBy = ({ cwd, io, values }: Invocation): CleaningUp => ({
  cwd,
  mayLose: async (about) =>
    flag(values, "yes") || ask(io, { question: "Remove them with the working tree?", about, enter: "n" }),
});

function drivenResult(invocation: Invocation, driven: Driven): Result {
  if (driven.is === "rested") {
    const result = restResult(driven.state, driven.warnings);
    return { ...result, lines: [...result.lines, ...driven.after] };
  }
  const { state, driver } = driven;
  const isHeld = state.is === "active" && state.wait !== null && driver !== null;
  return isHeld ? heldResult(invocation, state, driver) : restResult(state, [], driver);
}

function terminalInterface(invocation: Invocation, project: LocalProject): UserInterface {
  const { io, values } = invocation;
  const window = io.interactive ? createGateWindow(invocation, project) : NO_WINDOW;
  const recorded = (): readonly RunEvent[] => {
    const run = project.journal.newest();
    return run === null ? [] : project.journal.events(run);
  };
  const view = createProgressView(io, { recorded, isVerbose: flag(values, "verbose"), window });
  return {
    view,
    answer: async (open) => {
      if (!io.interactive) return false;
      if (isSignedOnly(project, open.run)) {
        io.out(`Decisions are signed with a passkey: ${pageAddress(project, open.run)} (isdlc ui serves it)`);
        return false;
      }
      const by = await identifyPerson(invocation, project, open.run);
      callFor(open, window);
      return answerAtTerminal(invocation, open, by);
    },
    leave: () => window.restore(),
  };
}

function createGateWindow({ env }: Invocation, { root, settings }: LocalProject): Window {
  const choice = settings.readNow().settings.notify ?? "on";
  return createWindow(env, { choice, desktop: choice === "on" ? desktopCall(env, root) : null });
}

/** Notifies the user of a wait. A user who returned to it needs no notification. */
function callFor({ run, project, returned }: OpenWait, window: Window): void {
  if (run.wait === null) return;
  const { text } = waitNotice(run, run.wait, projectName(project));
  window.title(`isdlc: waiting for you (${run.wait.kind})`);
  if (!returned) window.call(text);
}

/** True if the run requires a passkey, or the user's settings accept a passkey but no terminal. */
function isSignedOnly({ settings }: LocalProject, { run }: ActiveRun): boolean {
  const { approvals } = settings.readNow().settings;
  return (
    (run.passkeys ?? []).length > 0 || (approvals?.includes("passkey") === true && !approvals.includes("terminal"))
  );
}

const pageAddress = ({ root }: LocalProject, { run }: ActiveRun): string =>
  `http://localhost:${pagePort(root)}/runs/${run.run}`;

const isStuck = (state: RunState): boolean => state.is === "active" && !isWithSession(state);

/**
 * Returns the result of a command after which the run waits, ended, was interrupted, or is driven by another process.
 */
export function restResult(state: RunState, warnings: readonly string[], driver: number | null = null): Result {
  const liveness = { driven: driver !== null };
  const run = statusObject(state, liveness);
  const waiting = state.is === "active" && state.wait !== null;
  const isDriven = state.is === "active" && !waiting && liveness.driven;
  const interrupted = !waiting && !isDriven && isStuck(state);
  const shown = state.is === "ended" ? closingReport(state) : statusLines(state, liveness);
  const lines = isDriven ? [...shown, `The run continues in process ${driver}.`] : shown;
  const json = { ok: !interrupted, run, ...(warnings.length > 0 ? { warnings } : {}) };
  return { code: waiting ? 3 : interrupted ? 130 : 0, lines, json };
}

/** Returns the result if another terminal already asks for the answer: keys typed at this one would be refused. */
export function heldResult({ io }: Pick<Invocation, "io">, run: ActiveRun, pid: number): Result {
  const result = restResult(run, []);
  const shown = io.interactive ? [openRunLine(run, { driven: false })] : result.lines;
  return { ...result, lines: [...shown, ...(run.wait === null ? [] : heldLines(run.wait, pid))] };
}

/**
 * Offers to push the branch and open a pull request with the user's tool, if the user chose to finish with one. Pushes
 * only after a yes at this terminal; otherwise the closing report lists the commands.
 */
async function openPullRequest(
  { io, env }: Pick<Invocation, "io" | "env">,
  { root, projections }: LocalProject,
  ended: EndedRun,
): Promise<readonly string[]> {
  const tool = (["gh", "glab"] as const).find((name) => findProgram(name, env).ok);
  const body = projections.readArtifact(BODY_FILE) ?? "";
  const commands = pullRequestCommands(ended, tool ?? "gh", body);
  if (chosenFinish(ended) !== "pr" || commands === null || tool === undefined || !io.interactive) return [];
  const wordOf = (word: string): string => (word === body ? `"$(cat ${BODY_FILE})"` : shellWord(word));
  const shown = commands.map((argv) => `  ${argv.map(wordOf).join(" ")}`);
  if (!(await ask(io, { question: "Run these now?", about: shown, enter: "n" }))) return [];
  for (const argv of commands)
    if ((await runInteractive({ argv, env, cwd: root })) !== 0)
      return [`${argv[0]} failed; run the commands above yourself.`];
  return [];
}
