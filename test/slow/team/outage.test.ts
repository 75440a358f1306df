import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, describe, expect, test, vi } from "vitest";
import { createLineProxy } from "./support/line-proxy.ts";
import { createOwnTeam } from "./support/own-team.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";
import { findProblems } from "./support/run-problems.ts";
import { begin, createTeam, LEASE_SECONDS, said } from "./support/team.ts";
import { answerOpen, beginRun, look, PATIENCE, untilEnded, untilRests } from "./support/team-runs.ts";

const MADE = { writes: { "src/made.js": "export const made = 1;\n" } };
/** Much longer than the lease. */
const AWAY = Number(process.env["ISDLC_TEAM_AWAY"] ?? 3 * LEASE_SECONDS); // seconds
const RECORDED_WITHIN = 5000; // milliseconds
const SLACK = process.env["ISDLC_TEAM_AWAY"] === undefined || process.env["CI"] !== undefined ? 15_000 : 0;

describe.runIf(hasPostgres)("outage of server or database", () => {
  test("records finished work after the database returns, without a second agent", async () => {
    const { team, stopDatabase, startDatabase } = await createOwnTeam();
    team.ada.plan({ turns: { implement: [{ ...MADE, delay: (AWAY * 1000) / 2 }] } });
    await team.worker("w1");
    await team.worker("w2");
    const run = await beginRun(team);
    await untilRests(team, run);
    await answerOpen(team, run);
    await vi.waitFor(() => expect(team.ada.log().some(({ key }) => key === "implement")).toBe(true), PATIENCE);
    const { epoch, head_seq: before } = await team.row(run);
    await stopDatabase();
    await delay(AWAY * 1000);
    await startDatabase();
    const back = performance.now();
    await vi.waitFor(async () => expect((await team.row(run)).head_seq).toBeGreaterThan(before), PATIENCE);
    const took = performance.now() - back;
    console.log(`recorded ${Math.round(took)} ms after the database was back from ${AWAY} s`);
    expect(took).toBeLessThan(RECORDED_WITHIN + SLACK);
    await untilRests(team, run);
    expect((await team.row(run)).epoch).toBe(epoch);
    expect(team.ada.log().filter(({ key }) => key === "implement")).toHaveLength(1);
    await untilEnded(team, run);
    expect(await findProblems(team, run)).toEqual([]);
  });

  test("waits for an unreachable server when a worker starts", async () => {
    const team = await createTeam();
    const line = await createLineProxy(team.url);
    afterAll(() => line.close());
    line.cut();
    const given = { ISDLC_WORKER_TOKEN: await team.token("worker", "w1") };
    const place = ["--data", join(team.ada.base, "workers")];
    const worker = begin(team.ada, ["worker", "--server", line.url, ...place, ...team.ada.agent], given);
    await expect.poll(() => line.turnedAway()).toBeGreaterThan(1);
    line.restore();
    await said(worker, /takes work/);
  });

  test("escalates if the restored database lacks commits that the remote has", async () => {
    const team = await createTeam();
    team.ada.plan({ turns: { implement: [MADE] } });
    const worker = await team.worker("w1");
    const run = await beginRun(team);
    await untilRests(team, run);
    const file = join(team.ada.base, "before.gz");
    await team.administer("backup", file);
    for (let gate = 0; gate < 2; gate++) {
      await answerOpen(team, run);
      await untilRests(team, run);
    } // both phases were accepted and pushed; the backup knows only the commit of the first
    worker.child.kill("SIGKILL");
    team.first.child.kill("SIGKILL");

    const older = await freshDatabase();
    const restored = await team.ada.start(["server", "restore", file], { ISDLC_DATABASE_URL: older.url }).ended;
    expect(restored.code, restored.stderr).toBe(0);
    const again = await createTeam({ database: older, like: team });
    await again.worker("w2");
    expect((await again.row(run)).wait_kind).toBe("gate");
    expect(await answerOpen(again, run)).toBe(200);
    await untilRests(again, run);
    const { state } = await look(again, run);
    expect(state.is === "active" && state.wait).toMatchObject({ kind: "escalation", reason: "journal_rolled_back" });
    const status = await again.ada.script("status", "--run", run);
    expect(status.stdout).toContain("restored from an older copy");
  });

  test("runs old and new versions together, each with the runs it supports", async () => {
    const team = await createTeam();
    const { pool } = team.database;
    const askedBy = async (run: string, generation: number): Promise<void> => {
      await pool.query("update isdlc.run set asked_generation = $2 where run = $1", [run, generation]);
    };
    const [older, newer] = [await beginRun(team), await beginRun(team)];
    await askedBy(newer, 4); // like a server of the next version
    await askedBy(older, 0); // like an earlier version while its workers were running
    await team.worker("w1");
    await untilRests(team, older);
    expect(await team.row(newer)).toMatchObject({ rests: "action", worker: null, head_seq: 0 });

    const next = await team.server();
    const replaced = await team.workerAt(next.url, "w2");
    team.first.child.kill("SIGTERM");
    const moved = { ...team, ask: team.askAt(next.url) };
    await untilEnded(moved, older);
    expect(await findProblems(moved, older)).toEqual([]);
    expect(replaced.child.exitCode).toBeNull();
  });
});
