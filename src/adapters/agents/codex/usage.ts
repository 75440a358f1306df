import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { followFile } from "../../process/follow-file.ts";
import { parseJson } from "./output.ts";
import type { ConversationTokens } from "./conversation.ts";

export interface RolloutUsage {
  /** Returns the usage since the first turn of the conversation, as logged by Codex. Null if none is logged yet. */
  look(conversation: string): ConversationTokens | null;
}

/**
 * Codex prints usage only after a completed turn, but logs it after every call to the model. The log shows the usage
 * of turns that failed, were aborted or still run.
 */
export function createRolloutUsage(home: string): RolloutUsage {
  let log: { readonly conversation: string; readonly news: () => readonly string[] } | null = null;
  let total: ConversationTokens | null = null;
  return {
    look: (conversation) => {
      if (log?.conversation !== conversation) {
        const file = findLog(join(home, "sessions"), conversation);
        if (file === null) return null;
        log = { conversation, news: followFile(file, "\n") };
        total = null;
      }
      for (const line of log.news()) total = tokensIn(line) ?? total;
      return total;
    },
  };
}

const count = z.int().check(z.nonnegative());
const TokenCount = z.object({
  type: z.literal("event_msg"),
  payload: z.object({
    type: z.literal("token_count"),
    info: z.object({ total_token_usage: z.object({ input_tokens: count, output_tokens: count }) }),
  }),
});

function tokensIn(line: string): ConversationTokens | null {
  if (!line.includes('"token_count"')) return null;
  const noted = z.safeParse(TokenCount, parseJson(line));
  if (!noted.success) return null;
  const { input_tokens: input, output_tokens: output } = noted.data.payload.info.total_token_usage;
  return { input, output };
}

/** Day folders to search, the latest first. */
const MAX_DAYS = 400;

/** Finds `sessions/<year>/<month>/<day>/rollout-<time>-<conversation>.jsonl`. Null if it does not exist. */
function findLog(sessions: string, conversation: string): string | null {
  const latest = (folder: string): string[] => namesIn(folder).toSorted().toReversed();
  const days = latest(sessions).flatMap((year) =>
    latest(join(sessions, year)).flatMap((month) =>
      latest(join(sessions, year, month)).map((day) => join(sessions, year, month, day)),
    ),
  );
  for (const day of days.slice(0, MAX_DAYS)) {
    const name = namesIn(day).find((one) => one.endsWith(`-${conversation}.jsonl`));
    if (name !== undefined) return join(day, name);
  }
  return null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // missing, or not a folder
  }
}
