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

/** What time it is for a file system, which need not be what it is for this program. */
export type FileClock = {
  readonly dev: number;
  /** Milliseconds with their parts, as in the times of its files. */
  readonly time: number;
  /** It tells no parts of a millisecond: within one, much could happen to a file without another time. */
  readonly isCoarse: boolean;
};

/** Milliseconds; no clock of a file system that tells microseconds stands still for longer. */
export const CLOCK_TICK = 20;

/** For a file in this folder, which is one of our own. */
export function fileClock(folder: string): FileClock {
  const file = openSync(join(folder, "clock"), constants.O_CREAT | constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    futimesSync(file, 0, 0);
    return toFileClock(fstatSync(file, { bigint: true }));
  } finally {
    closeSync(file);
  }
}

/** For a folder in which a name comes and goes; null where its own time does not tell of that. */
export function folderClock(folder: string): FileClock | null {
  const place = join(folder, "names");
  const name = join(place, "name");
  mkdirSync(place, { recursive: true });
  const before = lstatSync(place, { bigint: true });
  writeFileSync(name, "", { flag: "wx" });
  rmSync(name);
  const after = lstatSync(place, { bigint: true });
  return after.ctimeNs > before.ctimeNs ? toFileClock(after) : null; // else no time has passed since the last look
}

const NANOSECONDS = 1_000_000; // in a millisecond

/** As a number, one time in four thousand would look as if it had no parts: only the whole one tells. */
const toFileClock = ({ dev, ctimeNs }: BigIntStats): FileClock => ({
  dev: Number(dev),
  time: Number(ctimeNs) / NANOSECONDS,
  isCoarse: ctimeNs % BigInt(NANOSECONDS) === 0n,
});
