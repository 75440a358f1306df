import { budgetQuestion } from "../core/budget.ts";
import { attentionFor, attentionText } from "../core/changes/attention.ts";
import { isWithSession, next, claimedSession } from "../core/next.ts";
import {
  type ActiveRun,
  currentPhase,
  type EndedRun,
  type PhaseRecord,
  type RunState,
  type Wait,
  type WaitOption,
  chosenFinish,
  mergedAs,
  cancelReason,
  observedSandbox,
} from "../core/run.ts";
import type { Question } from "../schema/agent.ts";
import type { RunStatus } from "../schema/api.ts";
import type { StatusPhase, StatusView, StatusWait } from "../schema/api-status.ts";
import type { Sizing } from "../schema/facts.ts";
import { answerCommand } from "./answer-options.ts";
import { redosSpent } from "./gate-banner.ts";
import { troubleLines } from "./trouble-lines.ts";
import { hadNothingToMerge, heldAgainst, nothingToMerge } from "./finish-lines.ts";
import { plainLine } from "./plain-text.ts";
import { failureLines, movedLines } from "./open-again.ts";
import { sessionLines } from "./session-lines.ts";
import { reviewsFolder, summaryFileName } from "./summary.ts";
import { formatCount } from "../core/duration.ts";
import { tokens } from "./metrics.ts";
import { stepText } from "./work-lines.ts";
import { attemptPhase, type NamePhase, runPhases } from "./phase-names.ts";

export type Liveness = { readonly driven: boolean };

/** Returns the status of a run as data for programs. Returns null if no run was ever started. */
export function statusObject(state: RunState, { driven }: Liveness): StatusView | null {
  if (state.is === "none") return null;
  return {
    id: state.run.run,
    workflow: state.run.workflow,
    item: state.run.item,
    description: state.run.title,
    status: statusWord(state, driven),
    supervised: state.supervision.enabled,
    mode: state.run.options.mode,
    branch: state.run.git?.branch ?? null,
    agent: state.run.agent.name,
    sandbox: observedInRun(state),
    ...whereObject(state),
    phases: state.phases.filter((phase) => !phase.dropped).map(phaseObject),
    sizing:
      state.sizing === null
        ? null
        : { recommended: state.sizing.sizing.recommended, effective: state.sizing.effective },
    waiting: state.is === "active" && state.wait !== null ? waitObject(state, state.wait) : null,
    ...(state.is === "ended"
      ? { finish: chosenFinish(state), merged: mergedAs(state), reason: cancelReason(state) }
      : {}),
  };
}

const whereObject = (run: ActiveRun | EndedRun): Pick<StatusView, "current" | "session"> =>
  run.is === "ended"
    ? { current: null, session: null }
    : { current: currentPhase(run)?.rule.key ?? null, session: claimedSession(run)?.id ?? null };

export function statusWord(state: ActiveRun | EndedRun, driven: boolean): RunStatus {
  if (state.is === "ended") return state.how === "finished" ? "completed" : "cancelled";
  if (state.wait !== null) return "waiting";
  return driven || isWithSession(state) ? "running" : "interrupted";
}

const phaseObject = (phase: PhaseRecord): StatusPhase => ({
  key: phase.rule.key,
  name: phase.rule.name,
  status: phase.status,
  attempt: phase.attempts,
  iterations: phase.iterations.length,
  redos: phase.redos,
  concerns: phase.made?.concerns ?? [],
  usage: phase.usage,
});

