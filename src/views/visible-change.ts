/* oxlint-disable no-misleading-character-class -- each of these is meant by itself */

/** Text in a file that looks like an inserted mark: its first character is marked. */
const LOOKALIKES = /<(?=U\+[0-9A-F]{4,6}>)|[\u2400-\u2421\ufffd]/g;
/** Characters that look like a space, and joiners, which `plainText` allows next to emoji. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f]/g;
/** Characters that look like ASCII: letter-like punctuation, hyphens, full-width and mathematical letters. */
const SIGNS =
  /[\u01c3\u02b9-\u02bc\u02c8\u02d0\u037e\u0387\u05c3\u2010\u2011\u2024\u2044\u2212\u2215\u2236\u2223\u29f5\u29f8\ua789\uff01-\uff5e]|[\u{1d400}-\u{1d7ff}]/gu;
const ASCII_ONLY = /^[\t\n\r\u0020-\u007e]*$/;
const WORD = /[\p{L}\p{M}\p{N}_$]+/gu;
const LATIN = /\p{Script=Latin}/u;
const OTHER = /(?!\p{Script=Latin})\p{L}/u;
const OTHERS = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;
/** Letters of other scripts that most fonts draw like Latin ones. */
const CONFUSABLE = /^[АВЕЅІЈКМНОРСТУХаеоѕіјрсухһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοναԍպոսօ]+$/u;

/**
 * Replaces characters of a change that are invisible or look like others with visible marks. Leaves control characters
 * and marks without a shape to `plainText`.
 */
export function visibleChange(text: string): string {
  if (ASCII_ONLY.test(text)) return text.replaceAll(LOOKALIKES, mark);
  return text
    .replaceAll(LOOKALIKES, mark)
    .split("\n")
    .map((line) => (ASCII_ONLY.test(line) ? line : visibleLine(line)))
    .join("\n");
}

/** Makes carriage returns visible, which terminals and browsers do not show. */
export const visibleReturns = (text: string): string => text.replaceAll("\r", "\u240d");

function visibleLine(line: string): string {
  const composed = markUncomposed(line);
  const words = composed.match(WORD) ?? [];
  const isForeign = words.some((word) => OTHER.test(word) && !LATIN.test(word) && !CONFUSABLE.test(word));
  return composed
    .replaceAll(WORD, (word) => {
      if (LATIN.test(word)) return word.replaceAll(OTHERS, mark);
      return !isForeign && CONFUSABLE.test(word) ? word.replaceAll(/./gsu, mark) : word;
    })
    .replaceAll(SPACES, mark)
    .replaceAll(SIGNS, mark);
}

/** Marks letters that are not in NFC, because they look the same as composed ones. */
function markUncomposed(line: string): string {
  if (line.normalize("NFC") === line) return line;
  return line.replaceAll(/\P{M}\p{M}*/gu, (cluster) => {
    if (cluster.normalize("NFC") === cluster) return cluster;
    const [base = "", ...marks] = cluster;
    return (base.normalize("NFC") === base ? base : mark(base)) + marks.map(mark).join("");
  });
}

const mark = (sign: string): string => `<U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
