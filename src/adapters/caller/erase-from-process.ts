import { closeSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

/**
 * Overwrites a text where the system shows this process's arguments and first environment (`/proc/<pid>/cmdline` and
 * `environ`): taking a variable out does not change that. Other systems do not show it to other programs of the user, or
 * cannot be told; there nothing is done.
 */
export function eraseFromProcess(secret: string): void {
  if (process.platform !== "linux" || secret === "") return;
  try {
    const memory = openSync("/proc/self/mem", "r+");
    try {
      for (const [start, end] of regions()) eraseIn(memory, { start, end, secret: Buffer.from(secret) });
    } finally {
      closeSync(memory);
    }
  } catch {
    return; // a system that forbids it: the variable is gone from what children inherit all the same
  }
}

type Region = readonly [start: number, end: number];

/** Fields of `stat` count from 1; the name in brackets may hold anything, so they are counted from its end. */
function regions(): readonly Region[] {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const field = (number: number): number => Number(fields[number - 3]);
  const found: readonly Region[] = [
    [field(48), field(49)],
    [field(50), field(51)],
  ];
  return found.filter(([start, end]) => start > 0 && end > start);
}

function eraseIn(memory: number, { start, end, secret }: { start: number; end: number; secret: Buffer }): void {
  const bytes = Buffer.alloc(end - start);
  readSync(memory, bytes, 0, bytes.length, start);
  for (let at = bytes.indexOf(secret); at !== -1; at = bytes.indexOf(secret, at + 1))
    writeSync(memory, Buffer.alloc(secret.length, "x"), 0, secret.length, start + at);
}
