import { isAbsolute, normalize, relative, resolve, sep, basename, dirname, join, parse } from "node:path";
import { OWN_FOLDER } from "../../../core/own-folder.ts";
import type { AgentTask } from "../../../ports/agent-backend.ts";
import type { PermissionRequest, ToolCall } from "./messages.ts";
import { readlinkSync, realpathSync } from "node:fs";

export type PermissionScope = {
  readonly access: AgentTask["access"];
  readonly cwd: string;
  /** Item folder, relative to `cwd`. If it is `.isdlc/work/<run>`, it can be edited although `.isdlc` is closed. */
  readonly item: string;
  /** Test command, trusted by a user. */
  readonly tests: AgentTask["tests"];
  readonly call: ToolCall;
  /** True if the agent's title of a command is the command itself. Titles of other agents are descriptions. */
  readonly commandInTitle: boolean;
  /** Resolves the symbolic links of a path. */
  readonly follow: (path: string) => string;
};

const READS = new Set(["read", "search", "think"]);
const EDITS = new Set(["edit", "delete", "move"]);
/** Limit per request: each path is resolved on disk, and no real request names this many. */
const MAX_PATHS = 200;
/** Closed to edits: their content controls git and isdlc. */
const CLOSED_FOLDERS = new Set([".git", OWN_FOLDER]);

/**
 * Returns true if the agent may do what it requests. Reads are allowed inside the working directory. With write
 * access, so are edits there outside closed folders, read-only git commands and the test command. Other kinds, edits
 * without a path and commands with shell syntax are refused.
 */
export function isPermitted(asked: PermissionScope): boolean {
  const { access, call } = asked;
  const kind = call.kind ?? "other";
  const paths = listPaths(call);
  if (paths.length > MAX_PATHS || paths.some((path) => path.length > MAX_REQUESTED_PATH_LENGTH)) return false;
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
 * Compares word by word. `isPermitted` also requires the working directory itself: elsewhere, the same words may run
 * something else. Commands that a shell would change are refused: a variable assignment first, or `~` in any word.
 */
function runsTests(words: readonly string[], { tests }: PermissionScope): boolean {
  if (tests === null || tests[0]?.includes("=") === true || tests.some((word) => word.includes("~"))) return false;
  return words.length === tests.length && words.every((word, at) => word === tests[at]);
}

/**
 * Returns the option for this one time, for a refusal also the permanent one. Null without such an option: then none
 * is selected.
 */
export function permissionOption(options: PermissionRequest["options"], permitted: boolean): string | null {
  const of = (kind: string): string | null => options.find((option) => option.kind === kind)?.optionId ?? null;
  return permitted ? of("allow_once") : (of("reject_once") ?? of("reject_always"));
}

/** Names of arguments that contain a path, as used by agents. */
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

/** Returns the part of a path under the item folder. Other paths are returned unchanged. */
function withoutItem(way: string, { item }: PermissionScope): string {
  const folder = normalize(`${item}/`);
  return ITEM_FOLDER.test(folder) && way.startsWith(folder) ? way.slice(folder.length) : way;
}

/** Folder for uncommitted documents of a run. Nothing above it is opened, whatever the item's name. */
const ITEM_FOLDER = /^\.isdlc\/work\/[^/]+\/$/;

const wayFrom = (path: string, { cwd, follow }: PermissionScope): string =>
  relative(follow(cwd), follow(resolve(cwd, path)));

const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh$/;

/** Returns the words of a command that a shell would leave unchanged, otherwise null. */
function commandWords({ call, commandInTitle }: PermissionScope): readonly string[] | null {
  const command = readArguments(call.rawInput)["command"] ?? (commandInTitle ? call.title : null);
  if (typeof command === "string") return plainWords(command);
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return null;
  return argumentWords(command);
}

/** Accepts a shell with a script, or a program with plain arguments. */
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
/** Allowed options. All others are refused: some of them write files or run programs. */
const GIT_OPTIONS =
  /^(?:-[0-9]+|-[npsw]|--|--(?:oneline|stat|numstat|shortstat|name-only|name-status|cached|staged|short|porcelain|branch|graph|all|no-color|patch|follow|reverse|no-ext-diff|no-textconv|abbrev-ref|show-toplevel|max-count=[0-9]+))$/;

function readsGit([program, ...rest]: readonly string[]): boolean {
  const [verb = "", ...words] = rest[0] === "--no-pager" ? rest.slice(1) : rest;
  return program === "git" && GIT_READS.has(verb) && words.every(isHarmless);
}

/** Refuses paths outside the repository, which git would accept too. */
function isHarmless(word: string): boolean {
  if (word.startsWith("-")) return GIT_OPTIONS.test(word);
  return !/^[/~]/.test(word) && !word.split("/").includes("..");
}

function readArguments(rawInput: unknown): Readonly<Record<string, unknown>> {
  return typeof rawInput === "object" && rawInput !== null ? (rawInput as Record<string, unknown>) : {};
}

/** Same limit as the operating system. */
const MAX_LINKS = 40;

/** Characters of a path. The operating system has the same limit. */
const MAX_REQUESTED_PATH_LENGTH = 4096;

/**
 * Resolves the symbolic links of a path, even if the target does not exist. Circular links and paths that are too long
 * resolve to the root.
 */
export function followLinks(path: string): string {
  return path.length > MAX_REQUESTED_PATH_LENGTH ? parse(path).root : follow(path, MAX_LINKS);
}

function follow(path: string, links: number): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path || links === 0) return parse(path).root;
    const place = follow(parent, links);
    const target = linkTarget(join(place, basename(path)));
    return target === null ? join(place, basename(path)) : follow(resolve(place, target), links - 1);
  }
}

/** Returns null if the path is not a link. */
function linkTarget(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
