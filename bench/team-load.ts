import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import type { ServerClient } from "../src/adapters/team/server-client.ts";
import type { StartCommand } from "../src/core/command.ts";
import { next } from "../src/core/next.ts";
import { LeaseAnswer } from "../src/schema/api-team.ts";
import { GENERATION } from "../team/src/server/drive-queue.ts";
import { createHttpJournal } from "../team/src/worker/http-journal.ts";
import { takeDrives } from "../team/src/worker/take-drives.ts";
import { reportOn, startCommand } from "./sample-run.ts";
import type { TeamPlace } from "./team-place.ts";

const LOOSE = z.looseObject({});

/** Phases of the workflow "change". */
export const PHASES = 3;

export type Load = {
  /** Phases that were driven and answered in a second. */
  readonly perSecond: number;
  /** Milliseconds from sending an answer to the lease of the drive that follows. */
  readonly answerToWork: readonly number[];
  readonly connections: number;
};

/** Notes when runs were answered and when work on them began. */
export type Times = { readonly answered: Map<string, number>; readonly took: number[] };

/** Takes drives from the real queue and reports over HTTP; the agent answers at once, and there is no git. */
export async function startBareWorker(place: TeamPlace, root: string, times: Times): Promise<() => Promise<void>> {
  const { ask } = await place.worker("bare");
  const instance = { instance: "bare", runs: [], generation: GENERATION, version: "" };
  await ask({ method: "POST", path: "/api/worker/beat", body: instance, answer: LOOSE });
  const beat = setInterval(
    () => void ask({ method: "POST", path: "/api/worker/beat", body: instance, answer: LOOSE }),
    3000,
  );
  const drive = (run: string, workflow: string): Promise<string> =>
    driveBare({ place, ask, root, times }, run, workflow);
  const taking = await takeDrives({ database: place.database, executor: "bare", labels: [], drive });
  return async () => {
    clearInterval(beat);
    await taking.stop(1000);
  };
}

type Bare = {
  readonly place: TeamPlace;
  readonly ask: ServerClient;
  readonly root: string;
  readonly times: Times;
};

async function driveBare({ place, ask, root, times }: Bare, run: string, workflow: string): Promise<string> {
  const path = `/api/worker/runs/${run}/lease`;
  const { lease } = await ask({ method: "POST", path, body: { workflow }, answer: LeaseAnswer });
  if (lease === null) return "nothing";
  const answered = times.answered.get(run);
  if (answered !== undefined) times.took.push(performance.now() - answered);
  const { seal } = place;
  const withoutGit = { beforeRecord: () => Promise.resolve(null), afterRecord: () => undefined };
  const journal = createHttpJournal({ ask, run, epoch: lease.epoch, seal, ...withoutGit });
  for (;;) {
    const { state } = await journal.load(run);
    if (state.is === "none") await journal.create(run, supervised(startCommand(root, run, "change")));
    else if (state.is === "active" && next(state).is === "action") await journal.submit(run, reportOn(state));
    else return "rested";
  }
}

const supervised = (start: StartCommand): StartCommand => ({
  ...start,
  facts: { ...start.facts, supervision: { enabled: true, phases: "all" }, git: null },
});

/** Begins so many runs and answers their gates until all have ended. */
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
    await Promise.all(
      rows.map(({ run }) => {
        times.answered.set(run, performance.now());
        return place.answer(run);
      }),
    );
    const counted = await pool.query<{ open: number; connections: number; refused: string | null }>(
      `select count(*) filter (where rests <> 'ended')::int as open, max(refused) as refused,
         (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections
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
