import type { AgentSign } from "../../schema/agent.ts";
import type { ToolCall } from "./acp-messages.ts";
import { callText, createMessageProgress } from "./acp-progress.ts";

export type AcpTurn = {
  /** Everything the agent said after it last used a tool. */
  readonly message: string;
  /** False when it neither said nor did anything. */
  readonly didSomething: boolean;
};

/** What an agent says and does between a prompt and the answer to it. */
export interface TurnLog {
  begin(): void;
  hear(text: string, messageId: string | null): void;
  /** Takes what is new about the use of a tool, and gives all that is known of it. */
  watch(change: ToolCall): ToolCall;
  end(): AcpTurn;
}

export type TurnLogOptions = {
  readonly cwd: string;
  readonly show: (text: string) => void;
  readonly note: (sign: AgentSign) => void;
};

/** Characters of the final message that are kept, from its end. */
const MAX_MESSAGE_LENGTH = 1024 * 1024;

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
      const message = `${turn.message}${said}`.slice(-MAX_MESSAGE_LENGTH);
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
      if (status === "pending" || shown.has(id)) return call; // what it is about may still be missing
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

/** A field that says nothing does not take away what was known. */
function withoutNulls(call: ToolCall): ToolCall {
  const told = Object.entries(call).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(told) as ToolCall; // the id is always told
}
