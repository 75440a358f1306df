import type { Usage } from "../../schema/agent.ts";
import type { PromptResult, UsageUpdate } from "./acp-messages.ts";

export interface AcpUsage {
  /** Called when the conversation is open. Later reports of the cost belong to this execution. */
  begin(isNew: boolean): void;
  addTurn(answer: PromptResult): void;
  addUpdate(update: UsageUpdate): void;
  /** Returns the usage of this execution so far. Null if the agent reported none. */
  total(): Usage | null;
  /** Returns the same during the execution. Null if nothing was reported since the last call. */
  news(): Usage | null;
}

type Tokens = { readonly input: number; readonly output: number };

/**
 * Adds up the tokens of each answered prompt. The cost is reported for the whole conversation: if it was resumed, the
 * cost is known only if the agent reported it before our first prompt. `countsAllTokens` is false if an agent omits
 * some calls to the model: a wrong count is worse than none.
 */
export function createAcpUsage(countsAllTokens: boolean): AcpUsage {
  const turns: (Tokens | null)[] = [];
  let before: number | null = null;
  let cost: number | null = null;
  let isNews = false;

  const tokens = (): Tokens | null => {
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
function countTokens({ usage, _meta: meta }: PromptResult): Tokens | null {
  const quota = meta?.quota.token_count;
  const told = usage
    ? {
        input: usage.inputTokens + (usage.cachedReadTokens ?? 0) + (usage.cachedWriteTokens ?? 0),
        output: usage.outputTokens,
      }
    : quota && { input: quota.input_tokens, output: quota.output_tokens };
  return told && told.input + told.output > 0 ? told : null;
}
