import { existsSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test, vi } from "vitest";
import { createLineProxy } from "./support/line-proxy.ts";
import { createOwnTeam } from "./support/own-team.ts";
import { hasPostgres } from "./support/team-database.ts";
import { LEASE_SECONDS, type Started } from "./support/team.ts";
import { beginRun, PATIENCE, problemsOf, untilEnded } from "./support/team-runs.ts";

/** A whole storm: `ISDLC_TEAM_FAULTS=200 ISDLC_TEAM_RUNS=30`. */
const FAULTS = Number(process.env["ISDLC_TEAM_FAULTS"] ?? 8);
const RUNS = Number(process.env["ISDLC_TEAM_RUNS"] ?? 4);
const WITHIN = Math.max(600_000, FAULTS * 15_000); // milliseconds
const WORKERS = 3;
const LOST_REPLIES = 0.15;
const FAULT_KINDS = ["kill", "sleep", "kill", "restart the database"] as const;

describe.runIf(hasPostgres)("a storm", { timeout: WITHIN }, () => {
  test(`of ${FAULTS} faults on ${RUNS} runs: nothing lost, doubled or skipped, and every run ends`, async () => {
    const { team, stopDatabase, startDatabase } = await createOwnTeam();
    team.ada.plan({
      always: { delay: 300 },
      turns: { implement: [{ writes: { "src/made.js": "made\n" }, delay: 1000 }] },
    });
    const line = await createLineProxy(team.url);
    afterAll(() => line.close());
    const workers = new Map<string, Started>();
    const start = async (name: string): Promise<void> => void workers.set(name, await team.workerAt(line.url, name));
    for (let number = 1; number <= WORKERS; number++) await start(`w${number}`);
    line.loseReplies(() => Math.random() < LOST_REPLIES);

    const runs = await Promise.all(
      Array.from({ length: RUNS }, (_, number) => beginRun(team, { title: `storm ${number}` })),
    );
    const storming = { isOver: false, faults: 0 };
    const storm = (async () => {
      for (; storming.faults < FAULTS && !storming.isOver; storming.faults++) {
        await delay(800 + Math.random() * 1200);
        await fault(FAULT_KINDS[storming.faults % FAULT_KINDS.length]!);
      }
    })();
    const patience = { ...PATIENCE, timeout: WITHIN }; // with many runs and few workers, one may wait for most of the storm
    await Promise.all(runs.map((run) => untilEnded(team, run, patience)));
    storming.isOver = true;
    await storm;
    const told = { runs: RUNS, faults: storming.faults, lostReplies: line.lost.replies };
    console.log(JSON.stringify(told));
    for (const run of runs) expect(await problemsOf(team, run)).toEqual([]);
    expect(storming.faults).toBeGreaterThan(2);
    for (const worker of workers.values()) worker.child.kill("SIGTERM");
    await Promise.all([...workers.values()].map(({ ended }) => ended));
    const alive = team.ada.log().filter(({ pid }) => existsSync(`/proc/${pid}`));
    expect(alive).toEqual([]);

    /** To whoever is at work, if anybody is. */
    async function fault(kind: (typeof FAULT_KINDS)[number]): Promise<void> {
      if (kind === "restart the database") {
        await stopDatabase();
        return startDatabase();
      }
      const busy = await busyWorker();
      const { child } = workers.get(busy)!;
      if (kind === "kill") {
        child.kill("SIGKILL");
        return vi.waitFor(() => start(busy), PATIENCE);
      }
      child.kill("SIGSTOP");
      await delay(1500 * LEASE_SECONDS);
      child.kill("SIGCONT");
    }

    async function busyWorker(): Promise<string> {
      const { rows } = await team.database.pool.query<{ worker: string }>(
        "select worker from isdlc.run where worker is not null order by random() limit 1",
      );
      return rows[0]?.worker ?? "w1";
    }
  });
});
