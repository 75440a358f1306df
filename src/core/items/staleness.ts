import { ownValue } from "../own-value.ts";

export type Staleness = {
  readonly stale: boolean;
  /** As stored with the item: text from a file, fit for comparing and showing only. */
  readonly originalHash: string | null;
  /** As given. */
  readonly currentHash: string | null;
  /** For the caller to fill in: counting needs git. */
  readonly commitsBehind: null;
};

/** The shortest abbreviation git itself makes. */
const SHORTEST_PREFIX = 4;

/**
 * Whether the code moved on since the analysis. A short hash matches the full one it begins; nothing stored is never
 * stale, and a stored hash beside no current one always is: callers that could not ask git do not ask this either.
 */
export function checkStaleness(meta: unknown, currentHash: unknown): Staleness {
  const hash = ownValue(meta, "codebase_hash");
  const stored = typeof hash === "string" && hash !== "" ? hash : null;
  const current = typeof currentHash === "string" ? currentHash : null;
  const stale = stored !== null && !isSameCommit(stored, current ?? "");
  return { stale, originalHash: stored, currentHash: current, commitsBehind: null };
}

/** True for two names of one commit, either of which may be abbreviated. */
export function isSameCommit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const matches = long.toLowerCase().startsWith(short.toLowerCase());
  return matches && (short.length >= SHORTEST_PREFIX || short.length === long.length);
}
