import { type AgentSign, AgentResult, Verdict } from "../../../schema/agent.ts";
import { type ToolCall, callText, createMessageProgress } from "./messages.ts";
import { toJSONSchema } from "zod/mini";
import type { AgentTask } from "../../../ports/agent-backend.ts";

export type AcpTurn = {
  /** All messages after the last tool call. */
  readonly message: string;
  /** False if the agent sent no message and used no tool. */
  readonly didSomething: boolean;
};

/** Messages and tool calls between a prompt and its answer. */
export interface TurnLog {
  begin(): void;
  hear(text: string, messageId: string | null): void;
  /** Adds new fields to a tool call and returns all known ones. */
  watch(change: ToolCall): ToolCall;
  end(): AcpTurn;
}

export type TurnLogOptions = {
  readonly cwd: string;
  readonly show: (text: string) => void;
  readonly note: (sign: AgentSign) => void;
};

/** Characters kept from the end of the final message. */
const MAX_ANSWER_LENGTH = 1024 * 1024;

export function createTurnLog({ cwd, show, note }: TurnLogOptions): TurnLog {
  const running = new Map<string, ToolCall>();
  const seen = new Set<string>();
  const shown = new Set<string>();
  const progress = createMessageProgress(show);
  let turn: AcpTurn = { message: "", didSomething: false };
  let lastId: string | null = null;

  const endMessage = (): void => {
    progress.finish();
    turn = { message: "", didSomething: true };
  };
  return {
    begin: () => void (turn = { message: "", didSomething: false }),
    hear: (text, messageId) => {
      const said = messageId === lastId ? text : `\n${text}`;
      if (turn.message === "" || messageId !== lastId) note({ is: "call" });
      lastId = messageId;
      const message = `${turn.message}${said}`.slice(-MAX_ANSWER_LENGTH);
      turn = { message, didSomething: turn.didSomething || text !== "" };
      progress.push(said);
    },
    watch: (change) => {
      const { toolCallId: id, status } = change;
      const call = { ...running.get(id), ...withoutNulls(change) };
      if (status === "completed") note({ is: "work" });
      if (status === "completed" || status === "failed") running.delete(id);
      else running.set(id, call);
      if (!seen.has(id)) endMessage();
      seen.add(id);
      if (status === "pending" || shown.has(id)) return call; // its description may still be missing
      shown.add(id);
      show(callText(call, cwd));
      return call;
    },
    end: () => {
      progress.finish();
      return turn;
    },
  };
}

/** Removes empty fields, which must not overwrite known values. */
function withoutNulls(call: ToolCall): ToolCall {
  const told = Object.entries(call).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(told) as ToolCall; // the id is always present
}

/** Combines all parts into one text: the protocol supports neither system prompts nor structured results. */
export function acpPrompt({ persona, prompt, role }: AgentTask): string {
  return [persona, prompt, resultRequest(role)].filter((part) => part !== "").join("\n\n");
}

/** Returns the second prompt of a conversation, sent once if the final message had no valid result. */
export function acpReminder(role: AgentTask["role"], problem: string): string {
  return `Your last message does not end with the result that was asked for: ${problem}\n\n${resultRequest(role)}`;
}

function resultRequest(role: AgentTask["role"]): string {
  const schema = toJSONSchema(role === "phase" ? AgentResult : Verdict, { target: "draft-7", io: "input" });
  return [
    "When all is done, end your final message with your result: one JSON object in a ```json block, and nothing after it.",
    "It has to fit this JSON schema:",
    JSON.stringify(schema),
  ].join("\n");
}
