import { parseArgs, type ParseArgsConfig } from "node:util";
import { ProblemError } from "../../../core/problem.ts";
import { isRunId } from "../../../schema/ids.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { findVerb, verbs } from "./catalog.ts";
import { isHelpTopic } from "./help.ts";
import { globalOptions } from "./options.ts";
import { specVerbs } from "./spec-verbs.ts";
import { teamVerbs } from "./team-verbs.ts";
import type { Option, Values, Verb } from "../invocation/verb.ts";
import { shellWord } from "../../../core/command-line.ts";

export type ParsedArguments = {
  readonly verb: Verb | null;
  readonly values: Values;
  readonly words: readonly string[];
};

/** Options that users write with one dash, at any position: `-light`, `-V`. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["-light", "--light"],
  ["-V", "--version"],
]);

/** Finds the command and its options. Text that names no command describes a change. */
export function parse(args: readonly string[]): ParsedArguments {
  const spelled = withoutGroup(args.map((arg) => ALIASES.get(arg) ?? arg));
  const name = firstWord(spelled);
  const found = name === undefined ? undefined : findVerb(name);
  if (found === undefined && name !== undefined) refuseMistyped(name);
  if (found === undefined) refuseMistypedInGroup(spelled);
  const verb = found ?? (name === undefined ? null : changeVerb());
  const { values, positionals } = read(spelled, verb);
  const words = found === undefined ? positionals : positionals.slice(1);
  if (found !== undefined) refuseWords(found, words);
  else if (!spelled.includes("--")) refuseLoneWord(words.join(" ").trim());
  return { verb, values, words };
}

/** Commands that may follow the name of their group: `isdlc spec design`, `isdlc team request`. */
const GROUPS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["spec", new Set(specVerbs.map(({ name }) => name))],
  ["team", new Set(teamVerbs.map(({ name }) => name))],
]);

function withoutGroup(args: readonly string[]): readonly string[] {
  const [group = "", name = ""] = args;
  if (group === "spec" && args.length === 1) return ["help", group];
  return GROUPS.get(group)?.has(name) === true ? args.slice(1) : args;
}

const changeVerb = (): Verb => verbs[0] as Verb; // the first entry of the catalog

/** Treats a first word similar to a command as a typing error, not as a change. */
function refuseMistyped(word: string): void {
  const meant = meantVerb(word);
  if (meant === undefined) return;
  const detail = `Unknown command "${word}"; did you mean "${meant.name}"?`;
  throw new ProblemError({ code: "USAGE", detail, usage: `${meant.usage}, or the change in quotes` });
}

/** `isdlc spec desing` is a mistyped command, not a change with the title "spec desing". */
function refuseMistypedInGroup([group = "", word = ""]: readonly string[]): void {
  const meant = [...(GROUPS.get(group) ?? [])].find((name) => isNearly(word, name));
  if (meant === undefined) return;
  const detail = `Unknown command "${group} ${word}"; did you mean "${group} ${meant}"?`;
  throw new ProblemError({ code: "USAGE", detail, usage: `isdlc ${group} ${meant}, or the change in quotes` });
}

/** Scripts without spaces between words: there, a whole sentence looks like one word. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

/** Refuses a single word: users try one to find a command, and it must not start work that costs money. */
function refuseLoneWord(title: string): void {
  if (title === "" || /\s/u.test(title) || UNSPACED.test(title)) return;
  const detail = `Unknown command "${plainLine(title, 80)}", and too short to describe a change.`;
  const anyway = `isdlc run change ${shellWord(plainLine(title, 80))}`;
  const usage = `isdlc <command> (see isdlc help) or isdlc "<change>"; to run this one word as a change: ${anyway}`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}

function refuseWords(verb: Verb, words: readonly string[]): void {
  const [first] = words;
  if (first === undefined) return;
  if (verb.name === "help" && findVerb(first) === undefined && !isHelpTopic(first)) refuseUnknownVerb(verb, first);
  if (verb.takesWords === true) return;
  const detail = `"${verb.name}" takes no further arguments, but got "${plainLine(words.join(" "), 80)}".`;
  throw new ProblemError({ code: "USAGE", detail, usage: `${verb.usage}, or the change in quotes` });
}

