import * as z from "zod/mini";
import type { AgentTask } from "../../ports/agent-backend.ts";
import type { AgentSign } from "../../schema/agent.ts";
import { AcpError, INVALID_PARAMS, METHOD_NOT_FOUND } from "./acp-connection.ts";
import { PermissionRequest, readUpdate } from "./acp-messages.ts";
import { isPermitted, permissionOption } from "./acp-permission.ts";
import { callText } from "./acp-progress.ts";
import { createTurnLog, type AcpTurn } from "./acp-turn.ts";
import { createAcpUsage, type AcpUsage } from "./acp-usage.ts";
import { followLinks } from "./follow-links.ts";

/** Known properties of an agent. */
export type AcpTraits = {
  /** True if its read-only mode is known to hold against anything the model tries. */
  readonly readOnlyHolds: boolean;
  /** False if its token counts are known to be incomplete. */
  readonly countsAllTokens: boolean;
  readonly tellsCost: boolean;
  /** True if it was tested to resume an earlier conversation. */
  readonly resumes?: boolean;
  /** True if its title of a command is exactly that command. */
  readonly commandInTitle: boolean;
};

export type AcpSessionOptions = {
  readonly task: AgentTask;
  readonly traits: AcpTraits;
  readonly show: (text: string) => void;
  /** Called with each sign of progress. */
  readonly note: (sign: AgentSign) => void;
};

/** Notifications and requests of an agent during one conversation. */
export interface AcpSession {
  readonly usage: AcpUsage;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onRequest: (method: string, params: unknown) => unknown;
  /** Accepts updates from this conversation only. */
  open(id: string): void;
  /** Called before a prompt. Earlier messages, such as a replayed conversation, do not count. */
  beginTurn(): void;
  endTurn(): AcpTurn;
  /** Answers all later permission requests with "cancelled". */
  cancel(): void;
  /** Lists the requests that were not allowed, without duplicates. */
  denied(): readonly string[];
}

/** Refusals reported to the user per execution. */
const MAX_DENIED = 20;

export function createAcpSession({ task, traits, show, note }: AcpSessionOptions): AcpSession {
  const { access, cwd, item, tests } = task;
  const { commandInTitle } = traits;
  const usage = createAcpUsage(traits.countsAllTokens);
  const turn = createTurnLog({ cwd, show, note });
  let openId: string | null = null;
  let isListening = false;
  let isCancelled = false;
  const denied = new Set<string>();

  const onNotification = (method: string, params: unknown): void => {
    const update = method === "session/update" ? readUpdate(params, openId) : null;
    if (update === null) return;
    if (update.sessionUpdate === "usage_update") usage.addUpdate(update);
    else if (!isListening) return;
    else if (update.sessionUpdate !== "agent_message_chunk") turn.watch(update);
    else turn.hear(update.content.text ?? "", update.messageId ?? null);
  };
  const permit = (params: unknown): object => {
    const read = z.safeParse(PermissionRequest, params);
    if (!read.success) throw new AcpError(INVALID_PARAMS, z.prettifyError(read.error));
    const call = turn.watch(read.data.toolCall);
    const permitted = isPermitted({ access, cwd, item, tests, call, commandInTitle, follow: followLinks });
    const what = callText(call, cwd);
    if (!permitted) show(`Not allowed: ${what}`);
    if (!permitted && denied.size < MAX_DENIED) denied.add(what);
    const optionId = isCancelled ? null : permissionOption(read.data.options, permitted);
    return { outcome: optionId === null ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  };
  return {
    usage,
    onNotification,
    onRequest: (method, params) => {
      if (method === "session/request_permission") return permit(params);
      throw new AcpError(METHOD_NOT_FOUND, `there is no "${method}" here`);
    },
    open: (id) => void (openId = id),
    beginTurn: () => {
      isListening = true;
      turn.begin();
    },
    endTurn: () => turn.end(),
    cancel: () => void (isCancelled = true),
    denied: () => [...denied],
  };
}
