import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Clock of a file system, which may differ from this program's clock. */
export type FileClock = {
  readonly dev: number;
  /** Milliseconds with fractions, as in the times of files. */
  readonly time: number;
  /** True if the time has no fractions: within a millisecond, a file can change several times and keep its time. */
  readonly isCoarse: boolean;
};

/** Milliseconds. The clock of a file system with microseconds never stands still for longer. */
export const CLOCK_TICK = 20;

/** Reads the clock with a file in this folder, which belongs to isdlc. */
export function fileClock(folder: string): FileClock {
  const file = openSync(join(folder, "clock"), constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    futimesSync(file, 0, 0);
    return toFileClock(fstatSync(file, { bigint: true }));
  } finally {
    closeSync(file);
  }
}

/**
 * Reads the clock by adding and removing a name in a folder. Returns null if the folder's own time does not show it.
 */
export function folderClock(folder: string): FileClock | null {
  const place = join(folder, "names");
  const name = join(place, "name");
  mkdirSync(place, { recursive: true });
  const before = lstatSync(place, { bigint: true });
  writeFileSync(name, "", { flag: "wx" });
  rmSync(name);
  const after = lstatSync(place, { bigint: true });
  return after.ctimeNs > before.ctimeNs ? toFileClock(after) : null; // else no time has passed since the last scan
}

const NANOSECONDS = 1_000_000; // per millisecond

/** Checks the integer for fractions: as a number, one time in four thousand would seem to have none. */
const toFileClock = ({ dev, ctimeNs }: BigIntStats): FileClock => ({
  dev: Number(dev),
  time: Number(ctimeNs) / NANOSECONDS,
  isCoarse: ctimeNs % BigInt(NANOSECONDS) === 0n,
});
