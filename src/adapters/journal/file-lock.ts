import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import { discardFile, errorCode, type FileSystem, succeeds } from "../files/file-system.ts";
import {
  type Holder,
  isLiving,
  type LockLocation,
  lockPath,
  ownPath,
  readHolderFile,
  stealPath,
  sweep,
  systemLockProcesses,
  writeOwnFile,
} from "./lock-files.ts";
import type { DriverLock } from "../../ports/processes.ts";

export type Lock = { release(): void };

export type TryResult = { readonly ok: true; readonly lock: Lock } | { readonly ok: false; readonly holder: Holder };

export type FileLock = {
  /** Takes the lock now, if necessary from a dead holder. Otherwise returns the holder. */
  tryAcquire(): TryResult;
  /** @throws ProblemError LOCK_BUSY after `patience` milliseconds. */
  acquire(patience: number): Promise<Lock>;
  /** Returns the living holder. Null if the lock is free or its holder exited. */
  holder(): Holder | null;
  /** Releases the lock if held, and removes this instance's file. Called automatically at exit. */
  dispose(): void;
};

/**
 * Creates a lock between processes, stored in files of one folder. The lock is taken by linking a complete file to its
 * name: it is never visible with partial content. A dead holder's lock goes to the first process to link `steal.<its
 * token>`. Tokens are never reused: only one process can win.
 */
export function createFileLock(place: LockLocation): FileLock {
  const instance: LockInstance = { place, mine: new Set(), own: null, held: false, swept: false };
  watchExit();
  return {
    tryAcquire: () => tryAcquire(instance),
    acquire: (patience) => acquire(instance, patience),
    holder: () => readHolder(place),
    dispose: () => dispose(instance),
  };
}

function dispose(instance: LockInstance): void {
  const { place, own } = instance;
  release(instance);
  if (own !== null) discardFile(place.files, ownPath(place, own.token));
  instance.own = null;
  withFiles.delete(instance);
}

/** Removes the files of all locks that this process does not hold. A server would keep them until it exits. */
export function discardIdleLocks(): void {
  for (const instance of withFiles) if (!instance.held) dispose(instance);
}

/**
 * Runs `work` while holding the lock, then disposes of it.
 * @throws ProblemError LOCK_BUSY after `patience` milliseconds.
 */
export async function whileHeld<T>(lock: FileLock, patience: number, work: () => T | Promise<T>): Promise<T> {
  try {
    await lock.acquire(patience);
    return await work();
  } finally {
    lock.dispose();
  }
}

/** Returns the living holder of a lock. Reads only. */
export function readHolder(place: LockLocation): Holder | null {
  const holder = readHolderFile(place, lockPath(place));
  return holder !== null && isLiving(place, holder) ? holder : null;
}

/** State of one lock instance. */
type LockInstance = {
  readonly place: LockLocation;
  /** All tokens written by this instance. */
  readonly mine: Set<string>;
  own: Holder | null;
  held: boolean;
  swept: boolean;
};

async function acquire(instance: LockInstance, patience: number): Promise<Lock> {
  const until = performance.now() + patience;
  for (let attempt = 0; ; attempt++) {
    const result = tryAcquire(instance);
    if (result.ok) return result.lock;
    if (performance.now() >= until) {
      const holder = `process ${result.holder.pid} on ${result.holder.host}`;
      throw new ProblemError({ code: "LOCK_BUSY", file: lockPath(instance.place), holder });
    }
    await delay(Math.min(1 + attempt / 16, 10));
  }
}

function tryAcquire(instance: LockInstance): TryResult {
  const { place } = instance;
  for (;;) {
    const own = (instance.own ??= writeOwnFile(place));
    instance.mine.add(own.token);
    withFiles.add(instance);
    const result = link(place, own, lockPath(place));
    if (result === "linked") return take(instance);
    if (result === "lost") {
      instance.own = null;
      continue;
    }
    const holder = readHolderFile(place, lockPath(place));
    if (holder === null) continue;
    if (instance.mine.has(holder.token) && !instance.held) return take(instance);
    if (isLiving(place, holder)) return { ok: false, holder };
    const stolen = steal(instance, own, holder);
    if (stolen === "again") continue;
    if (stolen !== "won") return { ok: false, holder: stolen };
    instance.own = null; // the file became the lock itself
    instance.swept = false;
    return take(instance);
  }
}

function take(instance: LockInstance): TryResult {
  instance.held = true;
  if (!instance.swept) sweep(instance.place, instance.mine);
  instance.swept = true;
  return { ok: true, lock: { release: () => release(instance) } };
}

function release(instance: LockInstance): void {
  if (!instance.held) return;
  instance.held = false;
  // A lock that cannot be removed still names this process, which takes it again the next time.
  discardFile(instance.place.files, lockPath(instance.place));
}

/**
 * Takes over the lock of a dead holder. Returns "again" if files changed concurrently, or the living process that was
 * faster.
 */
function steal(instance: LockInstance, own: Holder, dead: Holder): "won" | "again" | Holder {
  const { place, mine } = instance;
  const chain: string[] = [];
  let judged = dead;
  for (;;) {
    const path = stealPath(place, judged.token);
    const result = link(place, own, path);
    if (result === "lost") return "again";
    chain.push(path);
    const heir = result === "linked" ? own : readHolderFile(place, path);
    if (heir === null) return "again";
    if (mine.has(heir.token)) break;
    if (isLiving(place, heir)) return heir;
    judged = heir; // that process died before it owned the lock
  }
  const unchanged = readHolderFile(place, lockPath(place))?.token === dead.token;
  const source = ownPath(place, own.token);
  if (unchanged && succeeds(() => place.files.renameSync(source, lockPath(place)), ["ENOENT"])) {
    for (const path of chain) discardFile(place.files, path);
    return "won";
  }
  discardFile(place.files, chain.at(-1) ?? "");
  return "again";
}

/** Links our own file. "lost": that file is missing, deleted by a cleanup of the folder. */
function link(place: LockLocation, own: Holder, path: string): "linked" | "taken" | "lost" {
  try {
    place.files.linkSync(ownPath(place, own.token), path);
    return "linked";
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return "taken";
    if (code === "ENOENT") return "lost";
    throw error;
  }
}

/** Lock instances of this process with a file. */
const withFiles = new Set<LockInstance>();
let watching = false;

function watchExit(): void {
  if (watching) return;
  watching = true;
  process.once("exit", () => {
    for (const instance of withFiles) dispose(instance);
  });
}

export type DriverLocation = { readonly own: string; readonly files: FileSystem };

/** Creates the lock in the folder of a journal, held by the process that drives its run. */
export function createDriverLock(location: DriverLocation): DriverLock {
  return {
    holder: () => readDriver(location),
    otherHolder() {
      const pid = readDriver(location);
      return pid === process.pid ? null : pid;
    },
    tryAcquire() {
      const lock = createFileLock(driverLock(location));
      const taken = lock.tryAcquire();
      if (!taken.ok) return { ok: false, pid: taken.holder.pid };
      return {
        ok: true,
        release() {
          taken.lock.release();
          lock.dispose();
        },
      };
    },
  };
}

/** Returns the living process that drives a run here. Null without a driver. */
export function readDriver(location: DriverLocation): number | null {
  return existsSync(location.own) ? (readHolder(driverLock(location))?.pid ?? null) : null;
}

const driverLock = ({ own, files }: DriverLocation): LockLocation => ({
  directory: own,
  name: OWN.driver,
  files,
  processes: systemLockProcesses(),
});