export function waitObject(run: ActiveRun, wait: Wait): StatusWait {
  const now = next(run);
  const options = now.is === "wait" ? now.options : [];
  const { id } = wait;
  switch (wait.kind) {
    case "gate": {
      const paused = run.stage.is === "produced" && run.stage.pausedAt !== null;
      const { loosened, failures } = wait;
      const toRead = attentionFor(currentPhase(run)?.made ?? null);
      return { kind: wait.kind, id, options, paused, summary: summaryPath(run), loosened, failures, ...toRead };
    }
    case "questions":
      return { kind: wait.kind, id, options, questions: wait.questions };
    case "escalation":
      return { kind: wait.kind, id, options, step: wait.from, reason: wait.reason, detail: wait.detail };
    case "sizing":
      return { kind: wait.kind, id, options, ...wait.sizing };
    case "budget": {
      const { kind, spent, budget, unknown, ahead } = wait;
      return { kind, id, options, spent, budget, unknown, ahead };
    }
    case "finish":
      return {
        kind: wait.kind,
        id,
        options,
        base: baseBranch(run),
        ...(wait.moved.length === 0 ? {} : { moved: wait.moved }),
      };
    default:
      return wait satisfies never;
  }
}

/** Returns the path of the current phase's summary, relative to the working tree. */
export function summaryPath(run: ActiveRun): string | null {
  const phase = currentPhase(run);
  if (phase === undefined) return null;
  return `${reviewsFolder(run)}/${summaryFileName(
    run.phases.map(({ rule }) => rule.key),
    phase.rule.key,
  )}`;
}

const MARKS: { readonly [S in PhaseRecord["status"]]: string } = {
  pending: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  skipped: "[-]",
};

/** Formats the status of a run. */
export function statusLines(state: RunState, liveness: Liveness): string[] {
  if (state.is === "none") return ["No run is open here.", 'Start one: isdlc "<what to do>"'];
  const { run } = state;
  const branch = run.git?.branch ?? null;
  return [
    `${run.workflow}: ${plainLine(run.title)}`,
    `${statusWord(state, liveness.driven)} · ${run.run} · agent ${plainLine(run.agent.name)}${sandboxText(state)}${branch === null ? "" : ` · ${branch}`}`,
    "",
    ...state.phases.filter((phase) => !phase.dropped).map(phaseLine),
    "",
    ...nowLines(state, liveness),
  ];
}

/** Returns an empty string if unknown, as for agent sessions. */
function sandboxText(state: ActiveRun | EndedRun): string {
  const sandbox = observedInRun(state);
  if (sandbox === null) return "";
  return sandbox ? " in a sandbox" : " without a sandbox";
}

/** Before the first execution, returns the setting. */
function observedInRun({ run, phases }: ActiveRun | EndedRun): boolean | null {
  if (run.agent.name === "session" && phases.every(({ bySession }) => bySession === undefined)) return null;
  const observed = phases.map((phase) => observedSandbox(run, phase));
  return observed.includes(null) ? null : (run.sandbox ?? null);
}

function phaseLine(phase: PhaseRecord): string {
  const details = [
    phase.attempts > 1 ? `attempt ${phase.attempts}` : "",
    phase.redos > 0 ? formatCount(phase.redos, "redo") : "",
    phase.iterations.length > 0 ? `${phase.iterations.length} reviewed` : "",
    (phase.made?.concerns.length ?? 0) > 0 ? formatCount(phase.made?.concerns.length ?? 0, "concern") : "",
    tokens(phase.usage, phase),
  ].filter((detail) => detail !== "");
  const tail = details.length === 0 ? "" : `  (${details.join(", ")})`;
  return `  ${MARKS[phase.status]} ${phase.rule.name}${tail}`;
}

function nowLines(state: ActiveRun | EndedRun, { driven }: Liveness): string[] {
  if (state.is === "ended") return endLines(state);
  const now = next(state);
  if (now.is === "wait")
    return [
      ...heldAgainst(state),
      ...waitLines(now.wait, now.options, waitPlace(state)),
      ...toReadLines(state, now.wait),
    ];
  if (now.is !== "action") return [];
  if (!driven && isWithSession(state)) return sessionLines(state);
  return driven
    ? [`Now: ${stepText(now.step, now.attempt, runPhases(state))}`]
    : ["Interrupted.", `To continue: isdlc resume${runItem(state) === null ? "" : ` --item ${runItem(state)}`}`];
}

/** Target branch of a merge. */
const baseBranch = ({ run }: Pick<ActiveRun, "run">): string | null => run.git?.base ?? null;

