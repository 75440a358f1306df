export type ParsedCommandLine =
  | { readonly ok: true; readonly argv: readonly string[] }
  | { readonly ok: false; readonly detail: string };

/**
 * Splits a command into program and arguments, as users type it. Single quotes keep everything, double quotes all but
 * `\"` and `\\`, and a backslash outside quotes keeps the next character. Variables, patterns and substitutions are
 * not expanded.
 */
export function parseCommandLine(text: string): ParsedCommandLine {
  const argv: string[] = [];
  let rest = text.trimStart();
  while (rest !== "") {
    const word = readWord(rest);
    if (typeof word === "string") return { ok: false, detail: word };
    argv.push(word.text);
    rest = rest.slice(word.length).trimStart();
  }
  if (argv[0] === undefined || argv[0] === "") return { ok: false, detail: "no program is named" };
  if (text.includes("\0")) return { ok: false, detail: "it holds a NUL character" };
  return { ok: true, argv };
}

type Word = { readonly text: string; readonly length: number };

/** Reads a word, or returns what is wrong with it. */
function readWord(text: string): Word | string {
  let word = "";
  let quote = "";
  let at = 0;
  for (; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote === "" && /\s/.test(character)) break;
    if (character === quote) quote = "";
    else if (quote === "" && (character === "'" || character === '"')) quote = character;
    else if (character === "\\" && escapes(quote, text.charAt(at + 1))) word += text.charAt((at += 1));
    else word += character;
  }
  if (quote !== "") return `a ${quote} is not closed`;
  if (at > text.length) return "it ends with a backslash";
  return { text: word, length: at };
}

function escapes(quote: string, next: string): boolean {
  return quote === "" || (quote === '"' && (next === '"' || next === "\\"));
}

/** Quotes a text as one word of a shell command for copying; safe text stays as it is. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
