import { digestSecret } from "./principals.ts";

/** Tells guessing from use: who sends many unknown tokens from one address has to wait, and tokens that were good do not. */
export type RefusedTokens = {
  /** Whether a token is worth looking up now. */
  mayTry(address: string, token: string): boolean;
  noteGood(token: string): void;
  noteRefused(address: string): void;
};

const MAX_REFUSED = 20;
export const FORGOTTEN_AFTER = 60; // seconds
/** Addresses and tokens that are remembered; beyond that the oldest are forgotten. */
const MAX_REMEMBERED = 10_000;

type RefusalCount = { readonly since: number; readonly refused: number };

/** In memory: each server counts for itself, and forgets with a restart. */
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
  if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
}
