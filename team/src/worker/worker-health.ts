import { execFile } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Log } from "../structured-log.ts";
import { findWorkerFault } from "./worker-fault.ts";

export type WorkerHealth = {
  /** Returns the fault that keeps the worker from taking runs, or null. */
  fault(): string | null;
  note(fault: string): void;
  /** Runs the checks, and notes a fault. */
  check(): Promise<void>;
  /** Repeats the checks if a fault was noted and its pause is over. */
  recheck(): Promise<void>;
};

export type HealthOptions = {
  /** Folder for clones and working trees. */
  readonly data: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  /** Fails if an agent of the worker is not installed. */
  readonly probeAgents: () => Promise<void>;
};

const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 60_000;
const PROBE_BYTES = 8 * 1024 * 1024;

/** A worker with a full disk, or without git or its agents, takes no runs until its checks pass again. */
export function createWorkerHealth({ data, env, log, probeAgents }: HealthOptions): WorkerHealth {
  let state: { readonly fault: string; readonly pause: number; readonly until: number } | null = null;
  const note = (fault: string): void => {
    const pause = state === null ? FIRST_PAUSE_MS : Math.min(state.pause * 2, MAX_PAUSE_MS);
    if (state === null) log.error({ fault }, "this machine cannot drive runs; the worker takes none");
    state = { fault, pause, until: performance.now() + pause };
  };
  const check = async (): Promise<void> => {
    try {
      await probe(data, env);
      await probeAgents();
      if (state !== null) log.info({}, "the fault is over; the worker takes runs again");
      state = null;
    } catch (error) {
      note(findWorkerFault(error) ?? (error instanceof Error ? error.message : String(error)));
    }
  };
  return {
    fault: () => state?.fault ?? null,
    note,
    check,
    recheck: async () => (state === null || performance.now() < state.until ? undefined : check()),
  };
}

/** Writes a file as large as a small commit, and starts git. */
async function probe(data: string, env: NodeJS.ProcessEnv): Promise<void> {
  const file = join(data, "probe");
  try {
    writeFileSync(file, Buffer.alloc(PROBE_BYTES, 1), { flush: true });
  } finally {
    rmSync(file, { force: true });
  }
  await promisify(execFile)("git", ["--version"], { env });
}