function toReadLines(run: ActiveRun, wait: Wait): string[] {
  if (wait.kind !== "gate") return [];
  const phase = currentPhase(run);
  const isPaused = run.stage.is === "produced" && run.stage.pausedAt !== null;
  return [
    ...(isPaused ? ["Paused for your review; nothing continues until you answer."] : []),
    ...(phase === undefined ? [] : redosSpent(run, phase)),
    `To read: ${attentionText(attentionFor(phase?.made ?? null))}`,
  ];
}

function endLines(run: EndedRun): string[] {
  if (run.how === "cancelled") return [`Cancelled: ${plainLine(run.reason)}`];
  if (run.merged !== null) return [`Merged as ${run.merged.slice(0, 12)}.`];
  if (chosenFinish(run) === "discard") return ["Finished; the work was discarded."];
  if (hadNothingToMerge(run)) return [nothingToMerge(run.run)];
  const branch = run.run.git?.branch ?? null;
  return [branch === null ? "Finished." : `Finished; branch ${branch} is kept.`];
}

/** `item`: named in commands, unless the user is in its run anyway. */
export type WaitPlace = { readonly item: string | null; readonly name: NamePhase };

export const waitPlace = (run: ActiveRun): WaitPlace => ({ item: runItem(run), name: runPhases(run) });

/** Describes the open wait, with the commands that answer it. */
export function waitLines(wait: Wait, options: readonly WaitOption[], { item, name }: WaitPlace): string[] {
  const where = item === null ? "" : ` --item ${item}`;
  const answers = options.map((option) => `  ${answerCommand(option)}${where}`);
  switch (wait.kind) {
    case "gate":
      return [...failureLines(wait), `Waiting for you at the gate of ${attemptPhase(wait.id, name)}:`, ...answers];
    case "questions":
      return [
        `${waitAsker(wait, name)} asks:`,
        ...wait.questions.map((question) => `  ${plainLine(question.id)}: ${questionText(question)}`),
        `Answer: isdlc answer${where} --reply <id>=<text>${wait.questions.length > 1 ? ", once for each question" : " (or --text <text>)"}`,
      ];
    case "escalation":
      return [...troubleLines(wait, name), "You can:", ...answers];
    case "sizing":
      return [`How large is this work? ${plainLine(wait.sizing.rationale)}`, ...metricLines(wait.sizing), ...answers];
    case "budget":
      return [`${budgetQuestion(wait)}.`, ...answers];
    case "finish":
      return [...movedLines(wait.moved), finishQuestion(wait), ...answers];
    default:
      return wait satisfies never;
  }
}

function finishQuestion({ offered }: Extract<Wait, { kind: "finish" }>): string {
  const asked = offered.includes("merge")
    ? "Merge, open a pull request, or keep the branch?"
    : "How should the run finish?";
  return `All phases are done. ${asked}`;
}

/** Names the agent that asks. The phase is part of the wait's id. */
export function waitAsker({ id }: Wait, name: NamePhase): string {
  const phase = attemptPhase(id, name);
  return phase === "" ? "The agent" : `The agent of phase ${phase}`;
}

function questionText({ text, choices }: Question): string {
  return plainLine(choices.length === 0 ? text : `${text} (${choices.join(" / ")})`);
}

/** Returns the folder of the item if the run is an item's analysis, or null for a run of the working tree. */
export const runItem = ({ run }: ActiveRun): string | null =>
  run.scope === "item" ? run.item.slice(run.item.lastIndexOf("/") + 1) : null;

function metricLines({ metrics, source }: Sizing): string[] {
  if (metrics === null) return ["  metrics: none found"];
  const { file_count, module_count, risk_score, coupling, coverage_gaps } = metrics;
  const told = `files ${file_count}, modules ${module_count}, risk ${risk_score}, coupling ${coupling}, coverage gaps ${coverage_gaps}`;
  return [`  ${plainLine(told)} (from ${plainLine(source ?? "nowhere")})`];
}
