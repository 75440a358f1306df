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

/** What should happen now. */
export type Next =
  | { readonly is: "action"; readonly step: Step; readonly ticket: Ticket; readonly attempt: AttemptId | null }
  | { readonly is: "wait"; readonly wait: Wait; readonly options: readonly WaitOption[] }
  | { readonly is: "done"; readonly how: "none" | "finished" | "cancelled" };

/** What each stage asks for. `produced` always carries a gate and never gets here; re-checking would be the safe reading. */
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

/** Pure and total: after a crash the same answer comes out again. */
export function next(state: RunState): Next {
  if (state.is === "none") return { is: "done", how: "none" };
  if (state.is === "ended") return { is: "done", how: state.how };
  if (state.wait !== null) return { is: "wait", wait: state.wait, options: listWaitOptions(state, state.wait) };
  return { is: "action", step: currentStep(state), ticket: currentTicket(state), attempt: currentAttempt(state) };
}

export const currentStep = (run: ActiveRun): Step => STEP_OF[run.stage.is];

/** The attempt at hand; while entering, the one about to begin. Null outside phases. */
export function currentAttempt(run: ActiveRun): AttemptId | null {
  const phase = currentPhase(run);
  if (phase === undefined || run.stage.is === "preparing" || run.stage.is === "baselining") return null;
  return attemptId(phase.rule.key, run.stage.is === "entering" ? phase.attempts + 1 : phase.attempts);
}

/** Names the step at hand, and no other step of any turn. */
export const currentTicket = (run: ActiveRun): Ticket => `${currentAttempt(run) ?? "run"}@${run.since}`;

/** What a person may answer now; menus, status and every other surface draw from this. */
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
 * Where work that a review phase found wanting is done: the last phase before it that may write code. Null at a phase
 * that may write code itself, and where none has.
 */
export function codePhaseBefore(run: ActiveRun): PhaseRecord | null {
  if (currentPhase(run)?.rule.writes === "tree") return null;
  const earlier = run.phases
    .slice(0, run.index)
    .filter(({ rule, attempts, dropped }) => rule.writes === "tree" && attempts > 0 && !dropped);
  return earlier.at(-1) ?? null;
}

/** Branches, commits and the user's own settings are shown like files, and cannot be restored. */
export const isFile = (path: string): boolean =>
  !/(?:^|\/)\.git\//.test(path) && !/^~\/(?:\.gitconfig$|\.config\/git\/)/.test(path);

/** The name, among the agents of a run, of work that is done in the person's own agent session. */
export const SESSION_AGENT = "session";

/** The session that works on the current phase; null where none does. */
export function claimedSession({ stage }: ActiveRun): NonNullable<Claim["session"]> | null {
  return (isExecuting(stage) ? stage.claim?.session : null) ?? null;
}

/** True in the steps in which an agent writes. */
export function isWriting(run: ActiveRun): boolean {
  const step = currentStep(run);
  return run.wait === null && (step === "produce" || step === "refine");
}

/** True while the run has nothing to do until a session works on it or reports. */
export function isWithSession(run: ActiveRun): boolean {
  const key = currentPhase(run)?.rule.key ?? "";
  const agent = run.run.agents?.[key] ?? run.run.agent;
  return claimedSession(run) !== null || (isWriting(run) && agent.name === SESSION_AGENT);
}
