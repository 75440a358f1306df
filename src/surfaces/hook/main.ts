import { closeSync, constants, existsSync, lstatSync, openSync, readSync, realpathSync, writeSync } from "node:fs";
import type * as OS from "node:os";
import { join } from "node:path";
import { OWN, OWN_FOLDER } from "../../core/own-folder.ts";
import { answerEvent, type HookEvent, type Situation } from "./answer-event.ts";
import { parseMarker } from "./marker.ts";

const INPUT_LIMIT = 2 * 1024 * 1024; // bytes
const MARKER_LIMIT = 16 * 1024;
const MAX_READ_ATTEMPTS = 5000; // takes 100 to 200 ms
const REFUSED = 2; // every host treats this exit code as a refusal

// Stack traces are never read, and creating them costs more than the failed call.
Error.stackTraceLimit = 0;

/**
 * Guards a session while a run is open: reads one event, writes one answer. Refuses anything unreadable. If this
 * program fails, the shell that calls it refuses.
 */
function main(): number {
  const root = realpathSync.native(process.argv[2] ?? ".");
  const event = parseEvent(readAll(0, INPUT_LIMIT));
  if (event === null) return refuse("isdlc: the event could not be read, so nothing may change while a run is open.");
  signOfLife(root, event["session_id"]);
  const answer = answerEvent(situationIn(root), event);
  if (answer.out !== null) write(1, JSON.stringify(answer.out));
  return answer.refused === null || answer.out !== null ? 0 : refuse(answer.refused);
}

function situationIn(root: string): Situation {
  const { HOME } = process.env;
  const home = HOME ?? (require("node:os") as typeof OS).homedir(); // loaded on demand
  const marker = parseMarker(readFile(join(root, OWN_FOLDER, OWN.active), MARKER_LIMIT) ?? "");
  let folders: readonly string[] | undefined;
  const closed = (): readonly string[] => (folders ??= closedFolders(home));
  return { root, cwd: root, home, closed, marker, realpath: boundedRealpath(), exists: existsSync, mayBeHost };
}

/** Compares the ancestors of this process. Without `/proc`, any process may be the host. */
function mayBeHost(pid: string): boolean {
  if (pid === "") return false;
  for (let at = `${process.ppid}`; at !== "0";) {
    const stat = readFile(`/proc/${at}/stat`, MARKER_LIMIT);
    if (at === pid || stat === null) return true;
    at = stat.replace(/^.*\) /s, "").split(" ")[1] ?? "0";
  }
  return false;
}

/** Lists the folders of the user that are closed to agents. Only a call that names a path needs them. */
function closedFolders(home: string): readonly string[] {
  const { XDG_CONFIG_HOME, XDG_STATE_HOME, CLAUDE_CONFIG_DIR, CODEX_HOME } = process.env;
  const claude = CLAUDE_CONFIG_DIR ?? join(home, ".claude");
  const config = XDG_CONFIG_HOME ?? join(home, ".config");
  return [
    join(config, "isdlc"),
    join(XDG_STATE_HOME ?? join(home, ".local/state"), "isdlc"),
    ...["settings.json", "settings.local.json", "hooks", "plugins", "commands", "agents", "skills"].map((name) =>
      join(claude, name),
    ),
    join(home, ".claude.json"),
    CODEX_HOME ?? join(home, ".codex"),
    join(home, ".gemini"),
    join(config, "opencode"),
  ];
}

/** Resolves links. An event with too many paths to check in time is refused at once. */
function boundedRealpath(): (path: string) => string {
  let looks = 0;
  return (path) =>
    ++looks > MAX_READ_ATTEMPTS
      ? process.exit(refuse("isdlc: this names more files than can be looked at. Do it in parts."))
      : realpathSync.native(path);
}

function parseEvent(text: string | null): HookEvent | null {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null ? (value as HookEvent) : null; // an object, checked here
  } catch {
    return null;
  }
}

/** Shows the engine that this session has a guard. Informative only: it affects just one line at the gate. */
function signOfLife(root: string, session: unknown): void {
  if (typeof session !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,90}$/.test(session)) return;
  const { O_CREAT, O_WRONLY, O_TRUNC, O_NOFOLLOW } = constants;
  try {
    const folder = join(root, OWN_FOLDER, OWN.sessions);
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true)
      closeSync(openSync(join(folder, `${session}.hook`), O_CREAT | O_WRONLY | O_TRUNC | O_NOFOLLOW, 0o600));
  } catch {
    return; // something else has that name
  }
}

function readFile(path: string, limit: number): string | null {
  try {
    const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return readAll(file, limit);
    } finally {
      closeSync(file);
    }
  } catch {
    return null;
  }
}

/** Returns null if the file is unreadable or larger than the limit. */
function readAll(file: number, limit: number): string | null {
  const chunks: Buffer[] = [];
  for (let size = 0; size <= limit;) {
    const chunk = Buffer.allocUnsafe(65_536);
    const count = readSome(file, chunk);
    if (count === null) return null;
    if (count === 0) return Buffer.concat(chunks).toString("utf8");
    size += count;
    chunks.push(chunk.subarray(0, count));
  }
  return null;
}

function readSome(file: number, chunk: Buffer): number | null {
  for (;;) {
    try {
      return readSync(file, chunk, 0, chunk.length, null);
    } catch (error) {
      const code = (error as { code?: unknown }).code; // file calls throw nothing else
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") return null;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1); // a non-blocking input: read again
    }
  }
}

function refuse(reason: string): number {
  write(2, `${reason}\n`);
  return REFUSED;
}

function write(file: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
}

function guarded(): number {
  try {
    return main();
  } catch (error) {
    return refuse(`isdlc: its guard failed (${String(error).slice(0, 200)}), so nothing may change.`);
  }
}

process.exit(guarded()); // all output is written, and no cleanup is needed
