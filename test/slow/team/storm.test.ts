import { existsSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test, vi } from "vitest";
import { createLineProxy } from "./support/line-proxy.ts";
import { createOwnTeam } from "./support/own-team.ts";
import { findProblems } from "./support/run-problems.ts";
import { hasPostgres } from "./support/team-database.ts";
import type { Team } from "./support/team.ts";
import { beginRun, look, PATIENCE, untilEnded } from "./support/team-runs.ts";
import { createWorkerFaults } from "./support/worker-faults.ts";

/** The full storm of CI: `ISDLC_TEAM_FAULTS=200 ISDLC_TEAM_RUNS=30`. */
const FAULTS = Number(process.env["ISDLC_TEAM_FAULTS"] ?? 16);
const RUNS = Number(process.env["ISDLC_TEAM_RUNS"] ?? 4);
const WITHIN = Math.max(600_000, FAULTS * 15_000); // milliseconds
const WORKERS = ["w1", "w2", "w3"];
/** Number of first runs that start another one while faults continue. */
const FOLLOWED = 4;
/** With many runs and few workers, a run may wait for most of the storm, and all of them poll. */
const STORM_PATIENCE = { timeout: WITHIN, interval: 250 };
/** Loses 15 of 100 replies, by their number. */
const isLost = (reply: number): boolean => (reply * 7) % 20 < 3;

/** Checks the command line, because the system reuses process ids. */
const isAgent = (pid: number): boolean =>
  existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("by-plan.mjs");

describe.runIf(hasPostgres)("storm of worker and server faults", { timeout: WITHIN }, () => {
  test(`loses, doubles and skips nothing and ends every run, with ${FAULTS} faults and ${RUNS} runs`, async () => {
    const own = await createOwnTeam();
    const { team } = own;
    team.ada.plan({
      always: { delay: 300 },
      turns: { implement: [{ writes: { "src/made.js": "made\n" }, delay: 1000 }] },
    });
    const line = await createLineProxy(team.url);
    afterAll(() => line.close());
    const faults = await createWorkerFaults({ own, url: line.url, workers: WORKERS });
    line.loseReplies(isLost);

    const acknowledged = new Map<string, readonly string[]>();
    let isOver = false;
    const live = async (number: number): Promise<void> => {
      const run = await vi.waitFor(() => beginRun(team, { title: `storm ${number}` }), PATIENCE);
      acknowledged.set(run, await untilEnded(team, run, STORM_PATIENCE));
      if (number < FOLLOWED && !isOver) await live(number);
    };
    const storm = faults.inflict(FAULTS).finally(() => (isOver = true));
    await Promise.all([storm, ...Array.from({ length: RUNS }, (_, number) => live(number))]);

    const runs = await allRuns(team);
    for (const run of runs) await untilEnded(team, run, STORM_PATIENCE); // includes runs whose start was not acknowledged
    for (const run of runs) expect(await findProblems(team, run, acknowledged.get(run)), run).toEqual([]);
    await faults.stop();
    expect(team.ada.log().filter(({ pid }) => isAgent(pid))).toEqual([]);

    const { sent, lost } = line.replies;
    const told = { runs: runs.length, ...faults.inflicted, repliesLost: `${lost} of ${sent}` };
    const fenced = faults.said().split('"end":"fenced"').length - 1;
    const agentsLost = await lostExecutions(team, runs);
    console.log(JSON.stringify({ ...told, fenced, agentsLost }));
    expect(runs.length).toBeGreaterThanOrEqual(RUNS);
    expect(faults.inflicted).toEqual({ kill: FAULTS / 2, sleep: FAULTS / 4, restart: FAULTS / 4 });
    expect(lost).toBeGreaterThanOrEqual(Math.floor(sent / 20) * 3);
    expect(sent).toBeGreaterThan(10 * RUNS);
    expect(fenced).toBeGreaterThan(0);
  });
});

async function allRuns({ database }: Team): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ run: string }>("select run from isdlc.run order by number");
  return rows.map(({ run }) => run);
}

/** Number of executions lost with their workers. */
async function lostExecutions(team: Team, runs: readonly string[]): Promise<number> {
  const seen = await Promise.all(runs.map((run) => look(team, run)));
  return seen
    .flatMap(({ events }) => events)
    .filter((event) => event.type === "execution.ended" && event.how === "lost").length;
}