function refuseUnknownVerb({ usage }: Verb, word: string): never {
  const meant = meantVerb(word);
  const hint = meant === undefined ? "." : `; did you mean "${meant.name}"?`;
  const detail = `Unknown command "${plainLine(word, 80)}"${hint}`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}

const meantVerb = (word: string): Verb | undefined => verbs.find(({ name }) => name !== "do" && isNearly(word, name));

/**
 * True for one letter added, missing or wrong, for two swapped letters, and for a doubled last letter. For a name of
 * fewer than four letters, only the last applies.
 */
function isNearly(word: string, name: string): boolean {
  if (word === `${name}${name.at(-1) ?? ""}`) return true;
  if (Math.abs(word.length - name.length) > 1 || name.length < 4) return false;
  let at = 0;
  while (at < name.length && name[at] === word[at]) at++;
  const rests = [
    name.slice(at + 1) === word.slice(at + 1),
    name.slice(at) === word.slice(at + 1),
    name.slice(at + 1) === word.slice(at),
  ];
  const swapped = name[at] === word[at + 1] && name[at + 1] === word[at] && name.slice(at + 2) === word.slice(at + 2);
  return swapped || rests.includes(true);
}

function firstWord(args: readonly string[]): string | undefined {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--") return args[index + 1];
    if (!arg.startsWith("-")) return arg;
    if (takesValue(arg)) index++;
  }
  return undefined;
}

function takesValue(arg: string): boolean {
  if (arg.includes("=")) return false;
  const all = [globalOptions, ...verbs.map((verb) => verb.options)];
  const name = arg.replace(/^--?/, "");
  return all.some((options) =>
    Object.entries(options).some(
      ([key, option]) => (key === name || option.short === name) && option.type === "string",
    ),
  );
}

function read(args: readonly string[], verb: Verb | null): { values: Values; positionals: string[] } {
  const known: Readonly<Record<string, Option>> = { ...globalOptions, ...verb?.options };
  const withVersion: typeof known = { ...known, version: { type: "boolean", about: "print the version" } };
  const usage = verb?.usage ?? "isdlc <command> [options]";
  const options = Object.fromEntries(
    Object.entries(withVersion).map(([name, { type, short, repeatable = false }]) => [
      name,
      { type, multiple: repeatable, ...(short === undefined ? {} : { short }) },
    ]),
  );
  refuseUnknownOptions(args, options, usage);
  try {
    const { values: given, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const values = inLines(given);
    refuseUnknownValues(values, known, usage);
    refuseRun(values, verb);
    return { values, positionals };
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw new ProblemError({ code: "USAGE", detail: firstSentence(error), usage });
  }
}

type ArgumentOptions = NonNullable<ParseArgsConfig["options"]>;
type OptionValues = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** Joins the values of a repeated option, one per line. */
const inLines = (given: OptionValues): Values =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, Array.isArray(value) ? value.join("\n") : value]),
  );

function refuseUnknownValues(values: Values, known: Readonly<Record<string, Option>>, usage: string): void {
  for (const [name, { values: allowed, qualified }] of Object.entries(known)) {
    const value = values[name];
    if (allowed === undefined || typeof value !== "string") continue;
    if (allowed.includes(qualified === true ? value.replace(/:.*$/s, "") : value)) continue;
    const detail = `Invalid value for --${name}: "${value}" is not one of ${allowed.join(", ")}.`;
    throw new ProblemError({ code: "USAGE", detail, usage });
  }
}

function refuseRun({ run }: Values, verb: Verb | null): void {
  if (run === undefined || isRunId(run)) return;
  const detail = `Invalid run id "${plainLine(String(run), 80)}"; "isdlc history --all" shows those of finished runs.`;
  const usage = `isdlc ${verb === null ? "<command>" : verb.name} --run <id>`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}

function refuseUnknownOptions(args: readonly string[], options: ArgumentOptions, usage: string): void {
  const { tokens } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option" || Object.hasOwn(options, token.name)) continue;
    const meant = Object.keys(options).find((name) => isNearly(token.name, name));
    const hint = meant === undefined ? "" : ` Did you mean "--${meant}"?`;
    throw new ProblemError({
      code: "USAGE",
      detail: `Unknown option '${plainLine(token.rawName, 80)}'.${hint}`,
      usage,
    });
  }
}

/** Returns the error. The rest of Node's message explains dashes. */
function firstSentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(". ")[0]?.replace(/\.?$/, ".") ?? message;
}
