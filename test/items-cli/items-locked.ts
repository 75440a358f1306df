import type { ChildProcess } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { nodeFiles } from "../../src/adapters/files/file-system.ts";
import { createFileLock } from "../../src/adapters/journal/file-lock.ts";
import { systemLockProcesses } from "../../src/adapters/journal/lock-files.ts";

/** Holds the lock of all writers of item documents until `work` is done. `state`: the user's folder. */
export async function whileItemsLocked(state: string, work: () => Promise<void>): Promise<void> {
  const place = { directory: state, name: "items", files: nodeFiles, processes: systemLockProcesses() };
  const lock = createFileLock(place);
  const held = await lock.acquire(1000);
  try {
    await work();
  } finally {
    held.release();
    lock.dispose();
  }
}

/** Resolves when the process waits for that lock. Fails if it exits first. */
export async function waitsForItems(state: string, child: ChildProcess): Promise<void> {
  const isWaiting = (): boolean => readdirSync(state).some((name) => name.startsWith(`items.${child.pid}-`));
  while (!isWaiting() && child.exitCode === null) await delay(10);
  expect([child.exitCode, isWaiting()]).toEqual([null, true]);
}
