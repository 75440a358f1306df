import type { AgentEnd, AgentTask } from "../../ports/agent-backend.ts";
import type { Usage } from "../../schema/agent.ts";
import { serviceFailure } from "../process/service-trouble.ts";
import {
  exitText,
  type ExecutionFailure,
  failed,
  readResult,
  stopped,
  type ExecutionResult,
  withDenied,
} from "../process/execution-end.ts";
import type { AgentProcessEnd } from "../process/start-agent-process.ts";
import { conversationText } from "./codex-conversation.ts";
import type { CodexConversation, Tokens } from "./codex-conversation.ts";
import { parseJson } from "./codex-line.ts";
import type { Turn } from "./codex-line.ts";

export type CodexOutcome = {
  readonly process: AgentProcessEnd;
  /** How the last turn ended; null when none did. */
  readonly turn: Turn | null;
  /** The last thing the agent said; null when it said nothing. */
  readonly message: string | null;
  /** Null when the process never said that it began. */
  readonly conversation: CodexConversation | null;
  /** Commands that its sandbox kept from something. */
  readonly denied: readonly string[];
  /** What the conversation used since its first turn, as its log has it; null where it does not tell. */
  readonly noted: Tokens | null;
};

const SIGN_IN = 'Run "codex login", or set the variable with the key that your settings name.';

/**
 * Believed only when everything agrees: the process ended by itself with 0, its turn was completed, and the last
 * message is a result that fits our schema. Codex itself does not measure the message by the schema.
 */
export function codexEnd(outcome: CodexOutcome, task: AgentTask): AgentEnd {
  const told = stopped(outcome.process, task) ?? judged(outcome, task.role);
  return { type: "end", ...counted(outcome), ...withDenied(told, outcome.denied) };
}

/** True when the conversation to go on with is not on this machine (any more). */
export function isLostConversation({ process, conversation }: CodexOutcome): boolean {
  return conversation === null && process.exitCode !== 0 && process.stderrTail.includes("no rollout found");
}

/**
 * What this execution used, and the conversation with all it used so far. A turn that failed tells nothing itself; what
 * neither it nor the log tells is part of the next one that does.
 */
function counted({ turn, conversation, noted }: CodexOutcome): { usage: Usage | null; session: string | null } {
  if (conversation === null) return { usage: null, session: null };
  const total = readTotal(turn) ?? noted;
  if (total === null) return { usage: null, session: conversationText(conversation) };
  const session = conversationText({ id: conversation.id, before: total });
  return { usage: usedSince(conversation, total), session };
}

/** Null where the figures do not fit together, or tell nothing. */
export function usedSince({ before }: CodexConversation, total: Tokens): Usage | null {
  const used = { input: total.input - before.input, output: total.output - before.output };
  const isTold = used.input >= 0 && used.output >= 0 && used.input + used.output > 0;
  return isTold ? { ...used, usd: null } : null;
}

function readTotal(turn: Turn | null): Tokens | null {
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

/** Codex tells a failed turn in words alone. What they do not say may pass. */
function failedTurn(text: string): ExecutionFailure {
  const fault = serviceFailure({ status: null, text }, SIGN_IN);
  return fault === null ? failed("agent_failed", text, true) : failed(fault.reason, fault.detail, fault.again);
}

/** Options or settings that this version does not know: started again it would say the same. */
function isRefusedStart({ stderrTail }: AgentProcessEnd): boolean {
  return /unexpected argument|invalid value|unrecognized subcommand|error loading config/i.test(stderrTail);
}
