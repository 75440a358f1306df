import type { Usage } from "../../schema/agent.ts";
import type { PromptResult, UsageUpdate } from "./acp-messages.ts";

export interface AcpUsage {
  /** The conversation is open; a cost told from now on belongs to this execution. */
  begin(isNew: boolean): void;
  addTurn(answer: PromptResult): void;
  addUpdate(update: UsageUpdate): void;
  /** What this execution used so far; null when the agent told nothing. */
  total(): Usage | null;
  /** The same while it works; null when nothing came since it was last asked for. */
  news(): Usage | null;
}

type Tokens = { readonly input: number; readonly output: number };

/**
 * Adds up the tokens of each answered prompt. The cost is told for the whole conversation: of one that goes on, it is
 * known only where the agent told it before our first prompt.
 * `countsAllTokens` is false where an agent leaves out some of its calls to the model: a wrong count is worse than none.
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

/** A turn in which the model was not reached is told as zero tokens, which only says that nothing was counted. */
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
