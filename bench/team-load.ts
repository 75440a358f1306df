import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { BareWorker, WorkerMessage } from "./bare-worker.ts";
import type { Settings } from "./benches.ts";
import { toEnd } from "./ending.ts";
import { MEASURING, type TeamPlace } from "./team-place.ts";

/** Phases of the workflow "change". */
export const PHASES = 3;

export type Load = {
  /** Phases driven and answered per second. */
  readonly perSecond: number;
  /** Milliseconds from sending an answer to the lease of the following drive. */
  readonly answerToWork: readonly number[];
  readonly connections: number;
};

/** Times of answers, by the clock shared by all processes, and the delays until work started. */
export type Times = { readonly answered: Map<string, number>; readonly took: number[] };

export const newTimes = (): Times => ({ answered: new Map(), took: [] });

const sharedClock = (): number => performance.timeOrigin + performance.now();

/** Starts this number of workers without git, and returns a function that stops them. */
export async function startBareWorkers(
  { scratch, root }: Settings,
  place: TeamPlace,
  { count, times }: { readonly count: number; readonly times: Times },
): Promise<() => Promise<void>> {
  const { url, keys } = place;
  const ends: (() => Promise<void>)[] = [];
  for (let number = 1; number <= count; number++) {
    const name = `bare${number}`;
    const { token } = await place.worker(name);
    const given: BareWorker = { name, url, token, keys, root };
    const worker = fork(join(scratch, "bare-worker.mjs"), [JSON.stringify(given)]);
    ends.push(toEnd(() => void worker.kill("SIGKILL")));
    await new Promise<void>((resolve, reject) => {
      worker.on("message", (told: WorkerMessage) => {
        if (told.is === "ready") return resolve();
        const answered = times.answered.get(told.run);
        if (answered !== undefined) times.took.push(told.at - answered);
      });
      worker.once("exit", (code) => reject(new Error(`a worker ended with ${code}`)));
    });
  }
  return async () => {
    for (const end of ends) await end();
  };
}

/** Starts this number of runs and answers their gates until all have ended. */
export async function drivenToEnd(place: TeamPlace, count: number, times: Times): Promise<Load> {
  const { pool } = place;
  const began = performance.now();
  const runs = await Promise.all(Array.from({ length: count }, () => place.begin("bench")));
  let connections = 0;
  for (let open = count; open > 0; await delay(20)) {
    const { rows } = await pool.query<{ run: string }>(
      "select run from isdlc.run where rests = 'wait' and run = any($1)",
      [runs],
    );
    await Promise.all(rows.map(({ run }) => place.answer(run, () => times.answered.set(run, sharedClock()))));
    const counted = await pool.query<{ open: number; connections: number; refused: string | null }>(
      `select count(*) filter (where rests <> 'ended')::int as open, max(refused) as refused,
         (select count(*)::int from pg_stat_activity where backend_type = 'client backend' and application_name <> '${MEASURING}') as connections
       from isdlc.run where run = any($1)`,
      [runs],
    );
    const [now] = counted.rows;
    if (now?.refused !== null && now !== undefined) throw new Error(`a run was refused: ${now.refused}`);
    open = now?.open ?? 0;
    connections = Math.max(connections, now?.connections ?? 0);
  }
  const seconds = (performance.now() - began) / 1000;
  return { perSecond: (count * PHASES) / seconds, answerToWork: times.took, connections };
}
