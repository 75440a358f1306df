import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { migrateQueue } from "../../../team/src/database/migrate-queue.ts";
import { FencedError } from "../../../team/src/journal-postgres/submit-decision.ts";
import { createServerMetrics } from "../../../team/src/operations/metrics.ts";
import { openDriveQueue } from "../../../team/src/server/drive-queue.ts";
import { drawName } from "../../../team/src/server/drawn-names.ts";
import { freeLost, giveBack, type LeaseKeeper, noteBeat, takeLease } from "../../../team/src/server/leases.ts";
import { begin, mark, marksIn, prepared } from "../../journal-file/sample-commands.ts";
import { openJournal } from "./support/postgres-home.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

const DRIVE = "drive:asked-last";

/** Nothing is recorded between one lease and the next: the rules alone would take the report of either worker. */
describe.runIf(hasPostgres)("a run that was taken over, with nothing recorded since", () => {
  let keeper: LeaseKeeper;
  let run: string;
  let number = 100;
  beforeAll(async () => {
    const { url, pool } = await freshDatabase();
    await migrateQueue(pool, url);
    const queue = await openDriveQueue(pool, url, 1);
    await pool.query(`insert into isdlc.principal (id, kind) values ('w1', 'worker'), ('w2', 'worker')`);
    await pool.query(`insert into isdlc.repository (name, remote) values ('sample', '/sample.git')`);
    keeper = { pool, queue, journal: openJournal(pool), metrics: createServerMetrics(pool) };
    return () => queue.close();
  });
  beforeEach(async () => {
    await keeper.pool.query("update isdlc.run set rests = 'ended', worker = null");
    run = `20261115-101500${number++}-k3f9`;
    await keeper.journal.create(run, begin(run));
    await keeper.pool.query("update isdlc.run set workflow = $2, repository = 'sample' where run = $1", [run, DRIVE]);
  });
  const take = async (worker: string): Promise<number> => {
    const lease = await takeLease(keeper.pool, run, { worker, workflow: DRIVE });
    expect(lease).not.toBeNull();
    return lease!.epoch;
  };
  const record = (id: string, epoch: number, name = `${id}.${epoch}`) =>
    keeper.journal.submitAs(run, mark(name), { by: { kind: "worker", id, epoch } });
  const row = async () =>
    (await keeper.pool.query("select worker, epoch from isdlc.run where run = $1", [run])).rows[0];
  const beat = (worker: string, instance: string) =>
    noteBeat(keeper, { worker, instance, runs: [run], generation: 1, version: "" });

  test("takes a report, which the rules would take from both, only from the one that holds it", async () => {
    const { state } = await keeper.journal.load(run);
    const [lost, holding] = [await take("w1"), await take("w2")];
    const report = (id: string, epoch: number) =>
      keeper.journal.submitAs(run, prepared(state), { by: { kind: "worker", id, epoch } });
    await expect(report("w1", lost)).rejects.toThrow(FencedError);
    expect(await report("w2", holding)).toMatchObject({ ok: true });
  });

  test("is not the same worker's any more either, once that one took it again", async () => {
    const [lost, holding] = [await take("w1"), await take("w1")];
    expect(holding).toBeGreaterThan(lost);
    await expect(record("w1", lost)).rejects.toThrow(FencedError);
    expect(await record("w1", holding)).toMatchObject({ ok: true });
    expect(marksIn(await keeper.journal.events(run))).toEqual([`w1.${holding}`]);
  });

  test("is not another worker's that knows the epoch", async () => {
    const holding = await take("w2");
    await expect(record("w1", holding)).rejects.toThrow(FencedError);
    await expect(drawName(keeper.pool, { run, worker: "w1", epoch: holding }, `x-${run}`)).rejects.toThrow(FencedError);
    expect(await drawName(keeper.pool, { run, worker: "w2", epoch: holding }, `x-${run}`)).toBe(true);
  });

  test("draws no name for the epoch before", async () => {
    const [lost, holding] = [await take("w1"), await take("w1")];
    await expect(drawName(keeper.pool, { run, worker: "w1", epoch: lost }, `x-${run}`)).rejects.toThrow(FencedError);
    expect(await drawName(keeper.pool, { run, worker: "w1", epoch: holding }, `x-${run}`)).toBe(true);
  });

  test("gives no lease for a drive that was asked for before the last, nor while it rests", async () => {
    expect(await takeLease(keeper.pool, run, { worker: "w1", workflow: "drive:before" })).toBeNull();
    await keeper.pool.query("update isdlc.run set rests = 'wait' where run = $1", [run]);
    expect(await takeLease(keeper.pool, run, { worker: "w1", workflow: DRIVE })).toBeNull();
    expect(await row()).toEqual({ worker: null, epoch: 0 });
  });

  test("is nobody's from the moment its worker counts as lost, and no epoch comes twice", async () => {
    await beat("w1", "one");
    const lost = await take("w1");
    const { rows } = await keeper.pool.query<{ beat: string }>("select beat from isdlc.worker where id = 'w1'");
    expect(await freeLost(keeper, "w1", rows[0]?.beat ?? "")).toEqual([run]);
    expect(await row()).toEqual({ worker: null, epoch: lost + 1 });
    await expect(record("w1", lost)).rejects.toThrow(FencedError);
    await expect(record("w1", lost + 1)).rejects.toThrow(FencedError);
  });

  test("is not told as held to whoever lost it", async () => {
    await beat("w1", "one");
    const lost = await take("w1");
    expect((await beat("w1", "one")).held).toEqual([{ run, epoch: lost, seq: 1 }]);
    await take("w2");
    expect((await beat("w1", "one")).held).toEqual([]);
  });

  test("is taken from the process before by the next of the same name", async () => {
    await beat("w1", "one");
    const lost = await take("w1");
    await beat("w1", "two");
    await expect(record("w1", lost)).rejects.toThrow(FencedError);
  });

  test.for(["drains", "broken", "refused"] as const)("is not given back by whoever lost it: %s", async (why) => {
    await take("w1");
    const lost = await take("w1");
    const holding = await take("w1");
    await giveBack(keeper, { run, worker: "w1" }, { epoch: lost, why, detail: "", choices: [] });
    expect(await row()).toEqual({ worker: "w1", epoch: holding });
    expect(await record("w1", holding)).toMatchObject({ ok: true });
  });
});
