/** One command of a line of shell, without its quotes. */
export type ShellCommand = {
  readonly words: readonly string[];
  /** Files that output is sent to. */
  readonly targets: readonly string[];
};

type Reader = { readonly text: string; at: number; readonly commands: { words: string[]; targets: string[] }[] };

const SEPARATORS = new Set([";", "&", "|", "\n", "(", ")", "`"]);
const BLANKS = new Set([" ", "\t", "\r"]);
const QUOTES = new Set(["'", '"']);
const WORD_ENDS = new Set([...BLANKS, ...SEPARATORS, "<", ">"]);

/**
 * The commands of a line of shell, those of substitutions among them. It follows quotes, redirections and here-documents
 * and expands no variables: what is hidden in them is found by the engine afterwards, not here.
 */
export function shellCommands(text: string): readonly ShellCommand[] {
  const reader: Reader = { text, at: 0, commands: [{ words: [], targets: [] }] };
  const endings: string[] = [];
  while (reader.at < text.length) readPart(reader, endings);
  return reader.commands.filter(({ words, targets }) => words.length + targets.length > 0);
}

function readPart(reader: Reader, endings: string[]): void {
  const { text } = reader;
  const char = text[reader.at] ?? "";
  if (BLANKS.has(char)) reader.at++;
  else if (char === "#" && isWordStart(reader)) skipTo(reader, "\n");
  else if (char === "&" && text[reader.at + 1] === ">") {
    reader.at++;
    redirect(reader);
  } else if (char === "<") inputOf(reader, endings);
  else if (char === ">") redirect(reader);
  else if (SEPARATORS.has(char)) separate(reader, endings);
  else word(reader);
}

function separate(reader: Reader, endings: string[]): void {
  const isLineEnd = reader.text[reader.at] === "\n";
  reader.at++;
  reader.commands.push({ words: [], targets: [] });
  if (isLineEnd) for (const ending of endings.splice(0)) skipDocument(reader, ending);
}

/** `> file`, `>> file`, `>| file`, `>& file`; the descriptor before it stays a word, which harms nobody. */
function redirect(reader: Reader): void {
  while (/[>|&]/.test(reader.text[reader.at] ?? "")) reader.at++;
  const target = nextWord(reader);
  if (target !== "" && !/^[0-9-]$/.test(target)) current(reader).targets.push(target);
}

/** `<<END` begins a document that is data; `<>` opens a file for writing too; all else is read. */
function inputOf(reader: Reader, endings: string[]): void {
  const rest = reader.text.slice(reader.at, reader.at + 3);
  if (rest.startsWith("<<") && rest !== "<<<") {
    reader.at += rest === "<<-" ? 3 : 2;
    endings.push(nextWord(reader));
  } else if (rest.startsWith("<>")) {
    reader.at++;
    redirect(reader);
  } else reader.at += rest === "<<<" ? 3 : 1;
}

function skipDocument(reader: Reader, ending: string): void {
  while (reader.at < reader.text.length) {
    const end = reader.text.indexOf("\n", reader.at);
    const line = reader.text.slice(reader.at, end === -1 ? undefined : end);
    reader.at = end === -1 ? reader.text.length : end + 1;
    if (line.replace(/^\t+/, "") === ending) return;
  }
}

function nextWord(reader: Reader): string {
  while (BLANKS.has(reader.text[reader.at] ?? "")) reader.at++;
  const before = current(reader).words.length;
  word(reader);
  return current(reader).words.splice(before).join("");
}

/** Reads one word. A substitution in it ends it: what it runs is looked at as a command of its own. */
function word(reader: Reader): void {
  const { text } = reader;
  const from = reader.at;
  let value = "";
  let quote = "";
  for (; reader.at < text.length; reader.at++) {
    const char = text[reader.at] ?? "";
    if (char === quote) quote = "";
    else if (quote === "'") value += char;
    else if (char === "\\") value += escaped(reader, quote);
    else if (isSubstitution(text, reader.at)) return substitute(reader, value);
    else if (quote === "" && QUOTES.has(char)) quote = char;
    else if (quote === "" && WORD_ENDS.has(char)) break;
    else value += char;
  }
  if (reader.at === from) reader.at++;
  current(reader).words.push(value);
}

function substitute(reader: Reader, value: string): void {
  current(reader).words.push(value);
  reader.commands.push({ words: [], targets: [] });
  reader.at += reader.text[reader.at] === "`" ? 1 : 2;
}

/** A line that goes on after a backslash is one line. */
function escaped(reader: Reader, quote: string): string {
  reader.at++;
  const char = reader.text[reader.at] ?? "";
  if (char === "\n") return "";
  return quote === '"' && !/["\\$`]/.test(char) ? `\\${char}` : char;
}

const isSubstitution = (text: string, at: number): boolean =>
  text[at] === "`" || (text[at + 1] === "(" && /[$<>]/.test(text[at] ?? ""));

const isWordStart = ({ text, at }: Reader): boolean => at === 0 || /[\s;&|(]/.test(text[at - 1] ?? "");

function skipTo(reader: Reader, end: string): void {
  const found = reader.text.indexOf(end, reader.at);
  reader.at = found === -1 ? reader.text.length : found;
}

function current(reader: Reader): { words: string[]; targets: string[] } {
  const last = reader.commands.at(-1);
  if (last !== undefined) return last;
  const first = { words: [], targets: [] };
  reader.commands.push(first);
  return first;
}
