import * as z from "zod/mini";
import type { AgentTask, FailureReason } from "../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../schema/agent.ts";
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

/** Services nest errors in errors. */
const MAX_CAUSE_DEPTH = 6;

/** Replaces JSON in an error text by the message it contains. Other text stays unchanged. */
export function errorSentence(text: string): string {
  const [start, end] = [text.search(/[[{]/), Math.max(text.lastIndexOf("}"), text.lastIndexOf("]")) + 1];
  if (start === -1 || end <= start) return text;
  const message = messageIn(parsed(text.slice(start, end)), MAX_CAUSE_DEPTH);
  if (message === null) return text;
  const [before, after] = [text.slice(0, start).trim(), text.slice(end).trim()];
  const lead = before === "" || before.endsWith(message) ? "" : `${before.replace(/:$/, "")}: `;
  return `${lead}${message}${after === "" ? "" : ` ${after}`}`;
}

function messageIn(value: unknown, depth: number): string | null {
  if (depth === 0) return null;
  if (typeof value === "string")
    return messageIn(parsed(value), depth - 1) ?? (value.trim() === "" ? null : value.trim());
  if (typeof value !== "object" || value === null) return null;
  const inner = Array.isArray(value) ? value : ["error", "message", "detail"].map((key) => ownValue(value, key));
  return inner.map((one: unknown) => messageIn(one, depth - 1)).find((message) => message !== null) ?? null;
}

const ownValue = (value: object, key: string): unknown => (value as Readonly<Record<string, unknown>>)[key];

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
