import { readlinkSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../schema/facts.ts";
import {
  discardFile,
  errorCode,
  type FileSystem,
  OPEN,
  openPlain,
  PRIVATE,
  readRange,
  writeAll,
} from "../files/file-system.ts";
import { nodeCrypto } from "../files/node-crypto.ts";
import { readBoot, readStat } from "../process/process-table.ts";
import { numberInUse } from "../files/temporary-folder.ts";

/** Holder of a lock. `token` is used for one file and never again. */
export type Holder = {
  readonly token: string;
  readonly pid: number;
  readonly started: string;
  readonly boot: string;
  readonly host: string;
  /** Namespace of the process number. */
  readonly namespace?: string | undefined;
  /** Machine id, created when the system is installed. */
  readonly machine?: string | undefined;
};

export type LockLocation = {
  /** Existing folder. */
  readonly directory: string;
  /** File name of the lock, and start of all names of its helper files. */
  readonly name: string;
  readonly files: FileSystem;
  readonly processes: LockProcesses;
};

/** Process information needed by a lock. */
export type LockProcesses = {
  self(): Driver;
  /** Returns true while exactly this process is alive: same boot, same start time, not a reused number. */
  isAlive(driver: Driver): boolean;
};

type Driver = ProcessIdentity & {
  /** Namespace of the process number. Missing on systems without namespaces, and in older locks. */
  readonly namespace?: string | undefined;
};

const HOLDER_LIMIT = 4096; // bytes

export const lockPath = (place: LockLocation): string => join(place.directory, place.name);
export const ownPath = (place: LockLocation, token: string): string => `${lockPath(place)}.${token}`;
export const stealPath = (place: LockLocation, token: string): string => `${lockPath(place)}.steal.${token}`;

/** Writes the file that identifies this process. Linking it takes the lock with complete content. */
export function writeOwnFile(place: LockLocation): Holder {
  const self = place.processes.self();
  const token = `${self.pid}-${nodeCrypto().randomBytes(8).toString("hex")}`;
  const machine = ownMachine();
  const holder: Holder = { token, ...self, host: ownHost(), ...(machine === null ? {} : { machine }) };
  const path = ownPath(place, token);
  const fd = place.files.openSync(path, OPEN.createNew, PRIVATE);
  try {
    try {
      writeAll(place.files, fd, { bytes: Buffer.from(JSON.stringify(holder)), position: 0 });
    } finally {
      place.files.closeSync(fd);
    }
  } catch (error) {
    discardFile(place.files, path);
    throw error;
  }
  return holder;
}

/** Returns the holder in a lock file. Null if the file does not exist. */
export function readHolderFile(place: LockLocation, path: string): Holder | null {
  const { files } = place;
  const fd = openPlain(files, path, OPEN.read);
  if (fd === null) return null;
  try {
    const { size, ino } = files.fstatSync(fd);
    return parseHolder(readRange(files, fd, { from: 0, to: Math.min(size, HOLDER_LIMIT) })) ?? nobody(ino);
  } finally {
    files.closeSync(fd);
  }
}

/**
 * A holder on another machine cannot be checked and counts as alive. It is this machine if the boot id, the machine id
 * or the host name is the same; the host name may have changed since.
 */
export function isLiving(place: LockLocation, holder: Holder): boolean {
  if (holder.pid === 0) return false;
  const isHere =
    holder.host === ownHost() ||
    (holder.boot !== "" && holder.boot === place.processes.self().boot) ||
    (holder.machine !== undefined && holder.machine === ownMachine());
  return !isHere || place.processes.isAlive(holder);
}

/**
 * Removes files of exited processes. Only for the holder of the lock: no takeover in progress can still succeed then,
 * because its winner checks the lock again and finds this process.
 */
export function sweep(place: LockLocation, mine: ReadonlySet<string>): void {
  try {
    for (const file of place.files.readdirSync(place.directory)) {
      if (!file.startsWith(`${place.name}.`)) continue;
      const rest = file.slice(place.name.length + 1);
      const path = join(place.directory, file);
      if (rest.startsWith("steal.")) discardFile(place.files, path);
      else if (TOKEN.test(rest) && !mine.has(rest) && isLeftover(place, path)) discardFile(place.files, path);
    }
  } catch {
    // A failed cleanup must not stop any work; the next holder tries again.
  }
}

const TOKEN = /^[0-9]+-[0-9a-f]{16}$/;

function isLeftover(place: LockLocation, path: string): boolean {
  const holder = readHolderFile(place, path);
  if (holder === null) return false;
  if (holder.pid !== 0) return !isLiving(place, holder);
  // Not written yet, or never: the file name contains the process number.
  const pid = Number(path.slice(path.lastIndexOf(".") + 1).split("-")[0]);
  return !numberInUse(pid);
}

function parseHolder(bytes: Buffer): Holder | null {
  try {
    const value = JSON.parse(bytes.toString("utf8")) as Partial<Record<keyof Holder, unknown>> | null;
    const { token, pid, started, boot, host } = value ?? {};
    if (typeof token !== "string" || !TOKEN.test(token) || typeof pid !== "number" || !Number.isInteger(pid))
      return null;
    if (typeof started !== "string" || typeof boot !== "string" || typeof host !== "string" || pid <= 0) return null;
    return { token, pid, started, boot, host, ...whereabouts(value) };
  } catch (error) {
    if (errorCode(error) !== null) throw error;
    return null;
  }
}

/** Reads the fields that are missing in locks of earlier versions. */
function whereabouts(value: Partial<Record<keyof Holder, unknown>> | null): Pick<Holder, "namespace" | "machine"> {
  const { namespace, machine } = value ?? {};
  return {
    ...(typeof namespace === "string" ? { namespace } : {}),
    ...(typeof machine === "string" ? { machine } : {}),
  };
}

/**
 * Returns the holder of an unreadable lock. A lock is linked complete, so a power failure emptied it: its holder is
 * dead.
 */
function nobody(inode: number): Holder {
  return { token: `unreadable-${inode}`, pid: 0, started: "", boot: "", host: "" };
}

/** Loads the module only for a lock: most commands that read a run find none. */
const ownHost = (): string => process.getBuiltinModule("node:os").hostname();

const MACHINE_FILES = ["/etc/machine-id", "/var/lib/dbus/machine-id"];

/** Returns null on a system without a machine id. */
function ownMachine(): string | null {
  const { readFileSync } = process.getBuiltinModule("node:fs");
  for (const file of MACHINE_FILES) {
    try {
      const found = readFileSync(file, "utf8").trim();
      if (/^[0-9a-f]{32}$/.test(found)) return found;
    } catch {
      continue; // the next file may exist
    }
  }
  return null;
}

/** Reads processes from /proc. Without /proc, a process counts as alive while its number is in use. */
export function systemLockProcesses(): LockProcesses {
  return { self: ownDriver, isAlive };
}

function isAlive(driver: Driver): boolean {
  const self = ownDriver();
  if (self.boot !== "" && driver.boot !== "" && self.boot !== driver.boot) return false;
  if (driver.namespace !== undefined && driver.namespace !== self.namespace) return true; // its number is unknown here
  if (self.started === "" || driver.started === "") return numberInUse(driver.pid);
  const found = readStat(driver.pid);
  // The number is in use but missing in /proc: some systems hide processes of other users.
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
