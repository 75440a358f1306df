import { closeSync, existsSync, fstatSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { nodeFiles, type FileSystem } from "../../src/adapters/files/file-system.ts";

/** Fault at the selected call. A killed process stays dead: not even its `finally` blocks have an effect. */
export type Fault = "killBefore" | "killHalf" | "killAfter" | "shortWrite" | "ENOSPC" | "EIO" | "EROFS";

/** How much of the unsynced content remains after the power cut. */
export type PowerCut = "nothing" | "half" | "zeros";

export class Killed extends Error {}

export type FaultFiles = {
  readonly files: FileSystem;
  /** Names of all calls. */
  readonly calls: readonly string[];
  /** True after the fault occurred. */
  hit(): boolean;
  /** Reduces the disk to the state after a power cut at this moment. */
  cutPower(left: PowerCut): void;
};

type Call = (...args: unknown[]) => unknown;
type Name = keyof FileSystem;

/** Returns file operations in which call number `at` (from 1) fails; 0 for none. */
export function createFaultFiles(at: number, fault: Fault, under: FileSystem = nodeFiles): FaultFiles {
  const disk = createDisk();
  const calls: string[] = [];
  const open = new Set<number>();
  let dead = false;
  let hit = false;

  const perform = (name: Name, args: unknown[]): unknown => {
    const result = (under[name] as Call)(...args);
    disk.note(name, args, result);
    if (name === "openSync") open.add(result as number);
    if (name === "closeSync") open.delete(args[0] as number);
    return result;
  };
  function die(): never {
    dead = true;
    hit = true;
    for (const fd of open) closeSync(fd); // as the system does
    throw new Killed("killed");
  }
  const performThenDie = (name: Name, args: unknown[]): never => {
    try {
      perform(name, args);
    } finally {
      die();
    }
  };
  const goWrong = (name: Name, args: unknown[]): unknown => {
    const half = name === "writeSync" ? halved(args) : args;
    if (fault === "killBefore") return die();
    if (fault === "killAfter") return performThenDie(name, args);
    if (fault === "killHalf") return performThenDie(name, half);
    hit = true;
    if (fault === "shortWrite") return perform(name, half);
    // A full disk accepts the part that fits, then fails.
    const partly = fault === "ENOSPC" && name === "writeSync";
    if (partly || name === "closeSync") perform(name, half);
    throw Object.assign(new Error(`${fault}: injected, ${name}`), { code: fault, syscall: name });
  };
  const wrap =
    (name: Name): Call =>
    (...args) => {
      if (dead) throw new Killed("killed");
      calls.push(name);
      return calls.length === at ? goWrong(name, args) : perform(name, args);
    };
  const names = Object.keys(nodeFiles) as Name[];
  const files = Object.fromEntries(names.map((name) => [name, wrap(name)])) as unknown as FileSystem;
  return { files, calls, hit: () => hit, cutPower: (left) => disk.cutPower(left) };
}

/** Returns the arguments of a write with half of its bytes. */
function halved(args: unknown[]): unknown[] {
  const [fd, bytes, offset, length, position] = args as [number, Uint8Array, number, number, number | null];
  return [fd, bytes, offset, Math.ceil(length / 2), position];
}

type Disk = { note(name: Name, args: unknown[], result: unknown): void; cutPower(left: PowerCut): void };

/**
 * Tracks durable content: file content since its last sync, and new names since the last sync of their folder. Deleted
 * and renamed names count as durable at once, because journaling file systems keep their order.
 */
function createDisk(): Disk {
  const paths = new Map<number, string>();
  /** Content at the last sync, by path. */
  const durable = new Map<string, Buffer>();
  const newNames = new Set<string>();

  const forget = (path: string): void => {
    durable.delete(path);
    newNames.delete(path);
  };
  const opened = (fd: number, path: string): void => {
    paths.set(fd, path);
    const facts = fstatSync(fd);
    if (facts.isFile() && facts.size === 0 && !durable.has(path)) newNames.add(path);
  };
  const synced = (path: string): void => {
    durable.delete(path);
    for (const entry of newNames) if (dirname(entry) === path) newNames.delete(entry);
  };
  const renamed = (from: string, to: string): void => {
    const content = durable.get(from);
    forget(from);
    forget(to);
    if (content !== undefined) durable.set(to, content);
  };
  const note: Disk["note"] = (name, args, result) => {
    const [first, second] = args as [string, string];
    const path = paths.get(args[0] as number) ?? "";
    if (name === "openSync") opened(result as number, first);
    if (name === "writeSync" && !durable.has(path))
      durable.set(path, readFileSync(path).subarray(0, before(args, path)));
    if (name === "fsyncSync" || name === "fdatasyncSync") synced(path);
    if (name === "unlinkSync") forget(first);
    if (name === "renameSync") renamed(first, second);
  };
  const cutPower = (left: PowerCut): void => {
    for (const path of newNames) rmSync(path, { force: true });
    for (const [path, content] of durable) {
      if (!existsSync(path)) continue;
      const now = readFileSync(path);
      if (left === "nothing") writeFileSync(path, content);
      else if (left === "half") truncateSync(path, content.length + Math.floor((now.length - content.length) / 2));
      else writeFileSync(path, Buffer.concat([content, Buffer.alloc(Math.max(0, now.length - content.length))]));
    }
  };
  return { note, cutPower };
}

/** Returns the file's length before this write. */
function before(args: unknown[], path: string): number {
  const position = args[4] as number | null;
  const written = args[3] as number;
  return position ?? readFileSync(path).length - written;
}
