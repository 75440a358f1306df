import type { Outcome, Report } from "../../core/command.ts";
import { currentAttempt, currentStep, currentTicket } from "../../core/next.ts";
import { describe, ProblemError } from "../../core/problem.ts";
import type { Step } from "../../schema/event.ts";
import type { Ticket } from "../../schema/ids.ts";
import type { Engine, Task } from "../engine.ts";
import { measureBaseline } from "../steps/baseline.ts";
import { finishRun } from "../steps/finish.ts";
import { commitPhase, prepareRun } from "../steps/repository.ts";
import { completePhase, enterPhase } from "../steps/phase-ends.ts";
import { checkDraft, recheck } from "../steps/checks.ts";
import { produce, review } from "../steps/executions.ts";
import { measureWork, refineTasks } from "../steps/after-phase.ts";
import { rewindTree } from "../steps/going-back.ts";

type Perform = (engine: Engine, task: Task, signal: AbortSignal) => Promise<Outcome | Report | null>;

const steps: { readonly [S in Step]: Perform } = {
  prepare: prepareRun,
  baseline: measureBaseline,
  enter: enterPhase,
  produce,
  check: checkDraft,
  review,
  complete: completePhase,
  recheck,
  commit: commitPhase,
  measure: measureWork,
  refine: refineTasks,
  rewind: rewindTree,
  finish: finishRun,
};

/**
 * Runs one step. Failures are returned as outcomes, not thrown. Returns null if the step was aborted or the run
 * advanced concurrently.
 * @throws ProblemError for errors of the journal.
 */
export async function perform(engine: Engine, task: Task, signal: AbortSignal): Promise<Report | null> {
  const { step, ticket } = task;
  try {
    const outcome = await steps[step](engine, task, signal);
    if (signal.aborted && !RUNS_AGENTS.has(step)) return null;
    if (outcome === null || "do" in outcome) return outcome;
    return { do: "report", ticket, outcome };
  } catch (error) {
    if (signal.aborted) return null;
    if (!(error instanceof ProblemError) || JOURNAL_PROBLEMS.has(error.problem.code)) throw error;
    const { what, fix } = describe(error.problem);
    return {
      do: "report",
      ticket: await readTicket(engine, task),
      outcome: { of: step, failed: error.problem.code.toLowerCase(), detail: `${what} ${fix}` },
    };
  }
}

/** Returns the current ticket: if the step claimed an execution before it failed, its ticket changed. */
async function readTicket(engine: Engine, { run, step, ticket }: Task): Promise<Ticket> {
  const { state } = await engine.journal.load(engine.run);
  const isAtHand =
    state.is === "active" && currentStep(state) === step && currentAttempt(state) === currentAttempt(run);
  return isAtHand ? currentTicket(state) : ticket;
}

/** Steps that report an abort themselves, as a lost execution. */
const RUNS_AGENTS: ReadonlySet<Step> = new Set<Step>(["produce", "review", "refine"]);

/** Errors of the journal itself. They cannot be recorded in it and are rethrown. */
const JOURNAL_PROBLEMS: ReadonlySet<string> = new Set([
  "JOURNAL_CORRUPT",
  "JOURNAL_FORGED",
  "JOURNAL_MISSING",
  "JOURNAL_ELSEWHERE",
  "JOURNAL_NEWER",
  "WRITE_FAILED",
  "LOCK_BUSY",
]);
