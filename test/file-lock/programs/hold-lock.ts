import { closeSync, openSync, unlinkSync, writeSync, existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { nodeFiles } from "../../../src/adapters/files/file-system.ts";
import { createFileLock } from "../../../src/adapters/journal/file-lock.ts";
import { systemLockProcesses } from "../../../src/adapters/journal/lock-files.ts";

/**
 * hold-lock <folder> hold: takes the lock, prints "held" and keeps it. hold-lock <folder> <count>: waits for the
 * file `go`, then takes the lock that many times, and prints "two" if another process held it too.
 */
const [directory = "", mode = ""] = process.argv.slice(2);
const lock = createFileLock({ directory, name: "lock", files: nodeFiles, processes: systemLockProcesses() });

if (mode === "hold") {
  await lock.acquire(5000);
  writeSync(1, "held\n");
  await delay(60_000);
} else {
  writeSync(1, "ready\n");
  while (!existsSync(join(directory, "go"))) await delay(1);
  for (let number = 0; number < Number(mode); number++) {
    const held = await lock.acquire(30_000);
    const inside = join(directory, "inside");
    try {
      closeSync(openSync(inside, "wx"));
      await delay(1);
      unlinkSync(inside);
      writeSync(1, "one\n");
    } catch {
      writeSync(1, "two\n");
    }
    held.release();
  }
}
