import type { Step } from "../schema/event.ts";
import type { Claim } from "../schema/facts.ts";
import { attemptId, type AttemptId, type Ticket } from "../schema/ids.ts";
import {
  type ActiveRun,
  currentPhase,
  isExecuting,
  type PhaseRecord,
  redoLimit,
  type RunState,
  type Stage,
  type Wait,
  type WaitOption,
} from "./run.ts";

/** The next step, the open wait, or the end of a run. */
export type Next =
  | { readonly is: "action"; readonly step: Step; readonly ticket: Ticket; readonly attempt: AttemptId | null }
  | { readonly is: "wait"; readonly wait: Wait; readonly options: readonly WaitOption[] }
  | { readonly is: "done"; readonly how: "none" | "finished" | "cancelled" };

/**
 * Step of each stage. `produced` always has an open gate and never gets here; checking again would be the safe choice.
 */
const STEP_OF: { readonly [S in Stage["is"]]: Step } = {
  preparing: "prepare",
  baselining: "baseline",
  entering: "enter",
  producing: "produce",
  checking: "check",
  reviewing: "review",
  completing: "complete",
  produced: "recheck",
  rechecking: "recheck",
  accepting: "commit",
  measuring: "measure",
  refining: "refine",
  rewinding: "rewind",
  finishing: "finish",
};

/** Returns the next step. Pure and total: gives the same answer after a crash. */
export function next(state: RunState): Next {
  if (state.is === "none") return { is: "done", how: "none" };
  if (state.is === "ended") return { is: "done", how: state.how };
  if (state.wait !== null) return { is: "wait", wait: state.wait, options: listWaitOptions(state, state.wait) };
  return { is: "action", step: currentStep(state), ticket: currentTicket(state), attempt: currentAttempt(state) };
}

export const currentStep = (run: ActiveRun): Step => STEP_OF[run.stage.is];

/** Returns the current attempt; while entering, the one about to start. Null outside phases. */
export function currentAttempt(run: ActiveRun): AttemptId | null {
  const phase = currentPhase(run);
  if (phase === undefined || run.stage.is === "preparing" || run.stage.is === "baselining") return null;
  return attemptId(phase.rule.key, run.stage.is === "entering" ? phase.attempts + 1 : phase.attempts);
}

/** Identifies the current step, and no other step of the run. */
export const currentTicket = (run: ActiveRun): Ticket => `${currentAttempt(run) ?? "run"}@${run.since}`;

/** Lists possible answers to a wait. Menus, status and all other interfaces use this list. */
export function listWaitOptions(run: ActiveRun, wait: Wait): readonly WaitOption[] {
  switch (wait.kind) {
    case "gate":
      return gateOptions(run, wait);
    case "questions":
      return ["answer"];
    case "escalation":
      return [...wait.offered, "cancel"];
    case "sizing":
      return ["accept", "light", "standard"];
    case "budget":
      return ["raise", "cancel"];
    case "finish":
      return wait.offered;
    default:
      return wait satisfies never;
  }
}

function gateOptions(run: ActiveRun, wait: Extract<Wait, { kind: "gate" }>): readonly WaitOption[] {
  const paused = run.stage.is === "produced" && run.stage.pausedAt !== null;
  const redoable = (currentPhase(run)?.redos ?? 0) < redoLimit(run);
  return [
    "continue",
    ...(paused ? [] : ["review" as const]),
    ...(redoable ? ["redo" as const] : []),
    ...(codePhaseBefore(run) === null ? [] : ["back" as const]),
    ...(wait.loosened === null ? [] : ["loosen" as const]),
    ...(currentPhase(run)?.made?.unexpected.some(isFile) === true ? ["revert" as const] : []),
  ];
}

/**
 * Returns the phase to send code findings to: the nearest earlier phase that may write code. Null at a phase that may
 * write code itself, or without such a phase.
 */
export function codePhaseBefore(run: ActiveRun): PhaseRecord | null {
  if (currentPhase(run)?.rule.writes === "tree") return null;
  const earlier = run.phases
    .slice(0, run.index)
    .filter(({ rule, attempts, dropped }) => rule.writes === "tree" && attempts > 0 && !dropped);
  return earlier.at(-1) ?? null;
}

/** False for branches, commits and the user's own settings: they are listed like files but cannot be restored. */
export const isFile = (path: string): boolean =>
  !/(?:^|\/)\.git\//.test(path) && !/^~\/(?:\.gitconfig$|\.config\/git\/)/.test(path);

/** Agent name for work done in the user's own agent session. */
export const SESSION_AGENT = "session";

/** Returns the session working on the current phase, if any. */
export function claimedSession({ stage }: ActiveRun): NonNullable<Claim["session"]> | null {
  return (isExecuting(stage) ? stage.claim?.session : null) ?? null;
}

/** True in steps in which an agent writes. */
export function isWriting(run: ActiveRun): boolean {
  const step = currentStep(run);
  return run.wait === null && (step === "produce" || step === "refine");
}

/** True while the run waits for a session to work on it or report. */
export function isWithSession(run: ActiveRun): boolean {
  const key = currentPhase(run)?.rule.key ?? "";
  const agent = run.run.agents?.[key] ?? run.run.agent;
  return claimedSession(run) !== null || (isWriting(run) && agent.name === SESSION_AGENT);
}
