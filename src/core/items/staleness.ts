import { ownValue } from "../own-value.ts";

export type Staleness = {
  readonly stale: boolean;
  /** Hash stored with the item. It is text from a file: only for comparison and display. */
  readonly originalHash: string | null;
  /** Hash passed by the caller. */
  readonly currentHash: string | null;
  /** Filled in by the caller, because counting needs git. */
  readonly commitsBehind: null;
};

/** Length of the shortest abbreviation made by git. */
const SHORTEST_PREFIX = 4;

/**
 * Checks if the code changed since the analysis. An abbreviated hash matches the full one. An item without a stored
 * hash is never stale. A stored hash without a current one always is, because callers that fail to query git do not
 * call this.
 */
export function checkStaleness(meta: unknown, currentHash: unknown): Staleness {
  const hash = ownValue(meta, "codebase_hash");
  const stored = typeof hash === "string" && hash !== "" ? hash : null;
  const current = typeof currentHash === "string" ? currentHash : null;
  const stale = stored !== null && !isSameCommit(stored, current ?? "");
  return { stale, originalHash: stored, currentHash: current, commitsBehind: null };
}

/** True for two names of one commit; either may be abbreviated. */
export function isSameCommit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const matches = long.toLowerCase().startsWith(short.toLowerCase());
  return matches && (short.length >= SHORTEST_PREFIX || short.length === long.length);
}
