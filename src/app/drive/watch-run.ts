import type { RunState } from "../../core/run.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Project } from "../project/project.ts";

export type WatchedRun = {
  readonly state: RunState;
  /** The process that drives the run still, or has its open wait before it; null when there is none. */
  readonly driver: number | null;
};

const LOOKS_AGAIN_AFTER = 50; // milliseconds
/** A driver without a terminal ends within two seconds once it came to a wait. */
const LOOKS = 40;
const AT_LEAST_EVERY = 1000; // milliseconds

/** Another process drives this run: watches it until the run rests, nobody drives it any more or the signal says stop. */
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

/** The driver that stays at an open wait, because it asks at a terminal; null when it let go. */
async function stayingDriver({ driver, pause }: Project, signal: AbortSignal): Promise<number | null> {
  for (let look = 1; ; look++) {
    const pid = driver.holder();
    if (pid === null || signal.aborted || look > LOOKS) return pid;
    await pause(LOOKS_AGAIN_AFTER, signal);
  }
}
