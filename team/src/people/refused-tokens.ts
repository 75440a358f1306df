import { digestSecret } from "./principals.ts";

/** Limits guessing: an address that sent many unknown tokens must wait. Tokens that were valid before are exempt. */
export type RefusedTokens = {
  /** Returns true if the token may be looked up now. */
  mayTry(address: string, token: string): boolean;
  noteGood(token: string): void;
  noteRefused(address: string): void;
};

const MAX_REFUSED = 20;
export const FORGOTTEN_AFTER = 60; // seconds
/** Maximum number of remembered addresses, and of tokens. Beyond it, the oldest are dropped. */
const MAX_REMEMBERED_TOKENS = 10_000;

type RefusalCount = { readonly since: number; readonly refused: number };

/** Creates counts in memory: each server counts separately, and a restart clears them. */
export function createRefusedTokens(now: () => number = Date.now): RefusedTokens {
  const counts = new Map<string, RefusalCount>();
  const good = new Set<string>();
  const countOf = (address: string): RefusalCount => {
    const found = counts.get(address);
    const isFresh = found !== undefined && now() - found.since < FORGOTTEN_AFTER * 1000;
    return isFresh ? found : { since: now(), refused: 0 };
  };
  return {
    mayTry: (address, token) => countOf(address).refused < MAX_REFUSED || good.has(digestSecret(token)),
    noteGood(token) {
      good.add(digestSecret(token));
      forgetOldest(good);
    },
    noteRefused(address) {
      const { since, refused } = countOf(address);
      counts.set(address, { since, refused: refused + 1 });
      forgetOldest(counts);
    },
  };
}

export function forgetOldest(remembered: Map<string, unknown> | Set<string>): void {
  const [oldest] = remembered.keys();
  if (remembered.size > MAX_REMEMBERED_TOKENS && oldest !== undefined) remembered.delete(oldest);
}
