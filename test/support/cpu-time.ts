import { readFileSync } from "node:fs";
import { expect } from "vitest";

const TICKS = 100; // a second, in which Linux counts
const MOST = 1; // second

/** Seconds of CPU that a running process used, its threads included; 0 where the system does not tell. */
export const cpuOf = (pid: number): number => secondsIn(`/proc/${pid}/stat`, 11);

/** The same of all children of this process that have ended, and of those that they waited for. */
export const cpuOfEnded = (): number => secondsIn("/proc/self/stat", 13);

/** Milliseconds of CPU that this process uses meanwhile, which say more of the code than the clock of a busy machine. */
export function cpuFor(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** User and system time stand beside each other. */
function secondsIn(file: string, at: number): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync(file, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[at]) + Number(fields[at + 1])) / TICKS;
}

/** A child process that ends with what is done here takes a second at most; of CPU, as the clock counts the machine's other work. */
export async function withinSecond<T>(work: () => Promise<T>): Promise<T> {
  const before = cpuOfEnded();
  const done = await work();
  expectWithinSecond(cpuOfEnded() - before);
  return done;
}

export const expectWithinSecond = (seconds: number): void =>
  expect(seconds, "seconds of CPU").toBeLessThanOrEqual(MOST);
