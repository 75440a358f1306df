import * as z from "zod/mini";
import type { AgentTask, FailureReason } from "../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../schema/agent.ts";
import { errorSentence } from "./error-sentence.ts";
import type { AgentProcessEnd } from "./start-agent-process.ts";

export type ExecutionFailure = { how: "failed"; reason: FailureReason; detail: string; again: boolean };
export type ExecutionResult =
  | ExecutionFailure
  | { how: "result"; result: AgentResult }
  | { how: "verdict"; verdict: Verdict };

/** Maximum number of characters of a foreign text in a failure. */
const DETAIL = 2000;

export function failed(reason: FailureReason, detail: string, again: boolean): ExecutionFailure {
  return { how: "failed", reason, detail: errorSentence(detail.trim()).slice(0, DETAIL), again };
}

/** Returns the failure of an execution whose process did not exit by itself, otherwise null. */
export function stopped(end: AgentProcessEnd, task: AgentTask): ExecutionFailure | null {
  const failures: Readonly<Record<AgentProcessEnd["ended"], ExecutionFailure | null>> = {
    exit: null,
    notStarted: failed("not_started", end.stderrTail, false),
    silent: failed("silent", `it wrote nothing for ${task.limits.silence} seconds`, true),
    flooded: failed("agent_failed", "it wrote more output than allowed", false),
    aborted: failed("aborted", "it was stopped", true),
  };
  return failures[end.ended];
}

/** Adds denied actions to a result, or to the text of a failure: they may be its cause. */
export function withDenied(
  told: ExecutionResult,
  denied: readonly string[],
): ExecutionResult & { readonly denied?: readonly string[] } {
  if (denied.length === 0 || told.how === "verdict") return told;
  if (told.how === "result") return { ...told, denied };
  return { ...told, detail: `${told.detail}\nNot allowed: ${denied.join(", ")}` };
}

/** Validates a result sent by an agent. */
export function readResult(value: unknown, role: AgentTask["role"]): ExecutionResult {
  if (role === "phase") {
    const parsed = z.safeParse(AgentResult, value);
    return parsed.success ? { how: "result", result: parsed.data } : invalid(parsed.error);
  }
  const parsed = z.safeParse(Verdict, value);
  return parsed.success ? { how: "verdict", verdict: parsed.data } : invalid(parsed.error);
}

const invalid = (error: z.core.$ZodError): ExecutionFailure => failed("invalid_result", z.prettifyError(error), true);

/** Describes an exit, with the last output of the program, which often has the reason. */
export function exitText({ exitCode, signal, stderrTail }: AgentProcessEnd): string {
  const how = exitCode === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with exit code ${exitCode}`;
  const said = stderrTail.trim().slice(how.length + 2 - DETAIL);
  return said === "" ? how : `${how}: ${said}`;
}
