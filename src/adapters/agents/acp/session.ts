import * as z from "zod/mini";
import type { AgentTask } from "../../../ports/agent-backend.ts";
import type { AgentSign, Usage } from "../../../schema/agent.ts";
import { AcpError, INVALID_PARAMS, METHOD_NOT_FOUND } from "./connection.ts";
import { PermissionRequest, readUpdate, type PromptResult, type UsageUpdate, callText } from "./messages.ts";
import { isPermitted, permissionOption, followLinks } from "./permission.ts";
import { createTurnLog, type AcpTurn } from "./turn.ts";
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

interface AcpUsage {
  /** Called when the conversation is open. Later reports of the cost belong to this execution. */
  begin(isNew: boolean): void;
  addTurn(answer: PromptResult): void;
  addUpdate(update: UsageUpdate): void;
  /** Returns the usage of this execution so far. Null if the agent reported none. */
  total(): Usage | null;
  /** Returns the same during the execution. Null if nothing was reported since the last call. */
  news(): Usage | null;
}

type PromptTokens = { readonly input: number; readonly output: number };

/**
 * Adds up the tokens of each answered prompt. The cost is reported for the whole conversation: if it was resumed, the
 * cost is known only if the agent reported it before our first prompt. `countsAllTokens` is false if an agent omits
 * some calls to the model: a wrong count is worse than none.
 */
function createAcpUsage(countsAllTokens: boolean): AcpUsage {
  const turns: (PromptTokens | null)[] = [];
  let before: number | null = null;
  let cost: number | null = null;
  let isNews = false;

  const tokens = (): PromptTokens | null => {
    const known = turns.flatMap((turn) => turn ?? []);
    if (!countsAllTokens || known.length === 0 || known.length < turns.length) return null;
    return known.reduce((sum, turn) => ({ input: sum.input + turn.input, output: sum.output + turn.output }));
  };
  const total = (): Usage | null => {
    const { input, output } = tokens() ?? { input: null, output: null };
    const usd = cost === null || before === null || cost <= before ? null : cost - before;
    return input === null && usd === null ? null : { input, output, usd };
  };
  return {
    begin: (isNew) => void (before = isNew ? 0 : cost),
    addTurn: (answer) => {
      turns.push(countTokens(answer));
      isNews = true;
    },
    addUpdate: (update) => {
      if (update.cost?.currency !== "USD") return;
      cost = update.cost.amount;
      isNews = true;
    },
    total,
    news: () => {
      const told = isNews ? total() : null;
      isNews = false;
      return told;
    },
  };
}

/** Returns null for zero tokens: agents report them for a turn that did not reach the model, without counting. */
function countTokens({ usage, _meta: meta }: PromptResult): PromptTokens | null {
  const quota = meta?.quota.token_count;
  const told = usage
    ? {
        input: usage.inputTokens + (usage.cachedReadTokens ?? 0) + (usage.cachedWriteTokens ?? 0),
        output: usage.outputTokens,
      }
    : quota && { input: quota.input_tokens, output: quota.output_tokens };
  return told && told.input + told.output > 0 ? told : null;
}
