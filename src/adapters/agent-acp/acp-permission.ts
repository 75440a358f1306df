import { isAbsolute, normalize, relative, resolve, sep } from "node:path";
import { OWN_FOLDER } from "../../core/own-folder.ts";
import type { AgentTask } from "../../ports/agent-backend.ts";
import type { PermissionRequest, ToolCall } from "./acp-messages.ts";
import { MAX_PATH_LENGTH } from "./follow-links.ts";

export type PermissionScope = {
  readonly access: AgentTask["access"];
  readonly cwd: string;
  /** The folder of the item, relative to the working directory: open also where it lies in a closed one. */
  readonly item: string;
  /** The command that runs the tests, trusted by a person. */
  readonly tests: AgentTask["tests"];
  readonly call: ToolCall;
  /** True for an agent whose title of a command is the command itself; that of others is for people. */
  readonly commandInTitle: boolean;
  /** Where a path leads when the links on its way are followed. */
  readonly follow: (path: string) => string;
};

const READS = new Set(["read", "search", "think"]);
const EDITS = new Set(["edit", "delete", "move"]);
/** Each is looked up; nobody touches that many at once. */
const MAX_PATHS = 200;
/** What lies there decides what git and isdlc do. */
const CLOSED_FOLDERS = new Set([".git", OWN_FOLDER]);

/**
 * Whether an agent may do what it asks for. Reading inside the working directory is allowed; a phase may also edit
 * there, read with git and run the tests. Whatever does not say what it touches is refused.
 */
export function isPermitted(asked: PermissionScope): boolean {
  const { access, call } = asked;
  const kind = call.kind ?? "other";
  const paths = listPaths(call);
  if (paths.length > MAX_PATHS || paths.some((path) => path.length > MAX_PATH_LENGTH)) return false;
  if (READS.has(kind)) return paths.every((path) => isInside(path, asked));
  if (access === "read") return false;
  if (EDITS.has(kind)) return paths.length > 0 && paths.every((path) => isInside(path, asked) && isOpen(path, asked));
  if (kind !== "execute") return false;
  const words = commandWords(asked);
  if (words === null) return false;
  if (readsGit(words)) return paths.every((path) => isInside(path, asked));
  return runsTests(words, asked) && paths.every((path) => wayFrom(path, asked) === "");
}

/**
 * Word by word, and in the working directory itself: elsewhere the same words may run something else. So may they for
 * a shell that sets a variable or puts in a home.
 */
function runsTests(words: readonly string[], { tests }: PermissionScope): boolean {
  if (tests === null || tests[0]?.includes("=") === true || tests.some((word) => word.includes("~"))) return false;
  return words.length === tests.length && words.every((word, at) => word === tests[at]);
}

/** The option that says so for this one time; null when there is none, and then nothing is chosen. */
export function permissionOption(options: PermissionRequest["options"], permitted: boolean): string | null {
  const of = (kind: string): string | null => options.find((option) => option.kind === kind)?.optionId ?? null;
  return permitted ? of("allow_once") : (of("reject_once") ?? of("reject_always"));
}

/** Names agents give to arguments that hold a path. */
const PATH_ARGUMENTS = [
  "path",
  "paths",
  "file_path",
  "filePath",
  "filepath",
  "absolute_path",
  "notebook_path",
  "source",
  "destination",
  "new_path",
  "dir_path",
  "directory",
  "cwd",
  "workdir",
];

function listPaths({ locations, content, rawInput }: ToolCall): readonly string[] {
  const given = readArguments(rawInput);
  const named = PATH_ARGUMENTS.flatMap((name) => given[name]).filter((value) => typeof value === "string");
  const shown = [...(locations ?? []), ...(content ?? [])].flatMap(({ path }) => path ?? []);
  return [...shown, ...named].filter((path) => path !== "");
}

function isInside(path: string, asked: PermissionScope): boolean {
  const way = wayFrom(path, asked);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

function isOpen(path: string, asked: PermissionScope): boolean {
  const way = wayFrom(path, asked);
  return withoutItem(way, asked)
    .split(sep)
    .every((part) => !CLOSED_FOLDERS.has(part.toLowerCase()));
}

/** What is left of a way below the item's folder; the way itself for one that does not lead there. */
function withoutItem(way: string, { item }: PermissionScope): string {
  const folder = normalize(`${item}/`);
  return ITEM_FOLDER.test(folder) && way.startsWith(folder) ? way.slice(folder.length) : way;
}

/** Where runs keep documents that are not committed: nothing above it is opened, whatever an item is called. */
const ITEM_FOLDER = /^\.isdlc\/work\/[^/]+\/$/;

const wayFrom = (path: string, { cwd, follow }: PermissionScope): string =>
  relative(follow(cwd), follow(resolve(cwd, path)));

const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/;

/** The words of a command that a shell would leave as they are; null for any other. */
function commandWords({ call, commandInTitle }: PermissionScope): readonly string[] | null {
  const command = readArguments(call.rawInput)["command"] ?? (commandInTitle ? call.title : null);
  if (typeof command === "string") return plainWords(command);
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return null;
  return argumentWords(command);
}

/** A shell with a script, or a program with its arguments as they are. */
function argumentWords(command: readonly string[]): readonly string[] | null {
  const [program = "", option = "", script = ""] = command;
  const isScript = command.length === 3 && SHELLS.test(program) && /^-l?c$/.test(option);
  if (isScript) return plainWords(script);
  return command.every((word) => plainWords(word)?.[0] === word) ? command : null;
}

function plainWords(command: string): readonly string[] | null {
  return /^[\w ./:@^~=,+-]+$/.test(command) ? command.split(" ").filter((word) => word !== "") : null;
}

const GIT_READS = new Set(["status", "log", "diff", "show", "ls-files", "blame", "rev-parse", "shortlog", "describe"]);
/** All others are refused: among them are some that write files or run programs. */
const GIT_OPTIONS =
  /^(?:-[0-9]+|-[npsw]|--|--(?:oneline|stat|numstat|shortstat|name-only|name-status|cached|staged|short|porcelain|branch|graph|all|no-color|patch|follow|reverse|no-ext-diff|no-textconv|abbrev-ref|show-toplevel|max-count=[0-9]+))$/;

function readsGit([program, ...rest]: readonly string[]): boolean {
  const [verb = "", ...words] = rest[0] === "--no-pager" ? rest.slice(1) : rest;
  return program === "git" && GIT_READS.has(verb) && words.every(isHarmless);
}

/** Files outside of the repository can be named to git too. */
function isHarmless(word: string): boolean {
  if (word.startsWith("-")) return GIT_OPTIONS.test(word);
  return !/^[/~]/.test(word) && !word.split("/").includes("..");
}

function readArguments(rawInput: unknown): Readonly<Record<string, unknown>> {
  return typeof rawInput === "object" && rawInput !== null ? (rawInput as Record<string, unknown>) : {};
}
