import type { AgentEnd, AgentTask } from "../../../ports/agent-backend.ts";
import type { Usage } from "../../../schema/agent.ts";
import { larger } from "../../../core/execution-watch.ts";
import { serviceFailure } from "../../process/service-trouble.ts";
import {
  exitText,
  type ExecutionFailure,
  failed,
  readResult,
  stopped,
  type ExecutionResult,
  withDenied,
} from "../../process/execution-end.ts";
import type { AgentProcessEnd } from "../../process/start-agent-process.ts";
import type { ResultLine } from "./output.ts";
import { claudeUsage } from "./usage.ts";

export type ClaudeOutcome = {
  readonly process: AgentProcessEnd;
  readonly results: readonly ResultLine[];
  /** Id of the conversation. Null if the process never reported its start. */
  readonly session: string | null;
  /** Usage counted during the execution. */
  readonly seen: Usage | null;
};

const SIGN_IN = 'Run "claude" and enter "/login", or set ANTHROPIC_API_KEY.';

/**
 * Accepts a result only if the process exited by itself with code 0, its last result is not an error, and the
 * structured result exists and fits our schema.
 */
export function claudeEnd(outcome: ClaudeOutcome, task: AgentTask): AgentEnd {
  const session = outcome.results.at(-1)?.session_id ?? outcome.session;
  const told = stopped(outcome.process, task) ?? judged(outcome, task.role);
  return {
    type: "end",
    usage: larger(claudeUsage(outcome.results), outcome.seen),
    session,
    ...withDenied(told, deniedRules(outcome.results)),
  };
}

/** True if the conversation to resume is not on this machine (any more), or belongs to another product. */
export function isLostConversation({ process, results }: ClaudeOutcome): boolean {
  const last = results.at(-1);
  if (last === undefined) return process.exitCode !== 0 && NO_CONVERSATION.test(process.stderrTail);
  return last.is_error && (last.num_turns ?? 0) === 0 && NO_CONVERSATION.test(errorText(last));
}

const NO_CONVERSATION = /No conversation found|--resume requires a valid session ID/;

function judged({ process, results }: ClaudeOutcome, role: AgentTask["role"]): ExecutionResult {
  const last = results.at(-1);
  if (last === undefined) return withoutResult(process);
  if (last.is_error) return reportedError(last);
  if (process.exitCode !== 0) return failed("bad_exit", exitText(process), true);
  if (last.structured_output === undefined) {
    return failed("no_result", `it ended without a structured result: ${last.result ?? ""}`, true);
  }
  return readResult(last.structured_output, role);
}

function withoutResult(process: AgentProcessEnd): ExecutionFailure {
  if (process.exitCode === 0) return failed("no_result", `it ended without a result. ${process.stderrTail}`, true);
  const isTooOld = process.stderrTail.includes("unknown option");
  return failed("bad_exit", exitText(process), !isTooOld);
}

function reportedError(line: ResultLine): ExecutionFailure {
  switch (line.subtype) {
    case "success": // also reported for a failed call to the model service
      return serviceError(line);
    case "error_max_structured_output_retries":
      return failed("invalid_result", errorText(line), true);
    case "error_during_execution":
      return failed("agent_failed", errorText(line), true);
    case "error_max_budget_usd":
      return failed("over_budget", errorText(line), false);
    default: // the limit on turns, and future subtypes
      return failed("agent_failed", errorText(line), false);
  }
}

/** Retries unrecognized errors, which may have any cause. */
function serviceError(line: ResultLine): ExecutionFailure {
  const text = errorText(line);
  const fault = serviceFailure({ status: line.api_error_status ?? null, text }, SIGN_IN);
  return fault === null ? failed("agent_failed", text, true) : failed(fault.reason, fault.detail, fault.again);
}

function errorText(line: ResultLine): string {
  return line.errors?.join("; ") ?? line.result ?? line.subtype;
}

type Denial = ResultLine["permission_denials"][number];

/** Rules reported to the user per execution. */
const MAX_RULES = 20;
/** Characters of one rule. */
const MAX_RULE_LENGTH = 200;

/**
 * Returns the rules that would allow the refused calls. A rule ending in "…" is incomplete: the whole rule would be
 * too long, or would allow more than the refused call.
 */
function deniedRules(results: readonly ResultLine[]): readonly string[] {
  const rules = results.flatMap((line) => line.permission_denials.map(ruleFor));
  return [...new Set(rules)].slice(0, MAX_RULES);
}

function ruleFor({ tool_name: name, tool_input: input }: Denial): string {
  const given = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const textOf = (key: string): string => (typeof given[key] === "string" ? given[key] : "");
  switch (name) {
    case "Bash":
      return rule(name, textOf("command"));
    case "WebFetch":
      return rule(name, readDomain(textOf("url")));
    case "Read":
      return rule(name, toAbsoluteRule(textOf("file_path")));
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
    case "Write": // one rule covers all of them
      return rule("Edit", toAbsoluteRule(textOf("file_path") || textOf("notebook_path")));
    default:
      return oneLine(name).slice(0, MAX_RULE_LENGTH);
  }
}

/** Never returns the bare tool name, which would allow all of its uses. */
function rule(tool: string, what: string): string {
  const exact = WIDENS.exec(what)?.index ?? what.length;
  const kept = oneLine(what.slice(0, Math.min(exact, MAX_RULE_LENGTH)));
  return kept.length === what.length && kept !== "" ? `${tool}(${kept})` : `${tool}(${kept}…)`;
}

/** Characters that match more than themselves in a rule, or end it. */
const WIDENS = /[*?[\]()\\\p{Cc}\p{Cf}]/u;

const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ");

/** Absolute paths start with two slashes in a rule. */
const toAbsoluteRule = (path: string): string => (path.startsWith("/") ? `/${path}` : path);

function readDomain(url: string): string {
  return URL.canParse(url) ? `domain:${new URL(url).hostname}` : url;
}
