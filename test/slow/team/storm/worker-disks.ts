import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";

/** A small disk for the data of each worker, in a mount namespace of its own. */
export type WorkerDisks = {
  /** Program and arguments that start a program in the namespace. */
  readonly enter: readonly string[];
  /** The path as seen from outside of the namespace. */
  outside(path: string): string;
  fill(worker: string): void;
  empty(worker: string): void;
};

const SIZE = 256; // MB
const CHUNK = Buffer.alloc(1024 * 1024, 1);
const FILLER = "filler";

/** False where the system forbids user namespaces. */
export const canMountDisks = (): boolean => spawnSync("unshare", ["--mount", "--map-root-user", "true"]).status === 0;

export async function mountWorkerDisks(data: string, workers: readonly string[]): Promise<WorkerDisks> {
  for (const worker of workers) mkdirSync(join(data, worker), { recursive: true });
  const mounts = workers.map((worker) => `mount -t tmpfs -o size=${SIZE}m,mode=700 none '${join(data, worker)}'`);
  const script = `${mounts.join(" && ")} && echo mounted && exec cat`;
  const keeper = spawn("unshare", ["--mount", "--map-root-user", "sh", "-c", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  afterAll(() => void keeper.stdin.end());
  await once(keeper.stdout, "data");
  const { pid } = keeper;
  if (pid === undefined || keeper.exitCode !== null) throw new Error("no disks could be mounted");
  const outside = (path: string): string => `/proc/${pid}/root${path}`;
  const filler = (worker: string): string => outside(join(data, worker, FILLER));
  return {
    enter: ["nsenter", "--preserve-credentials", "--user", "--mount", `--target=${pid}`, `--wd=${data}`, "--"],
    outside,
    fill(worker) {
      const file = openSync(filler(worker), "w");
      try {
        for (let written = 0; written <= SIZE; written++) writeSync(file, CHUNK); // never more than this disk has
      } catch {
        // full
      } finally {
        closeSync(file);
      }
    },
    empty: (worker) => rmSync(filler(worker), { force: true }),
  };
}
