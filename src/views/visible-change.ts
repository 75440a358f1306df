/* oxlint-disable no-misleading-character-class -- each of these is meant by itself */
/** Marks of ours that a file could also contain as text: the first sign of such a text is marked itself. */
const LOOKALIKES = /<(?=U\+[0-9A-F]{4,6}>)|[\u2400-\u2421\ufffd]/g;
/** Spaces that look like the one of the keyboard, and joiners, which plain text may have around emoji. */
const SPACES = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000\u200c\u200d\ufe0e\ufe0f]/g;
/** Signs that are drawn like one of ASCII: letter-like punctuation, hyphens, full-width and mathematical letters. */
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
 * Text of a change in which nothing can be hidden or confused: what is drawn like something else, or not at all, is a
 * visible mark. Controls and marks without a shape are left to `plainText`.
 */
export function visibleChange(text: string): string {
  if (ASCII_ONLY.test(text)) return text.replaceAll(LOOKALIKES, mark);
  return text
    .replaceAll(LOOKALIKES, mark)
    .split("\n")
    .map((line) => (ASCII_ONLY.test(line) ? line : visibleLine(line)))
    .join("\n");
}

/** A carriage return at the end of a line, which a terminal and a browser do not show. */
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

/** Letters that Unicode writes in more than one way look the same in all of them. */
function markUncomposed(line: string): string {
  if (line.normalize("NFC") === line) return line;
  return line.replaceAll(/\P{M}\p{M}*/gu, (cluster) => {
    if (cluster.normalize("NFC") === cluster) return cluster;
    const [base = "", ...marks] = cluster;
    return (base.normalize("NFC") === base ? base : mark(base)) + marks.map(mark).join("");
  });
}

const mark = (sign: string): string => `<U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`;
