/** Words that say little about the work, in addition to words of one or two letters. */
const COMMON = new Set(
  "add allow also and another any build change create does enable fix for from have implement improve into make not our per should some support that the them this use user users via when with without work".split(
    " ",
  ),
);
const MAX_TITLE_CHARS = 300;
/** Minimum share of the shorter title's words that similar titles have in common. */
const MIN_SHARED = 0.5;

/** Returns the words of a title that tell works apart, without plural and verb endings. */
export function titleWords(title: string): ReadonlySet<string> {
  const words = title
    .slice(0, MAX_TITLE_CHARS)
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);
  return new Set(words.filter((word) => word.length > 2 && !COMMON.has(word)).map(toStem));
}

const toStem = (word: string): string => (word.length < 4 ? word : word.replace(/(?:ing|ed|e?s|e)$/, ""));

/** True if two titles have the same words, in any order. One word is too little to name a work. */
export function haveSameWords(title: string, request: string): boolean {
  const [wanted, words] = [titleWords(request), titleWords(title)];
  return wanted.size > 1 && wanted.size === words.size && [...wanted].every((word) => words.has(word));
}

/** True if two titles may describe the same work. */
export function areSimilarTitles(one: string, other: string): boolean {
  const [a, b] = [titleWords(one), titleWords(other)];
  const shared = [...a].filter((word) => b.has(word)).length;
  const shorter = Math.min(a.size, b.size);
  if (shared === 0 || (shared === 1 && Math.max(a.size, b.size) > 1)) return false;
  return shared / shorter >= MIN_SHARED;
}
