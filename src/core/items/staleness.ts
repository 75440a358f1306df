import { ownValue } from "../own-value.ts";

export type Staleness = {
  readonly stale: boolean;
  /** As stored with the item: text from a file, fit for comparing and showing only. */
  readonly originalHash: string | null;
  readonly currentHash: string | null;
  /** For the caller to fill in: counting needs git. */
  readonly commitsBehind: null;
};

/** The shortest abbreviation git itself makes. */
const SHORTEST_PREFIX = 4;

/** Whether the code moved on since the analysis. A short hash matches the full one it begins; nothing stored is never stale. */
export function checkStaleness(meta: unknown, currentHash: unknown): Staleness {
  const stored = textOrNull(ownValue(meta, "codebase_hash"));
  const current = textOrNull(currentHash);
  const stale = stored !== null && current !== null && !isSameCommit(stored, current);
  return { stale, originalHash: stored, currentHash: current, commitsBehind: null };
}

/** True for two names of one commit, either of which may be abbreviated. */
export function isSameCommit(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  const matches = long.toLowerCase().startsWith(short.toLowerCase());
  return matches && (short.length >= SHORTEST_PREFIX || short.length === long.length);
}

function textOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
