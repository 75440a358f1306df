import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Milliseconds. CPU is null if the system does not report it. */
export type Cost = { readonly wall: number; readonly cpu: number | null };

export type Samples = { readonly wall: readonly number[]; readonly cpu: readonly number[] };

export type Contestant = () => Cost | Promise<Cost>;

/**
 * Runs each contestant once to warm up, then in rounds of random order: other load of the machine affects all of them
 * alike.
 */
export async function interleave<Name extends string>(
  rounds: number,
  contestants: Readonly<Record<Name, Contestant>>,
): Promise<Readonly<Record<Name, Samples>>> {
  const names = Object.keys(contestants) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, { wall: [], cpu: [] }])) as unknown as Record<
    Name,
    { wall: number[]; cpu: number[] }
  >;
  for (const name of names) await contestants[name]();
  for (let round = 0; round < rounds; round++) {
    for (const name of shuffled(names)) {
      const { wall, cpu } = await contestants[name]();
      samples[name].wall.push(wall);
      if (cpu !== null) samples[name].cpu.push(cpu);
    }
  }
  return samples;
}

/** Measures work in this process, as the mean of `times` calls. */
export async function timed(work: () => unknown, times = 1): Promise<Cost> {
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let time = 0; time < times; time++) {
    const pending = work();
    if (pending instanceof Promise) await pending;
  }
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { wall: wall / times, cpu: (user + system) / 1000 / times };
}

/** Measures work in this process and in the child processes it waits for. */
export async function timedWithChildren(work: () => unknown): Promise<Cost> {
  const before = childrenCpu();
  const { wall, cpu } = await timed(work);
  const after = childrenCpu();
  return { wall, cpu: before === null || after === null || cpu === null ? null : cpu + after - before };
}

export type NodeChild = {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
};

export type NodeRunner = (child: NodeChild) => Cost & { readonly rss: number; readonly stdout: string };

const MOST_OUTPUT = 256 * 1024 * 1024; // bytes, enough for the complete history of a long run

/**
 * Returns a function that runs node and reads its resource usage at exit. The base of a ratio is measured in the same
 * way.
 */
export function createNodeRunner(scratch: string): NodeRunner {
  const told = join(scratch, "told.json");
  const teller = join(scratch, "teller.cjs");
  writeFileSync(
    teller,
    `process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  require("node:fs").writeFileSync(${JSON.stringify(told)}, JSON.stringify({ cpu: (user + system) / 1000, rss: maxRSS }));
});\n`,
  );
  return ({ args, cwd, env }) => {
    const began = performance.now();
    const options = { cwd, env, encoding: "utf8", maxBuffer: MOST_OUTPUT } as const;
    const child = spawnSync(process.execPath, ["--require", teller, ...args], options);
    const wall = performance.now() - began;
    if (child.status !== 0 && child.status !== 3) throw new Error(`${args.join(" ")}: ${child.stderr}${child.stdout}`);
    const { cpu, rss } = JSON.parse(readFileSync(told, "utf8")) as { cpu: number; rss: number };
    return { wall, cpu, rss, stdout: child.stdout };
  };
}

export const least = (numbers: readonly number[]): number => Math.min(...numbers);

export const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * Reads the CPU time of all exited children from /proc. It counts in hundredths of a second: too coarse for a single
 * round, but the mean is correct.
 */
function childrenCpu(): number | null {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[13]) + Number(fields[14])) * 10;
  } catch {
    return null;
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
