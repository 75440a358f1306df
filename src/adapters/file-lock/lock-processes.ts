import { readlinkSync } from "node:fs";
import type { ProcessIdentity } from "../../schema/facts.ts";
import { numberInUse } from "../file-system/number-in-use.ts";
import { readBoot, readStat } from "../process/proc-stat.ts";

/** The two questions a lock asks about processes. */
export type LockProcesses = {
  self(): Driver;
  /** True while that very process lives: same boot, same start time, not a reused number. */
  isAlive(driver: Driver): boolean;
};

type Driver = ProcessIdentity & {
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
  const found = readStat(driver.pid);
  // Nothing in /proc about a number that is in use: another user's process on a system that hides those.
  if (found === null) return numberInUse(driver.pid);
  return !found.isDead && found.started === driver.started;
}

let remembered: Driver | null = null;

function ownDriver(): Driver {
  const namespace = linkOrNull("/proc/self/ns/pid");
  return (remembered ??= {
    pid: process.pid,
    started: readStat(process.pid)?.started ?? "",
    boot: readBoot() ?? "",
    ...(namespace === null ? {} : { namespace }),
  });
}

function linkOrNull(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null; // a system without namespaces
  }
}
