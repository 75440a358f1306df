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

/** Longest part of a foreign text that goes into a failure. */
const DETAIL = 2000;

export function failed(reason: FailureReason, detail: string, again: boolean): ExecutionFailure {
  return { how: "failed", reason, detail: errorSentence(detail.trim()).slice(0, DETAIL), again };
}

/** How an execution failed whose process did not come to its own end; null where it did. */
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

/** What was refused goes with a result, and into the words of a failure: it may be the reason. */
export function withDenied(
  told: ExecutionResult,
  denied: readonly string[],
): ExecutionResult & { readonly denied?: readonly string[] } {
  if (denied.length === 0 || told.how === "verdict") return told;
  if (told.how === "result") return { ...told, denied };
  return { ...told, detail: `${told.detail}\nNot allowed: ${denied.join(", ")}` };
}

/** What an agent sent as its result, measured by our own schema. */
export function readResult(value: unknown, role: AgentTask["role"]): ExecutionResult {
  if (role === "phase") {
    const parsed = z.safeParse(AgentResult, value);
    return parsed.success ? { how: "result", result: parsed.data } : invalid(parsed.error);
  }
  const parsed = z.safeParse(Verdict, value);
  return parsed.success ? { how: "verdict", verdict: parsed.data } : invalid(parsed.error);
}

const invalid = (error: z.core.$ZodError): ExecutionFailure => failed("invalid_result", z.prettifyError(error), true);

/** With the end of what the program said: there the reason tends to be. */
export function exitText({ exitCode, signal, stderrTail }: AgentProcessEnd): string {
  const how = exitCode === null ? `it was ended by ${signal ?? "a signal"}` : `it ended with exit code ${exitCode}`;
  const said = stderrTail.trim().slice(how.length + 2 - DETAIL);
  return said === "" ? how : `${how}: ${said}`;
}
