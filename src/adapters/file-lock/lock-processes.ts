import { readFileSync, readlinkSync } from "node:fs";
import { numberInUse } from "../file-system/number-in-use.ts";
import type { Processes } from "../../ports/processes.ts";

/** The two questions a lock asks about processes. */
export type LockProcesses = {
  self(): Driver;
  /** True while that very process lives: same boot, same start time, not a reused number. */
  isAlive(driver: Driver): boolean;
};

type Driver = ReturnType<Processes["self"]> & {
  /** In which its number counts; left out where the system has none, and in older locks. */
  readonly namespace?: string | undefined;
};

/** Answers from /proc; where there is none, a process counts as alive while its number is in use. */
export function systemLockProcesses(): LockProcesses {
  return { self: ownDriver, isAlive };
}

function isAlive(driver: Driver): boolean {
  const self = ownDriver();
  if (self.boot !== "" && driver.boot !== "" && self.boot !== driver.boot) return false;
  if (driver.namespace !== undefined && driver.namespace !== self.namespace) return true; // its number tells nothing here
  if (self.started === "" || driver.started === "") return numberInUse(driver.pid);
  const started = startOf(driver.pid);
  // Nothing in /proc about a number that is in use: another user's process on a system that hides those.
  if (started === null) return numberInUse(driver.pid);
  return started === driver.started;
}

let remembered: Driver | null = null;

function ownDriver(): Driver {
  const namespace = linkOrNull("/proc/self/ns/pid");
  return (remembered ??= {
    pid: process.pid,
    started: startOf(process.pid) ?? "",
    boot: bootId(),
    ...(namespace === null ? {} : { namespace }),
  });
}

/** Clock ticks since boot at which the process began; null when unknown, "ended" for one that only waits to be reaped. */
function startOf(pid: number): string | null {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === null) return null;
  // The second field is the program's name in brackets and may hold anything, spaces and brackets too.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state] = fields;
  return state === "Z" || state === "X" ? "ended" : (fields[19] ?? null);
}

function bootId(): string {
  return readText("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
}

function linkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // a system without namespaces
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
