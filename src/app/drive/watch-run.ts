import type { RunState } from "../../core/run.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Project } from "../project/project.ts";

export type WatchedRun = {
  readonly state: RunState;
  /** Process that still drives the run, or displays its open wait; null if there is none. */
  readonly driver: number | null;
};

const LOOKS_AGAIN_AFTER = 50; // milliseconds
/** A driver without a terminal exits within two seconds after a wait opened. */
const LOOKS = 40;
const AT_LEAST_EVERY = 1000; // milliseconds

/** Watches a run driven by another process, until the run waits or ends, no process drives it, or `signal` aborts. */
export async function watchRun(project: Project, run: RunId, signal: AbortSignal): Promise<WatchedRun> {
  const { journal, driver } = project;
  for (;;) {
    const { state } = await journal.load(run);
    if (state.is !== "active") return { state, driver: null };
    if (state.wait !== null) return { state, driver: await stayingDriver(project, signal) };
    const pid = driver.holder();
    if (signal.aborted || pid === null) return { state, driver: pid };
    await journal.changed(run, AbortSignal.any([signal, AbortSignal.timeout(AT_LEAST_EVERY)]));
  }
}

/** Returns the driver that stays at an open wait to ask at a terminal; null if it released the lock. */
async function stayingDriver({ driver, pause }: Project, signal: AbortSignal): Promise<number | null> {
  for (let look = 1; ; look++) {
    const pid = driver.holder();
    if (pid === null || signal.aborted || look > LOOKS) return pid;
    await pause(LOOKS_AGAIN_AFTER, signal);
  }
}
