import { readlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { isatty } from "node:tty";
import { identifyCaller, type Surroundings, suspicionOf } from "./identify-caller.ts";
import { identityOf, isAlive, systemProcessTable } from "../process/process-table.ts";
import type { Callers } from "../../ports/callers.ts";

/** Whoever started this process. */
export const systemCallers: Callers = {
  identify: (work) => identifyCaller(systemSurroundings(), work),
  identifyProcess: (pid, work) => identifyCaller(surroundingsOf(pid), work),
  suspicion: (work) => suspicionOf(systemSurroundings(), work),
  origin: () => ({ pid: process.pid, session: null, terminal: null }),
  isAlive: (process) => isAlive(systemProcessTable(), process),
  processAt: (pid) => identityOf(systemProcessTable(), pid),
};

/** This very process. */
export function systemSurroundings(): Surroundings {
  return {
    env: process.env,
    table: systemProcessTable(),
    pid: process.pid,
    userName: userName(),
    isInteractive: isatty(0) && (isatty(1) || isatty(2)),
    terminalName: terminalName(),
  };
}

/** Another process, as far as the system tells. */
function surroundingsOf(pid: number): Surroundings {
  const own = systemSurroundings();
  const env: Record<string, string> = {};
  for (const entry of own.table.environment(pid) ?? []) {
    const at = entry.indexOf("=");
    if (at > 0) env[entry.slice(0, at)] = entry.slice(at + 1);
  }
  const isInteractive = (own.table.one(pid)?.terminal ?? null) !== null;
  return { ...own, env, pid, isInteractive, terminalName: null };
}

/** By the system's word, not by the environment, which anyone can set. */
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
