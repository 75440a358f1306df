import * as z from "zod/mini";
import type { AgentEnd, AgentTask, FailureReason } from "../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../schema/agent.ts";
import { serviceFailure } from "../process/service-trouble.ts";
import type { AgentProcessEnd } from "../process/start-agent-process.ts";
import { deniedRules } from "./claude-denials.ts";
import type { ResultLine } from "./claude-line.ts";
import { claudeUsage } from "./claude-usage.ts";

export type ClaudeOutcome = {
  readonly process: AgentProcessEnd;
  readonly results: readonly ResultLine[];
  /** Null when the process never said that it began. */
  readonly session: string | null;
};

type Failed = { how: "failed"; reason: FailureReason; detail: string; again: boolean };
type Told = Failed | { how: "result"; result: AgentResult } | { how: "verdict"; verdict: Verdict };

/** Longest part of a foreign text that goes into a failure. */
const DETAIL = 2000;

const SIGN_IN = 'Run "claude" and enter "/login", or set ANTHROPIC_API_KEY.';

/**
 * Believed only when everything agrees: the process ended by itself with 0, its last result is no error, and the
 * structured result is there and fits our schema.
 */
export function claudeEnd(outcome: ClaudeOutcome, task: AgentTask): AgentEnd {
  const session = outcome.results.at(-1)?.session_id ?? outcome.session;
  const told = stopped(outcome.process, task) ?? judged(outcome, task.role);
  const denied = told.how === "result" ? deniedRules(outcome.results) : [];
  const refused = denied.length === 0 ? {} : { denied };
  return { type: "end", usage: claudeUsage(outcome.results), session, ...told, ...refused };
}

/** True when the conversation to go on with is not on this machine (any more), or is one of another product. */
export function isLostConversation({ process, results }: ClaudeOutcome): boolean {
  const last = results.at(-1);
  if (last === undefined) return process.exitCode !== 0 && NO_CONVERSATION.test(process.stderrTail);
  return last.is_error && (last.num_turns ?? 0) === 0 && NO_CONVERSATION.test(errorText(last));
}

const NO_CONVERSATION = /No conversation found|--resume requires a valid session ID/;

/** Null when the process came to its own end. */
function stopped(end: AgentProcessEnd, task: AgentTask): Failed | null {
  const failures: Readonly<Record<AgentProcessEnd["ended"], Failed | null>> = {
    exit: null,
    notStarted: failed("not_started", end.stderrTail, false),
    silent: failed("silent", `no output for ${task.limits.silence} seconds`, true),
    flooded: failed("agent_failed", "it wrote more output than is accepted", false),
    aborted: failed("aborted", "it was stopped", true),
  };
  return failures[end.ended];
}

function judged({ process, results }: ClaudeOutcome, role: AgentTask["role"]): Told {
  const last = results.at(-1);
  if (last === undefined) return withoutResult(process);
  if (last.is_error) return reportedError(last);
  if (process.exitCode !== 0) return failed("bad_exit", exitText(process), true);
  if (last.structured_output === undefined) {
    return failed("no_result", `it ended without a structured result: ${last.result ?? ""}`, true);
  }
  return role === "phase" ? phaseResult(last.structured_output) : verdictResult(last.structured_output);
}

function phaseResult(output: unknown): Told {
  const parsed = z.safeParse(AgentResult, output);
  return parsed.success ? { how: "result", result: parsed.data } : invalid(parsed.error);
}

function verdictResult(output: unknown): Told {
  const parsed = z.safeParse(Verdict, output);
  return parsed.success ? { how: "verdict", verdict: parsed.data } : invalid(parsed.error);
}

function invalid(error: z.core.$ZodError): Failed {
  return failed("invalid_result", z.prettifyError(error), true);
}

function withoutResult(process: AgentProcessEnd): Failed {
  if (process.exitCode === 0) return failed("no_result", `it ended without a result. ${process.stderrTail}`, true);
  const isTooOld = process.stderrTail.includes("unknown option");
  return failed("bad_exit", exitText(process), !isTooOld);
}

function reportedError(line: ResultLine): Failed {
  switch (line.subtype) {
    case "success": // how a failed call to the model service is reported
      return serviceError(line);
    case "error_max_structured_output_retries":
      return failed("invalid_result", errorText(line), true);
    case "error_during_execution":
      return failed("agent_failed", errorText(line), true);
    default: // limits on turns and money, and whatever comes later
      return failed("agent_failed", errorText(line), false);
  }
}

/** What cannot be told apart may be anything: it is tried once more. */
function serviceError(line: ResultLine): Failed {
  const text = errorText(line);
  const fault = serviceFailure({ status: line.api_error_status ?? null, text }, SIGN_IN);
  return fault === null ? failed("agent_failed", text, true) : failed(fault.reason, fault.detail, fault.again);
}

function errorText(line: ResultLine): string {
  return line.errors?.join("; ") ?? line.result ?? line.subtype;
}

function exitText({ exitCode, signal, stderrTail }: AgentProcessEnd): string {
  const how = signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`;
  return stderrTail === "" ? how : `${how}: ${stderrTail}`;
}

function failed(reason: FailureReason, detail: string, again: boolean): Failed {
  return { how: "failed", reason, detail: detail.trim().slice(0, DETAIL), again };
}
