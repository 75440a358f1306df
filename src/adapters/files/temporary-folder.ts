import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { mkdtemp, readdir, realpath, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { createTimeSlice, type TimeSlice } from "./time-slice.ts";

/** Creates a folder for this user only (mkdtemp sets 0700). Removes folders of killed programs first. */
export async function makeTemporaryFolder(among: string = tmpdir()): Promise<string> {
  const place = await realpath(among);
  await clearLeftFolders(place);
  return mkdtemp(join(place, `${prefix()}${process.pid}-`));
}

/** Creates such a folder at once, and removes it when this program exits. */
export const makeExitFolder = (): string =>
  removeAtExit(mkdtempSync(join(realpathSync(tmpdir()), `${prefix()}${process.pid}-`)));

const cleared = new Map<string, Promise<void>>();

/** Removes the folders of killed programs, once per location. */
export function clearLeftFolders(place: string = tmpdir()): Promise<void> {
  const clearing = cleared.get(place) ?? clearLeft(place);
  cleared.set(place, clearing);
  return clearing;
}

/** Returns a name prefix with machine and namespace: process numbers are only valid there. */
function prefix(): string {
  const space = /\d+/.exec(readNamespace())?.[0] ?? "0";
  const machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
  return `isdlc-${machine}-${space}-`;
}

function readNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return ""; // other systems have one namespace
  }
}

async function clearLeft(place: string): Promise<void> {
  const ours = prefix();
  for (const name of await readdir(place).catch(() => [])) {
    const pid = name.startsWith(ours) ? /^(\d+)-/.exec(name.slice(ours.length))?.[1] : undefined;
    if (pid === undefined || numberInUse(Number(pid))) continue;
    await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined); // it belongs to another user
  }
}

export async function removeFolder(folder: string): Promise<void> {
  try {
    await removePlain(folder, createTimeSlice());
  } catch {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }); // missing, busy, read-only, unusual names
  }
  lasting.delete(folder);
}

/** Follows no link, and retries nothing. */
async function removePlain(folder: string, slice: TimeSlice): Promise<void> {
  if (!lstatSync(folder).isDirectory()) return unlinkSync(folder); // a program that used the folder may have put a link there
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await removePlain(path, slice);
    else unlinkSync(path);
    if (slice.isOver()) await slice.next();
  }
  rmdirSync(folder);
}

const lasting = new Set<string>();
let isListening = false;

/** Removes the folder when this program exits. */
export function removeAtExit(folder: string): string {
  if (!isListening) process.once("exit", removeLasting);
  isListening = true;
  lasting.add(folder);
  return folder;
}

function removeLasting(): void {
  for (const folder of lasting) {
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      continue; // it was made read-only: the next program removes it
    }
  }
}

export async function inTemporaryFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder();
  try {
    return await use(folder);
  } finally {
    await removeFolder(folder);
  }
}

/** True while any process has this number, of this user or another one. */
export function numberInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
