import { lstatSync, readlinkSync, statfsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { isatty } from "node:tty";
import { identifyCaller, type OwnView, type Surroundings, findSuspicion } from "./identify-caller.ts";
import { findIdentity, isAlive, readBoot, systemProcessTable } from "../process/process-table.ts";
import type { Callers } from "../../ports/callers.ts";

/** Callers of this process and of others, read from the system. */
export const systemCallers: Callers = {
  identify: (work) => identifyCaller(systemSurroundings(), work),
  identifyProcess: (pid, work) => identifyCaller(readSurroundings(pid), work),
  suspicion: (work) => findSuspicion(systemSurroundings(), work),
  origin: () => ({ pid: process.pid, session: null, terminal: null }),
  view: () => {
    const view = readOwnView() ?? null;
    return view === null ? null : { boot: view.boot, mounts: view.mounts };
  },
  isAlive: (process) => isAlive(systemProcessTable(), process),
  processAt: (pid) => findIdentity(systemProcessTable(), pid),
};

/** Returns the caller context of this process. */
export function systemSurroundings(): Surroundings {
  const table = systemProcessTable();
  return {
    env: process.env,
    table,
    isTableOwn: table.one(process.pid)?.parent === process.ppid,
    view: readOwnView(),
    pid: process.pid,
    userName: userName(),
    isInteractive: isatty(0) && (isatty(1) || isatty(2)),
    terminalName: terminalName(),
  };
}

/** Returns the caller context of another process, as far as the system shows it. */
function readSurroundings(pid: number): Surroundings {
  const own = systemSurroundings();
  const env: Record<string, string> = {};
  for (const entry of own.table.environment(pid) ?? []) {
    const at = entry.indexOf("=");
    if (at > 0) env[entry.slice(0, at)] = entry.slice(at + 1);
  }
  const isInteractive = (own.table.one(pid)?.terminal ?? null) !== null;
  return { ...own, env, pid, isInteractive, terminalName: null };
}

/** Asks the system, not the environment, which anyone can set. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`; // no entry for this user, as in some containers
  }
}

function terminalName(): string | null {
  try {
    return isatty(0) ? readlinkSync("/proc/self/fd/0") : null;
  } catch {
    return null;
  }
}

/** Magic number of procfs, as reported by `statfs`. */
const PROC_FILE_SYSTEM = 0x9fa0;
/** Number of the first user namespace in Linux. */
const FIRST_USER_NAMESPACE = 0xeffffffd;

/**
 * Returns the view of this process. Null if `/proc` is not the system's own, undefined without namespaces. A program
 * can have its own `/proc` without its ancestors, but only in its own mount namespace.
 */
function readOwnView(): OwnView | null | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return isSystemOwn() ? { ...readNamespaces(), boot: readBoot() ?? "unknown" } : null;
  } catch {
    return null; // not mounted, or incomplete
  }
}

const own = `/proc/${process.pid}`;

/** True if nothing else is mounted over the files with the namespaces, and they belong to this process. */
function isSystemOwn(): boolean {
  const { dev } = lstatSync("/proc");
  const files = ["/proc/self", own, `${own}/stat`, `${own}/ns`, `${own}/ns/mnt`, `${own}/ns/user`];
  const isProc = statfsSync("/proc").type === PROC_FILE_SYSTEM;
  return (
    isProc && files.every((file) => lstatSync(file).dev === dev) && readlinkSync("/proc/self") === `${process.pid}`
  );
}

function readNamespaces(): Pick<OwnView, "mounts" | "isMadeByRoot"> {
  const isFirst = statSync(`${own}/ns/user`).ino === FIRST_USER_NAMESPACE;
  return { mounts: String(statSync(`${own}/ns/mnt`).ino), isMadeByRoot: isFirst && process.geteuid?.() !== 0 };
}
