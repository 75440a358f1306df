import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFileLock } from "../../../src/adapters/journal/file-lock.ts";
import { systemLockProcesses } from "../../../src/adapters/journal/lock-files.ts";
import { nodeFiles } from "../../../src/adapters/files/file-system.ts";
import { ProblemError } from "../../../src/core/problem.ts";

/** Data folder of one process. Processes of the same worker use different folders. */
export type DataSlot = {
  readonly folder: string;
  /** Random id of the previous, exited process in the folder; null if there was none. */
  readonly previous: string | null;
};

const MAX_SLOTS = 100;

export const dataFolder = (state: string): string => join(state, "worker");

/**
 * Takes the worker's first folder without a live process: `w1`, `w1~2`, `w1~3` (`~` is not allowed in worker names).
 * @throws ProblemError NOT_ALLOWED if all are in use
 */
export function openDataSlot(data: string, worker: string, instance: string): DataSlot {
  for (let number = 1; number <= MAX_SLOTS; number++) {
    const folder = join(data, number === 1 ? worker : `${worker}~${number}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const processes = systemLockProcesses();
    if (!createFileLock({ directory: folder, name: "process", files: nodeFiles, processes }).tryAcquire().ok) continue;
    const file = join(folder, "instance");
    const previous = existsSync(file) ? readFileSync(file, "utf8").slice(0, 100) : null;
    writeFileSync(file, instance, { mode: 0o600 });
    return { folder, previous };
  }
  throw new ProblemError({
    code: "NOT_ALLOWED",
    what: `${MAX_SLOTS} processes of the worker ${worker} use ${data}.`,
    fix: "Stop some of them, or give another folder with --data.",
  });
}
