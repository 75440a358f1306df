import { readFileSync } from "node:fs";
import { expect } from "vitest";

const TICKS = 100; // per second, the unit of Linux
const MOST = 1; // second

/** Seconds of CPU used by a running process and its threads; 0 if the system does not report it. */
export const readCpuSeconds = (pid: number): number => secondsIn(`/proc/${pid}/stat`, 11);

/** Seconds of CPU used by all exited children of this process, and by the descendants they waited for. */
export const readEndedCpuSeconds = (): number => secondsIn("/proc/self/stat", 13);

/**
 * Measures the CPU milliseconds of this process during the work. On a busy machine, they say more about the code than
 * the clock does.
 */
export function cpuFor(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** User and system time are adjacent fields. */
function secondsIn(file: string, at: number): number {
  if (process.platform !== "linux") return 0;
  const stat = readFileSync(file, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[at]) + Number(fields[at + 1])) / TICKS;
}

/**
 * Expects the child processes that exit during the work to use at most one second. It is CPU time, because the clock
 * includes other work of the machine.
 */
export async function withinSecond<T>(work: () => Promise<T>): Promise<T> {
  const before = readEndedCpuSeconds();
  const done = await work();
  expectWithinSecond(readEndedCpuSeconds() - before);
  return done;
}

export const expectWithinSecond = (seconds: number): void =>
  expect(seconds, "seconds of CPU").toBeLessThanOrEqual(MOST);
