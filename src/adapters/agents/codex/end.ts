import type { AgentEnd, AgentTask } from "../../../ports/agent-backend.ts";
import type { Usage } from "../../../schema/agent.ts";
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
import { conversationText } from "./conversation.ts";
import type { CodexConversation, ConversationTokens } from "./conversation.ts";
import { parseJson } from "./output.ts";
import type { TurnEnd } from "./output.ts";

export type CodexOutcome = {
  readonly process: AgentProcessEnd;
  /** End of the last turn. Null if no turn ended. */
  readonly turn: TurnEnd | null;
  /** Last message of the agent, if there is one. */
  readonly message: string | null;
  /** Null if the process never reported its start. */
  readonly conversation: CodexConversation | null;
  /** Commands that failed because of the agent's sandbox. */
  readonly denied: readonly string[];
  /** Usage since the first turn of the conversation, from its log. Null if the log has none. */
  readonly noted: ConversationTokens | null;
};

const SIGN_IN = 'Run "codex login", or set the variable with the key that your settings name.';

/**
 * Accepts a result only if the process exited by itself with code 0, its turn was completed, and the last message fits
 * our schema. Codex itself does not validate the message.
 */
export function codexEnd(outcome: CodexOutcome, task: AgentTask): AgentEnd {
  const told = stopped(outcome.process, task) ?? judged(outcome, task.role);
  return { type: "end", ...counted(outcome), ...withDenied(told, outcome.denied) };
}

/** True if the conversation to resume is not on this machine (any more). */
export function isLostConversation({ process, conversation }: CodexOutcome): boolean {
  return conversation === null && process.exitCode !== 0 && process.stderrTail.includes("no rollout found");
}

/**
 * Returns the usage of this execution, and the conversation with its total usage. A failed turn reports no usage. If
 * the log has none either, it is counted with the next turn that reports usage.
 */
function counted({ turn, conversation, noted }: CodexOutcome): { usage: Usage | null; session: string | null } {
  if (conversation === null) return { usage: null, session: null };
  const total = readTotal(turn) ?? noted;
  if (total === null) return { usage: null, session: conversationText(conversation) };
  const session = conversationText({ id: conversation.id, before: total });
  return { usage: usedSince(conversation, total), session };
}

/** Returns null if the counts are inconsistent or zero. */
export function usedSince({ before }: CodexConversation, total: ConversationTokens): Usage | null {
  const used = { input: total.input - before.input, output: total.output - before.output };
  const isTold = used.input >= 0 && used.output >= 0 && used.input + used.output > 0;
  return isTold ? { ...used, usd: null } : null;
}

function readTotal(turn: TurnEnd | null): ConversationTokens | null {
  if (turn?.type !== "turn.completed" || !turn.usage) return null;
  return { input: turn.usage.input_tokens, output: turn.usage.output_tokens };
}

function judged({ process, turn, message }: CodexOutcome, role: AgentTask["role"]): ExecutionResult {
  if (turn?.type === "turn.failed") return failedTurn(turn.error.message);
  if (process.exitCode !== 0) return failed("bad_exit", exitText(process), !isRefusedStart(process));
  if (turn === null) return failed("no_result", `it ended in the middle of its turn. ${process.stderrTail}`, true);
  const value = parseJson(message ?? "");
  if (value === null) return failed("no_result", `it ended without a structured result: ${message ?? ""}`, true);
  return readResult(value, role);
}

/** Codex reports a failed turn as text only. Unrecognized failures may be temporary and are retried. */
function failedTurn(text: string): ExecutionFailure {
  const fault = serviceFailure({ status: null, text }, SIGN_IN);
  return fault === null ? failed("agent_failed", text, true) : failed(fault.reason, fault.detail, fault.again);
}

/** True for options or settings unknown to this version: a retry would fail the same way. */
function isRefusedStart({ stderrTail }: AgentProcessEnd): boolean {
  return /unexpected argument|invalid value|unrecognized subcommand|error loading config/i.test(stderrTail);
}
