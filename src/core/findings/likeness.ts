import { isSameFile, type Location } from "./location.ts";
import type { Wording } from "./wording.ts";

export type ComparedText = { readonly place: Location; readonly wording: Wording };

/**
 * Minimum similarity of two descriptions: twice the shared weight over the sum of both. Set by the tables in
 * test/findings/rewordings.ts: a miss only costs an early stop, a wrong match could end a good loop.
 */
const LEAST = {
  /** One description adds nothing to the other. */
  contained: 0.6,
  /** Each adds something to the other: "… for the user", "… for the order". */
  crossing: 0.72,
  /** Only one of the two names its file. */
  unplaced: 0.8,
} as const;

/** Returns a similarity from 0 to 1; 0 for different findings. */
export function likeness(one: ComparedText, other: ComparedText): number {
  const placed = one.place.file !== null && other.place.file !== null;
  if (placed && !isSameFile(one.place.file, other.place.file)) return 0;
  if (contradicts(one.wording, other.wording)) return 0;
  if (one.wording.text === other.wording.text) return 1;
  const { score, crossing } = compared(one.wording, other.wording);
  const half = !placed && one.place.file !== other.place.file;
  const least = half ? LEAST.unplaced : crossing ? LEAST.crossing : LEAST.contained;
  return score >= least ? score : 0;
}

/** True if both name things, but no common one: "AC-3 has no test" and "AC-4 has no test". */
const contradicts = (one: Wording, other: Wording): boolean =>
  apart(one.numbered, other.numbered) || apart(one.names, other.names);

type KeySet = { readonly size: number; has(key: string): boolean; keys(): Iterable<string> };

function apart(one: KeySet, other: KeySet): boolean {
  if (one.size === 0 || other.size === 0) return false;
  for (const key of one.keys()) if (other.has(key)) return false;
  return true;
}

type LikenessScore = { readonly score: number; readonly crossing: boolean };

/** Ignores words of names in both texts: two findings about one function share them, and maybe nothing else. */
function compared(one: Wording, other: Wording): LikenessScore {
  const named = new Set<string>();
  for (const [name, stems] of one.names) if (other.names.has(name)) for (const stem of stems) named.add(stem);
  let shared = 0;
  let [onlyOne, onlyOther] = [0, 0];
  for (const [word, weight] of one.words) {
    if (named.has(word)) continue;
    if (other.words.has(word)) shared += weight;
    else onlyOne += weight;
  }
  for (const [word, weight] of other.words) if (!named.has(word) && !one.words.has(word)) onlyOther += weight;
  const all = 2 * shared + onlyOne + onlyOther;
  return { score: all === 0 ? 0 : (2 * shared) / all, crossing: onlyOne > 0 && onlyOther > 0 };
}
