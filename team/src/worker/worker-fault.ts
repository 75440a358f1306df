import type { Command } from "../../../src/core/command.ts";
import { describe, ProblemError } from "../../../src/core/problem.ts";
import type { WorkerHealth } from "./worker-health.ts";

/** A fault of the worker's machine: a full disk, a missing program. It does not concern the run. */
export class WorkerFaultError extends Error {}

const FAULTS = /no space left on device|ENOSPC|EDQUOT|disk quota exceeded|EMFILE|ENFILE|too many open files|ENOMEM/i;
/** Errors about the remote's disk do not concern this machine. */
const REMOTE_LINE = /^remote: .*$/gm;

const isFault = (text: string): boolean => FAULTS.test(text.replaceAll(REMOTE_LINE, ""));

/** Returns the description of a fault of the worker's machine, or null for other errors. */
export function findWorkerFault(error: unknown): string | null {
  if (error instanceof WorkerFaultError) return error.message;
  if (error instanceof ProblemError) {
    const { problem } = error;
    if (problem.code === "GIT_UNAVAILABLE") return problem.detail;
    if (problem.code === "AGENT_MISSING" || problem.code === "NO_AGENT") return describe(problem).what;
    return problem.code === "GIT_FAILED" && isFault(problem.detail) ? problem.detail : null;
  }
  return error instanceof Error && isFault(error.message) ? error.message : null;
}

/**
 * Rejects the report of a step that failed because of the worker's machine. It is not recorded: another worker repeats
 * the step. The machine is checked after each failure: the error can have any text, and that of an agent is not trusted.
 * @throws WorkerFaultError
 */
export async function refuseFaultReport(
  command: Command,
  health: Pick<WorkerHealth, "check" | "fault">,
): Promise<void> {
  if (command.do !== "report") return;
  const { outcome } = command;
  if ("failed" in outcome && isFault(outcome.detail)) throw new WorkerFaultError(outcome.detail);
  if (!("failed" in outcome) && outcome.of !== "broken") return;
  await health.check();
  const fault = health.fault();
  if (fault !== null) throw new WorkerFaultError(fault);
}
