import { basename, join } from "node:path";
import { isInside, type GuardedTree, realPath, refuseKept, refuseWrite } from "./guard-path.ts";
import { refuseProgram } from "./guard-verbs.ts";
import { type ShellCommand, shellCommands } from "./shell-commands.ts";
import { OWN_FOLDER } from "../../core/own-folder.ts";

/** Words before the program that actually runs. */
const WRAPPERS =
  /^(?:sudo|doas|env|command|builtin|exec|nohup|setsid|time|nice|ionice|stdbuf|timeout|xargs|busybox|npx|bunx|pnpx|then|do|else|if|while|until|!|\{)$/;
const SHELLS = /^(?:ba|z|da|k|a)?sh$/;
/** Programs that only read, with any arguments. */
const READS =
  /^(?:cat|ls|head|tail|grep|egrep|fgrep|rg|wc|stat|file|diff|cmp|less|more|tree|test|\[|echo|printf|jq|realpath|readlink|basename|dirname|pwd|true|false|sha256sum|md5sum|git)$/;
/** Programs that write every operand, or only the last one. */
const WRITES_ALL = /^(?:tee|touch|mkdir|rm|rmdir|mv|truncate|shred|unlink|chmod|chown|patch)$/;
const WRITES_LAST = /^(?:cp|ln|install|rsync|link)$/;
/** Ways to act in the user's place. */
const SPEAKS_FOR_PERSON = /TIOCSTI|CLAUDE_CODE_MESSAGING|\/isdlc:(?!status\b|next\b)[a-z]/i;
const KEPT_NAME = /(?:^|[\s"'`=:/\\>(,])\.(?:isdlc|git|claude|codex|gemini|opencode)(?=$|[\s"'`:/\\),;])/i;

const TOUCHES_KEPT =
  "this touches what isdlc, git or this session's settings keep. To look, use cat, ls or grep alone, or the isdlc tools";

const MAX_NESTED_SHELLS = 6; // shells within shells
const MAX_COMMAND_LENGTH = 128 * 1024; // characters; Linux accepts no longer argument

/** Returns why a session may not run this shell command line, with an alternative; null if there is no objection. */
export function refuseCommand(place: GuardedTree, text: string, depth = 0): string | null {
  if (text.length > MAX_COMMAND_LENGTH) return "this line is too long for a shell. Do it in parts";
  const commands = depth > MAX_NESTED_SHELLS ? null : shellCommands(text);
  if (commands === null) return "this is a shell in a shell in a shell; run the command itself";
  if (SPEAKS_FOR_PERSON.test(text))
    return "this would speak in the person's place. They type such commands themselves; explain the decision to them";
  let here = place;
  for (const command of commands) {
    const refused = refuseOne(here, command, depth);
    if (refused !== null) return refused;
    here = after(here, command);
  }
  return null;
}

function refuseOne(place: GuardedTree, command: ShellCommand, depth: number): string | null {
  const words = unwrapped(command.words);
  const [program = "", ...args] = words;
  const name = basename(program);
  const inner = innerScript(name, args);
  const targets = [...command.targets, ...written(name, args)].flatMap(braces);
  return (
    first(targets, (target) => refuseTarget(place, target)) ??
    (inner === null ? null : refuseCommand(place, inner, depth + 1)) ??
    refuseProgram(words) ??
    (isReading(name, args) ? null : first(args.flatMap(braces), (arg) => refuseMention(place, arg)))
  );
}

/** Follows `cd` and `pushd` for the later commands of the line. */
function after(place: GuardedTree, { words }: ShellCommand): GuardedTree {
  const [program, folder] = words;
  return (program === "cd" || program === "pushd") && folder !== undefined
    ? { ...place, cwd: realPath(place, expanded(place, folder)) }
    : place;
}

/** Returns the program and its arguments, without assignments, wrappers and their options. */
function unwrapped(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word, index) => {
    const isAssignment = /^[A-Za-z_][A-Za-z0-9_]*=/.test(word);
    const isOfWrapper = index > 0 && /^(?:-|[0-9]+[smhd]?$)/.test(word);
    return !isAssignment && !isOfWrapper && !WRAPPERS.test(basename(word));
  });
  return at === -1 ? [] : words.slice(at);
}

/** Returns the command line run by a shell, `eval`, `find`, `watch`, `script` or `su`; null for any other program. */
function innerScript(name: string, args: readonly string[]): string | null {
  if (name === "eval") return args.join(" ");
  if (name === "watch") return args.filter((arg) => !arg.startsWith("-")).join(" ");
  const flags = name === "find" ? /^-(?:exec|ok)(?:dir)?$/ : /^(?:-[a-z]*c|--command)$/i;
  const runs = SHELLS.test(name) || ["find", "script", "su"].includes(name);
  const flag = runs ? args.findIndex((arg) => flags.test(arg)) : -1;
  if (flag === -1) return null;
  return name === "find" ? args.slice(flag + 1).join(" ") : (args[flag + 1] ?? "");
}

function isReading(name: string, args: readonly string[]): boolean {
  return READS.test(name) || (name === "find" && !args.some((arg) => /^-(?:delete|fprint|fls)/.test(arg)));
}

function written(name: string, args: readonly string[]): readonly string[] {
  const operands = args.filter((arg) => !arg.startsWith("-"));
  if (WRITES_ALL.test(name)) return name === "chmod" || name === "chown" ? operands.slice(1) : operands;
  if (WRITES_LAST.test(name)) return operands.slice(-1);
  if (name === "sed" && args.some((arg) => /^(?:-[a-zA-Z]*i|--in-place)/.test(arg))) return operands.slice(1);
  return args.flatMap((arg) => /^(?:of=|--output=)(.+)$/.exec(arg)?.[1] ?? []);
}

/**
 * Checks a write target. A path with an unknown variable or command output is left to the engine, unless it contains a
 * protected name.
 */
function refuseTarget(place: GuardedTree, word: string): string | null {
  if (word === "") return null;
  const path = expanded(place, word);
  if (/^\/dev\/(?:null|stdout|stderr|tty|fd\/)/.test(path)) return null;
  if (matchesKept(path) || (path.includes("$") && KEPT_NAME.test(path))) return TOUCHES_KEPT;
  return path.includes("$") ? null : refuseWrite(place, path);
}

/** Refuses protected paths, under any name, as arguments of programs not known to only read. */
function refuseMention(place: GuardedTree, word: string): string | null {
  const text = expanded(place, word);
  const isKept = KEPT_NAME.test(text) || matchesKept(text);
  const isPath = text.length < 1000 && !/[\s*?$]/.test(text) && /[/.]/.test(text);
  if ((!isKept && !isPath) || isBelowItem(place, text)) return null;
  return isKept ? TOUCHES_KEPT : refuseKept(place, realPath(place, text));
}

function isBelowItem(place: GuardedTree, text: string): boolean {
  const { marker, root } = place;
  if (marker === null || /[\s$]/.test(text)) return false;
  const real = realPath(place, text);
  return isInside(real, join(root, marker.item)) && refuseKept(place, real) === null;
}

const first = <T>(values: readonly T[], refuse: (value: T) => string | null): string | null =>
  values.map(refuse).find((reason) => reason !== null) ?? null;

const NAMES = [OWN_FOLDER, ".git", ".claude", ".codex", ".gemini", ".opencode"];

/** True for a pattern that the shell could expand to a protected name. */
function matchesKept(word: string): boolean {
  const isPattern = (text: string): boolean => /[*?[]/.test(text);
  if (!isPattern(word)) return false;
  return word
    .split("/")
    .some((segment) => isPattern(segment) && /^[.[]/.test(segment) && NAMES.some((name) => globMatches(segment, name)));
}

function globMatches(pattern: string, name: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|\\]/g, "\\$&")
    .replace(/\*+/g, ".*")
    .replace(/\?/g, ".")
    .replace(/\[!/g, "[^");
  try {
    return new RegExp(`^${source}$`, "i").test(name);
  } catch {
    return true; // an unreadable pattern counts as a match
  }
}

/** Expands `$HOME`, `$PWD` and `$CLAUDE_PROJECT_DIR` at the start of a word. */
function expanded({ home, cwd, root }: Pick<GuardedTree, "home" | "cwd" | "root">, word: string): string {
  if (!word.startsWith("$")) return word;
  return word
    .replace(/^\$(?:HOME|\{HOME\})(?=\/|$)/, home)
    .replace(/^\$(?:PWD|\{PWD\})(?=\/|$)/, cwd)
    .replace(/^\$(?:CLAUDE_PROJECT_DIR|\{CLAUDE_PROJECT_DIR\})(?=\/|$)/, root);
}

const MAX_BRACES = 64;

/** Expands `a{b,c}d` like the shell. */
function braces(word: string): readonly string[] {
  if (!word.includes("{")) return [word];
  const words = [word];
  for (let at = 0; at < words.length && words.length < MAX_BRACES; at++) {
    const match = /\{([^{}]*,[^{}]*)\}/.exec(words[at] ?? "");
    if (match === null) continue;
    const [whole, inner = ""] = match;
    const before = words[at]?.slice(0, match.index) ?? "";
    const rest = words[at]?.slice(match.index + whole.length) ?? "";
    words.splice(at--, 1, ...inner.split(",").map((part) => before + part + rest));
  }
  return words;
}
