import type { TestCommand } from "../schema/facts.ts";
import { parseCommandLine } from "./command-line.ts";

export type ParsedTestCommand =
  | { readonly ok: true; readonly commands: readonly (readonly string[])[] }
  /** `shell`: the construct that needs a shell, if that is the reason. */
  | { readonly ok: false; readonly detail: string; readonly shell: string | null };

/**
 * Splits a test command typed by a user into arguments, without a shell. `a && b` becomes two commands; any other
 * shell construct is an error.
 */
export function parseTestCommand(text: string): ParsedTestCommand {
  const { parts, shell } = scan(text);
  if (shell !== null) return { ok: false, detail: `${shell} needs a shell`, shell };
  const commands: (readonly string[])[] = [];
  for (const part of parts) {
    const parsed = parseCommandLine(part);
    if (!parsed.ok) return { ...parsed, shell: null };
    commands.push(parsed.argv);
  }
  return { ok: true, commands };
}

/** Formats the command as one line, joined by `&&`. */
export const testCommandText = ({ argv, more = [] }: CommandLines): string =>
  [argv, ...more].map((words) => words.join(" ")).join(" && ");

/** Returns commands chosen by a user; null if they were detected. */
export const chosenCommands = (tests: TestCommand | null): readonly (readonly string[])[] | null =>
  tests?.isChosen === true ? [tests.argv, ...(tests.more ?? [])] : null;

type CommandLines = { readonly argv: readonly string[]; readonly more?: readonly (readonly string[])[] | undefined };

type ScannedCommand = { readonly parts: readonly string[]; readonly shell: string | null };

const QUOTED = /\\[^]|'[^']*'|"(?:\\[^]|[^"\\])*"/g;
const SUBSTITUTION = /(?<!\\)(?:\$[\w({@*?]|`)/;
const SHELL_ONLY = /^\s*[A-Za-z_]\w*=|\$[\w({@*?]|`|\|\|?|;|(?<!&)&(?!&)|\d?[<>]+|\*|\(|\n/;

function scan(text: string): ScannedCommand {
  const bare = text.replaceAll(QUOTED, maskQuoted);
  const found = SHELL_ONLY.exec(bare);
  if (found !== null) return { parts: [], shell: found[0].trim() || "a line break" };
  let at = 0;
  const parts = bare.split("&&").map(({ length }) => {
    const part = text.slice(at, at + length);
    at += length + "&&".length;
    return part;
  });
  return { parts, shell: null };
}

/**
 * Masks quoted text with the same number of characters. Keeps a substitution in double quotes, which a shell would
 * expand.
 */
function maskQuoted(quoted: string): string {
  const substitution = quoted.startsWith('"') ? (SUBSTITUTION.exec(quoted)?.[0] ?? "") : "";
  return substitution.padEnd(quoted.length, "_");
}
