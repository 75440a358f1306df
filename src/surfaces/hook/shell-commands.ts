/** One command of a shell line, without quotes. */
export type ShellCommand = {
  readonly words: readonly string[];
  /** Files that receive output. */
  readonly targets: readonly string[];
};

type Command = { readonly words: string[]; readonly targets: string[] };

type ShellReader = {
  readonly text: string;
  at: number;
  readonly commands: Command[];
  /** End markers of the here-documents that start after this line. */
  readonly endings: string[];
  /** Number of nested command lists. */
  depth: number;
  /** End of the innermost list. */
  end: End;
};

type End = ")" | "`" | null;

const BLANKS = new Set([" ", "\t", "\r"]);
const SEPARATORS = new Set([";", "&", "|", "\n", "(", ")", "`"]);
const WORD_ENDS = new Set([...BLANKS, ...SEPARATORS, "<", ">"]);
const MAX_NESTING = 50;
/** Replaces the unknown output of a command in a word. */
const PRINTED = "$()";

/**
 * Returns the commands of a shell line, including those in substitutions; null if nested too deep. Handles quotes,
 * redirections and here-documents, but expands no variables: the engine finds what they hide afterwards.
 */
export function shellCommands(text: string): readonly ShellCommand[] | null {
  const reader: ShellReader = { text, at: 0, commands: [], endings: [], depth: 0, end: null };
  readList(reader);
  if (reader.depth > MAX_NESTING) return null;
  return reader.commands.filter(({ words, targets }) => words.length + targets.length > 0);
}

/** Reads commands to the end of their list, or of the text. */
function readList(reader: ShellReader): void {
  const { text, end } = reader;
  let command = newCommand(reader);
  let cases = 0; // in a `case`, a bracket ends a pattern
  while (reader.at < text.length) {
    const char = text[reader.at] ?? "";
    if (char === end && (cases === 0 || end === "`")) {
      reader.at++;
      return;
    }
    if (isSeparator(reader)) {
      separate(reader);
      command = newCommand(reader);
    } else if (readPart(reader, command)) cases = Math.max(0, cases + caseOpened(command.words));
  }
}

function newCommand({ commands }: ShellReader): Command {
  const command: Command = { words: [], targets: [] };
  commands.push(command);
  return command;
}

const isSeparator = ({ text, at }: ShellReader): boolean =>
  SEPARATORS.has(text[at] ?? "") && text[at] !== "`" && !text.startsWith("&>", at);

function separate(reader: ShellReader): void {
  const char = reader.text[reader.at++];
  if (char === "(") nest(reader, ")");
  if (char === "\n") for (const ending of reader.endings.splice(0)) skipDocument(reader, ending);
}

/** Reads a nested list. If nested too deep, reading stops and `depth` stays above the limit. */
function nest(reader: ShellReader, end: End): void {
  if (++reader.depth > MAX_NESTING) {
    reader.at = reader.text.length;
    return;
  }
  const outer = reader.end;
  reader.end = end;
  readList(reader);
  reader.end = outer;
  if (reader.depth <= MAX_NESTING) reader.depth--;
}

/** Returns 1 if the last word opens a `case`, -1 if it ends one. */
function caseOpened(words: readonly string[]): number {
  if (words.at(-1) === "in" && words.at(-3) === "case") return 1;
  return words.length === 1 && words[0] === "esac" ? -1 : 0;
}

/** Returns true if it read a word of the command. */
function readPart(reader: ShellReader, command: Command): boolean {
  const { text } = reader;
  const char = text[reader.at] ?? "";
  const isWord = isSubstitution(reader, "") || !(char === "<" || char === ">" || char === "&");
  if (BLANKS.has(char)) reader.at++;
  else if (char === "#" && isWordStart(reader)) skipTo(reader, "\n");
  else if (isWord) return command.words.push(readWord(reader)) > 0;
  else if (char === "<") readInput(reader, command);
  else redirect(reader, command);
  return false;
}

/**
 * Reads `> file`, `>> file`, `>| file`, `>& file`, `&> file`. The descriptor before it stays a word, which is
 * harmless.
 */
