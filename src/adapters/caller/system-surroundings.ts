import { readlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { isatty } from "node:tty";
import { systemProcessTable } from "../process/process-table.ts";
import type { Surroundings } from "./identify-caller.ts";

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
