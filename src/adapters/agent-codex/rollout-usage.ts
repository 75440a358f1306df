import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { followFile } from "../process/follow-file.ts";
import { parseJson } from "./codex-line.ts";
import type { Tokens } from "./codex-conversation.ts";

export interface RolloutUsage {
  /** What the conversation used since its first turn, as far as Codex noted it; null while nothing is. */
  look(conversation: string): Tokens | null;
}

/**
 * Codex prints what it used only when a turn is completed. In its log of a conversation it notes it after every call
 * to the model, so what one that failed or was ended used is read there, and of one that runs what it used so far.
 */
export function createRolloutUsage(home: string): RolloutUsage {
  let log: { readonly conversation: string; readonly news: () => readonly string[] } | null = null;
  let total: Tokens | null = null;
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

function tokensIn(line: string): Tokens | null {
  if (!line.includes('"token_count"')) return null;
  const noted = z.safeParse(TokenCount, parseJson(line));
  if (!noted.success) return null;
  const { input_tokens: input, output_tokens: output } = noted.data.payload.info.total_token_usage;
  return { input, output };
}

/** Folders by day that are looked through, the latest first. */
const MAX_DAYS = 400;

/** `sessions/<year>/<month>/<day>/rollout-<time>-<conversation>.jsonl`; null where there is none. */
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
    return []; // not there, or no folder
  }
}
