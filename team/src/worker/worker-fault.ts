import type { Command } from "../../../src/core/command.ts";
import { ProblemError } from "../../../src/core/problem.ts";

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
    return problem.code === "GIT_FAILED" && isFault(problem.detail) ? problem.detail : null;
  }
  return error instanceof Error && isFault(error.message) ? error.message : null;
}

/**
 * Rejects the report of a step that failed because of the worker's machine. It is not recorded: another worker repeats
 * the step. @throws WorkerFaultError
 */
export function refuseFaultReport(command: Command): void {
  if (command.do !== "report" || !("failed" in command.outcome)) return;
  const { detail } = command.outcome;
  if (typeof detail === "string" && isFault(detail)) throw new WorkerFaultError(detail);
}
