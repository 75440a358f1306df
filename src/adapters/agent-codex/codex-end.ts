import * as z from "zod/mini";
import type { AgentEnd, AgentTask, FailureReason } from "../../ports/agent-backend.ts";
import { AgentResult, Verdict } from "../../schema/agent.ts";
import type { Usage } from "../../schema/agent.ts";
import { serviceFailure } from "../process/service-trouble.ts";
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
};

type Failed = { how: "failed"; reason: FailureReason; detail: string; again: boolean };
type Told = Failed | { how: "result"; result: AgentResult } | { how: "verdict"; verdict: Verdict };

/** Longest part of a foreign text that goes into a failure. */
const DETAIL = 2000;

const SIGN_IN = 'Run "codex login", or set the variable with the key that your settings name.';

/**
 * Believed only when everything agrees: the process ended by itself with 0, its turn was completed, and the last
 * message is a result that fits our schema. Codex itself does not measure the message by the schema.
 */
export function codexEnd(outcome: CodexOutcome, task: AgentTask): AgentEnd {
  const told = stopped(outcome.process, task) ?? judged(outcome, task.role);
  const refused = told.how === "result" && outcome.denied.length > 0 ? { denied: outcome.denied } : {};
  return { type: "end", ...counted(outcome), ...told, ...refused };
}

/** True when the conversation to go on with is not on this machine (any more). */
export function isLostConversation({ process, conversation }: CodexOutcome): boolean {
  return conversation === null && process.exitCode !== 0 && process.stderrTail.includes("no rollout found");
}

/**
 * What this execution used, and the conversation with all it used so far. A turn that failed tells nothing: what it
 * used is then part of the next one that does.
 */
function counted({ turn, conversation }: CodexOutcome): { usage: Usage | null; session: string | null } {
  if (conversation === null) return { usage: null, session: null };
  const total = totalOf(turn);
  if (total === null) return { usage: null, session: conversationText(conversation) };
  const { id, before } = conversation;
  const used = { input: total.input - before.input, output: total.output - before.output };
  const isTold = used.input >= 0 && used.output >= 0 && used.input + used.output > 0;
  return { usage: isTold ? { ...used, usd: null } : null, session: conversationText({ id, before: total }) };
}

function totalOf(turn: Turn | null): Tokens | null {
  if (turn?.type !== "turn.completed" || !turn.usage) return null;
  return { input: turn.usage.input_tokens, output: turn.usage.output_tokens };
}

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

function judged({ process, turn, message }: CodexOutcome, role: AgentTask["role"]): Told {
  if (turn?.type === "turn.failed") return failedTurn(turn.error.message);
  if (process.exitCode !== 0) return failed("bad_exit", exitText(process), !isRefusedStart(process));
  if (turn === null) return failed("no_result", `it ended in the middle of its turn. ${process.stderrTail}`, true);
  const value = parseJson(message ?? "");
  if (value === null) return failed("no_result", `it ended without a structured result: ${message ?? ""}`, true);
  return role === "phase" ? phaseResult(value) : verdictResult(value);
}

function phaseResult(value: unknown): Told {
  const parsed = z.safeParse(AgentResult, value);
  return parsed.success ? { how: "result", result: parsed.data } : invalid(parsed.error);
}

function verdictResult(value: unknown): Told {
  const parsed = z.safeParse(Verdict, value);
  return parsed.success ? { how: "verdict", verdict: parsed.data } : invalid(parsed.error);
}

function invalid(error: z.core.$ZodError): Failed {
  return failed("invalid_result", z.prettifyError(error), true);
}

/** Codex tells a failed turn in words alone. What they do not say may pass. */
function failedTurn(text: string): Failed {
  const fault = serviceFailure({ status: null, text }, SIGN_IN);
  return fault === null ? failed("agent_failed", text, true) : failed(fault.reason, fault.detail, fault.again);
}

/** Options or settings that this version does not know: started again it would say the same. */
function isRefusedStart({ stderrTail }: AgentProcessEnd): boolean {
  return /unexpected argument|invalid value|unrecognized subcommand|error loading config/i.test(stderrTail);
}

function exitText({ exitCode, signal, stderrTail }: AgentProcessEnd): string {
  const how = signal === null ? `it ended with exit code ${exitCode}` : `it was ended by ${signal}`;
  return stderrTail === "" ? how : `${how}: ${stderrTail}`;
}

function failed(reason: FailureReason, detail: string, again: boolean): Failed {
  return { how: "failed", reason, detail: detail.trim().slice(0, DETAIL), again };
}
