import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FencedError } from "../../../team/src/journal-postgres/submit-decision.ts";
import { createServerMetrics } from "../../../team/src/operations/metrics.ts";
import { claimRun } from "../../../team/src/server/claims.ts";
import { GENERATION } from "../../../team/src/server/drive-queue.ts";
import { drawName } from "../../../team/src/server/drawn-names.ts";
import { freeLost, giveBack, type LeaseKeeper, noteBeat } from "../../../team/src/server/leases.ts";
import { begin, mark, marksIn, prepared } from "../../journal-file/sample-commands.ts";
import { openJournal } from "./support/postgres-home.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

/** No decision is recorded between two leases: without fencing, the rules would accept the report of either worker. */
describe.runIf(hasPostgres)("run taken over by another worker", () => {
  let keeper: LeaseKeeper;
  let run: string;
  let number = 100;
  beforeAll(async () => {
    const { pool } = await freshDatabase();
    await pool.query(`insert into isdlc.principal (id, kind) values ('w1', 'worker'), ('w2', 'worker')`);
    await pool.query(`insert into isdlc.repository (name, remote) values ('sample', '/sample.git')`);
    const limits = { lease: 15_000, drives: 2, instances: 10 };
    keeper = { pool, journal: openJournal(pool), metrics: createServerMetrics(pool), limits };
    for (const worker of ["w1", "w2"]) await beat(worker, "one");
  });
  beforeEach(async () => {
    await keeper.pool.query("update isdlc.run set rests = 'ended', worker = null");
    run = `20261115-101500${number++}-k3f9`;
    await keeper.journal.create(run, begin(run));
    await keeper.pool.query("update isdlc.run set repository = 'sample', asked_generation = $2 where run = $1", [
      run,
      GENERATION,
    ]);
  });
  const claim = (worker: string, instance = "one") => {
    const process = { worker, instance, claim: randomUUID() };
    return claimRun(keeper.pool, { ...process, labels: [], generation: GENERATION, drives: 2 });
  };
  /** Claims the run for a worker, from its holder if it has one. */
  const take = async (worker: string): Promise<number> => {
    await keeper.pool.query("update isdlc.run set worker = null where run = $1", [run]);
    return (await claim(worker))!.epoch;
  };
  const record = (id: string, epoch: number, name = `${id}.${epoch}`) =>
    keeper.journal.submitAs(run, mark(name), { by: { kind: "worker", id, epoch } });
  const row = async () =>
    (await keeper.pool.query("select worker, epoch from isdlc.run where run = $1", [run])).rows[0];
  const beat = (worker: string, instance: string) =>
    noteBeat(keeper, {
      worker,
      instance,
      replaces: null,
      runs: [run],
      generation: GENERATION,
      version: "",
      fault: null,
      waiting: [],
    });

  test("accepts a valid report only from the worker that holds it", async () => {
    const { state } = await keeper.journal.load(run);
    const [lost, holding] = [await take("w1"), await take("w2")];
    const report = (id: string, epoch: number) =>
      keeper.journal.submitAs(run, prepared(state), { by: { kind: "worker", id, epoch } });
    await expect(report("w1", lost)).rejects.toThrow(FencedError);
    expect(await report("w2", holding)).toMatchObject({ ok: true });
  });

  test("rejects reports of an earlier epoch from the same worker", async () => {
    const [lost, holding] = [await take("w1"), await take("w1")];
    expect(holding).toBeGreaterThan(lost);
    await expect(record("w1", lost)).rejects.toThrow(FencedError);
    expect(await record("w1", holding)).toMatchObject({ ok: true });
    expect(marksIn(await keeper.journal.events(run))).toEqual([`w1.${holding}`]);
  });

  test("rejects another worker that uses the current epoch", async () => {
    const holding = await take("w2");
    await expect(record("w1", holding)).rejects.toThrow(FencedError);
    await expect(drawName(keeper.pool, { run, worker: "w1", epoch: holding }, `x-${run}`)).rejects.toThrow(FencedError);
    expect(await drawName(keeper.pool, { run, worker: "w2", epoch: holding }, `x-${run}`)).toBe(true);
  });

  test("rejects a name drawn for an earlier epoch", async () => {
    const [lost, holding] = [await take("w1"), await take("w1")];
    await expect(drawName(keeper.pool, { run, worker: "w1", epoch: lost }, `x-${run}`)).rejects.toThrow(FencedError);
    expect(await drawName(keeper.pool, { run, worker: "w1", epoch: holding }, `x-${run}`)).toBe(true);
  });

  test("is leased to no other worker while it is held or waits for a person", async () => {
    const epoch = await take("w1");
    expect(await claim("w2")).toBeNull();
    expect(await row()).toEqual({ worker: "w1", epoch });
    await keeper.pool.query("update isdlc.run set rests = 'wait', worker = null where run = $1", [run]);
    expect(await claim("w2")).toBeNull();
  });

  test("is released with a new epoch if its worker is lost", async () => {
    await beat("w1", "one");
    const lost = await take("w1");
    const { rows } = await keeper.pool.query<{ beat: string }>("select beat from isdlc.worker where id = 'w1'");
    expect(await freeLost(keeper, { worker: "w1", instance: "one" }, rows[0]?.beat ?? "")).toEqual([run]);
    expect(await row()).toEqual({ worker: null, epoch: lost + 1 });
    await expect(record("w1", lost)).rejects.toThrow(FencedError);
    await expect(record("w1", lost + 1)).rejects.toThrow(FencedError);
  });

  test("is not listed as held to the worker that lost it", async () => {
    await beat("w1", "one");
    const lost = await take("w1");
    expect((await beat("w1", "one")).held).toEqual([{ run, epoch: lost, seq: 1 }]);
    await take("w2");
    expect((await beat("w1", "one")).held).toEqual([]);
  });

  test("is taken from the process that used the same data folder before", async () => {
    const lost = await take("w1");
    const beating = {
      worker: "w1",
      instance: "two",
      runs: [],
      generation: GENERATION,
      version: "",
      fault: null,
      waiting: [],
    };
    await noteBeat(keeper, { ...beating, replaces: "one" });
    await expect(record("w1", lost)).rejects.toThrow(FencedError);
    await beat("w1", "one");
  });

  test("stays with its process while another process uses the same token", async () => {
    const holding = await take("w1");
    await beat("w1", "two");
    expect((await beat("w1", "two")).held).toEqual([]);
    expect(await record("w1", holding)).toMatchObject({ ok: true });
  });

  test.for(["drains", "broken", "refused"] as const)("ignores a return by a worker that lost it: %s", async (why) => {
    await take("w1");
    const lost = await take("w1");
    const holding = await take("w1");
    await giveBack(keeper, { run, worker: "w1" }, { epoch: lost, why, detail: "", choices: [] });
    expect(await row()).toEqual({ worker: "w1", epoch: holding });
    expect(await record("w1", holding)).toMatchObject({ ok: true });
  });
});