function redirect(reader: ShellReader, { targets }: Command): void {
  while (/[>|&]/.test(reader.text[reader.at] ?? "") && !isSubstitution(reader, "")) reader.at++;
  const target = nextWord(reader);
  if (target !== "" && !/^[0-9-]$/.test(target)) targets.push(target);
}

/** Reads `<`: `<<END` starts a document of data, `<>` also opens a file for writing, all others only read. */
function readInput(reader: ShellReader, command: Command): void {
  const rest = reader.text.slice(reader.at, reader.at + 3);
  if (rest.startsWith("<<") && rest !== "<<<") {
    reader.at += rest === "<<-" ? 3 : 2;
    reader.endings.push(nextWord(reader));
  } else if (rest.startsWith("<>")) {
    reader.at++;
    redirect(reader, command);
  } else reader.at += rest === "<<<" ? 3 : 1;
}

function skipDocument(reader: ShellReader, ending: string): void {
  while (reader.at < reader.text.length) {
    const end = reader.text.indexOf("\n", reader.at);
    const line = reader.text.slice(reader.at, end === -1 ? undefined : end);
    reader.at = end === -1 ? reader.text.length : end + 1;
    if (line.replace(/^\t+/, "") === ending) return;
  }
}

function nextWord(reader: ShellReader): string {
  while (BLANKS.has(reader.text[reader.at] ?? "")) reader.at++;
  return readWord(reader);
}

/** Quotes of a word: `'…'`, `"…"`, and `$'…'` with backslash escapes. */
type Quote = "" | "'" | '"' | "$'";

/** Reads one word. Substitutions in it are recorded as separate commands; the word continues after them. */
function readWord(reader: ShellReader): string {
  const { text } = reader;
  let value = "";
  let quote: Quote = "";
  while (reader.at < text.length && !endsWord(reader, quote)) {
    const opened: Quote = quote === "" ? quoteAt(reader) : "";
    if (opened !== "") {
      quote = opened;
      if (text[reader.at++ - 1] === "$") value = value.replace(/\$$/, "");
    } else if (quote !== "" && text[reader.at] === quote.at(-1)) {
      quote = "";
      reader.at++;
    } else value += readCharacter(reader, quote);
  }
  return value;
}

/** A backquote that opens nothing ends an earlier one, also within quotes. */
function endsWord(reader: ShellReader, quote: Quote): boolean {
  const char = reader.text[reader.at] ?? "";
  if (isSubstitution(reader, quote)) return false;
  return quote === "" ? WORD_ENDS.has(char) : quote === '"' && char === "`";
}

function readCharacter(reader: ShellReader, quote: Quote): string {
  const char = reader.text[reader.at] ?? "";
  if (isSubstitution(reader, quote)) {
    reader.at += char === "`" ? 1 : 2;
    nest(reader, char === "`" ? "`" : ")");
    return PRINTED;
  }
  reader.at++;
  return char === "\\" && quote !== "'" ? escaped(reader, quote) : char;
}

function quoteAt({ text, at }: ShellReader): Quote {
  const char = text[at];
  if (char === '"') return char;
  if (char !== "'") return "";
  return text[at - 1] === "$" ? "$'" : char;
}

/** A backslash before a line break joins the lines. */
function escaped(reader: ShellReader, quote: Quote): string {
  const char = reader.text[reader.at++] ?? "";
  if (char === "\n") return "";
  return quote === '"' && !/["\\$`]/.test(char) ? `\\${char}` : char;
}

/** `$(…)` and backquotes; outside of quotes also `<(…)` and `>(…)`. */
function isSubstitution({ text, at, end }: ShellReader, quote: Quote): boolean {
  if (quote === "'" || quote === "$'") return false;
  const char = text[at] ?? "";
  if (char === "`") return end !== "`";
  return text[at + 1] === "(" && (char === "$" || (quote === "" && (char === "<" || char === ">")));
}

const isWordStart = ({ text, at }: ShellReader): boolean => at === 0 || /[\s;&|(]/.test(text[at - 1] ?? "");

function skipTo(reader: ShellReader, end: string): void {
  const found = reader.text.indexOf(end, reader.at);
  reader.at = found === -1 ? reader.text.length : found;
}
