import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { genesis } from "../../../src/adapters/journal/record.ts";
import type { ClaimRequest } from "../../../src/schema/api-team.ts";
import type { Pool } from "../../../team/src/journal-postgres/open-pool.ts";
import { createServerMetrics } from "../../../team/src/operations/metrics.ts";
import { setWorkerScope } from "../../../team/src/people/worker-scope.ts";
import { claimRun } from "../../../team/src/server/claims.ts";
import { GENERATION } from "../../../team/src/server/drive-queue.ts";
import { giveBack, type LeaseKeeper, noteBeat } from "../../../team/src/server/leases.ts";
import { startWatchdog } from "../../../team/src/server/watchdog.ts";
import { createLog } from "../../../team/src/structured-log.ts";
import { openJournal } from "./support/postgres-home.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

const LEASE_MS = 400;
const MANY = 1000;
const log = createLog({ name: "test", write: () => undefined, secrets: [] });

describe.runIf(hasPostgres)("claim of a run", () => {
  let pool: Pool;
  let keeper: LeaseKeeper;
  beforeEach(async () => {
    ({ pool } = await freshDatabase());
    const limits = { lease: LEASE_MS, drives: MANY, instances: 3 };
    keeper = { pool, journal: openJournal(pool), metrics: createServerMetrics(pool), limits };
    await pool.query("insert into isdlc.principal (id, kind) values ('w1', 'worker'), ('w2', 'worker')");
    await pool.query(
      "insert into isdlc.repository (name, remote, label) values ('shop', '/s', null), ('site', '/i', null), ('gpu', '/g', 'gpu')",
    );
    await beat("w1", "one");
  });
  const beat = (worker: string, instance: string, more: object = {}) =>
    noteBeat(keeper, {
      worker,
      instance,
      replaces: null,
      runs: [],
      generation: GENERATION,
      version: "",
      fault: null,
      waiting: [],
      ...more,
    });
  const claim = (wanted: Partial<ClaimRequest> & { worker?: string; drives?: number } = {}) =>
    claimRun(pool, {
      worker: "w1",
      instance: "one",
      claim: randomUUID(),
      labels: [],
      generation: GENERATION,
      drives: MANY,
      ...wanted,
    });
  let number = 0;
  const queue = async (repository: string, count = 1): Promise<readonly string[]> => {
    const runs = Array.from({ length: count }, () => `20261120-${String(100_000_000 + number++)}-abcd`);
    for (const run of runs)
      await pool.query(
        `insert into isdlc.run (run, place, repository, title, begun_by, start, head_hash, rests, asked_at, asked_generation)
         values ($1, $1, $2, '', 'ada', '{}', $4, 'action', now(), $3)`,
        [run, repository, GENERATION, genesis(run)],
      );
    return runs;
  };
  const drain = async (): Promise<string[]> => {
    const order: string[] = [];
    for (let lease = await claim(); lease !== null; lease = await claim()) order.push(lease.run);
    return order;
  };

  test("takes turns between repositories, first in first out within one", async () => {
    const shop = await queue("shop", 5);
    const site = await queue("site", 2);
    expect(await drain()).toEqual([shop[0], site[0], shop[1], site[1], shop[2], shop[3], shop[4]]);
  });

  test("prefers runs that lost their worker, unless they lose every worker", async () => {
    const [first, second] = await queue("shop", 2);
    const [lost, poisonous] = await queue("site", 2);
    await pool.query("update isdlc.run set takeovers = 10 where run = $1", [lost]);
    await pool.query("update isdlc.run set takeovers = 11 where run = $1", [poisonous]);
    const order = await drain();
    expect(order[0]).toBe(lost);
    expect(order.indexOf(poisonous ?? "")).toBeGreaterThan(1);
    expect(new Set(order.slice(1))).toEqual(new Set([first, second, poisonous]));
  });

  test("skips runs that are not due and runs of another generation", async () => {
    const [later, other] = await queue("shop", 2);
    await pool.query("update isdlc.run set due_at = now() + interval '4 minutes' where run = $1", [later]);
    await pool.query("update isdlc.run set asked_generation = asked_generation + 1 where run = $1", [other]);
    expect(await claim()).toBeNull();
  });

  test("grants a run queued before the database's clock was set back", async () => {
    const [run] = await queue("shop");
    await pool.query("update isdlc.run set due_at = now() + interval '5 hours', asked_at = now() + interval '5 hours'");
    expect(await claim()).toMatchObject({ run });
  });

  test("returns the same lease for a repeated request and another run for a new one", async () => {
    const [first, second] = await queue("shop", 2);
    const same = randomUUID();
    const lease = await claim({ claim: same });
    expect(lease).toMatchObject({ run: first, epoch: 1 });
    expect(await claim({ claim: same })).toMatchObject({ run: first, epoch: 1 });
    expect(await claim()).toMatchObject({ run: second });
    await beat("w1", "two");
    expect(await claim({ claim: same, instance: "two" })).toBeNull();
  });

  test("leases each run once for simultaneous claims", async () => {
    const runs = await queue("shop", 20);
    const instances = ["one", "two", "three"];
    for (const instance of instances) await beat("w1", instance);
    const leases = await Promise.all(
      Array.from({ length: 30 }, (_, index) => claim({ instance: instances[index % 3]! })),
    );
    const taken = leases.flatMap((lease) => (lease === null ? [] : [lease.run]));
    for (let lease = await claim(); lease !== null; lease = await claim()) taken.push(lease.run);
    expect(taken.toSorted()).toEqual(runs.toSorted());
  });

  test("is limited to the number of drives", async () => {
    await queue("shop", 3);
    expect(await claim({ drives: 2 })).not.toBeNull();
    expect(await claim({ drives: 2 })).not.toBeNull();
    expect(await claim({ drives: 2 })).toBeNull();
  });

  test("requires a heartbeat first", async () => {
    await queue("shop");
    await expect(claim({ instance: "unknown" })).rejects.toMatchObject({ problem: { code: "NOT_ALLOWED" } });
    await expect(claim({ worker: "w2" })).rejects.toMatchObject({ problem: { code: "NOT_ALLOWED" } });
  });

  test("grants a run for a second check only to another token, until the run advances", async () => {
    const [run] = await queue("shop");
    const first = { seq: 0, worker: "w1", results: [], testsChanged: null };
    await pool.query("update isdlc.run set first_check = $2 where run = $1", [run, JSON.stringify(first)]);
    await beat("w1", "two");
    expect(await claim()).toBeNull();
    expect(await claim({ instance: "two" })).toBeNull();
    await pool.query("update isdlc.run set head_seq = 1 where run = $1", [run]);
    expect(await claim()).toMatchObject({ run });
    await pool.query("update isdlc.run set head_seq = 0, worker = null, instance = null where run = $1", [run]);
    await beat("w2", "other");
    expect(await claim({ worker: "w2", instance: "other" })).toMatchObject({ run });
  });

  test.each([
    ["for any repository", null, null, [], ["shop", "site"]],
    ["for any repository and one label", null, null, ["gpu"], ["gpu", "shop", "site"]],
    ["for one repository", ["site"], null, ["gpu"], ["site"]],
    ["for one label", null, ["gpu"], ["gpu"], ["gpu"]],
    ["for one label that the process does not serve", null, ["gpu"], [], []],
    ["for no repository", [], null, ["gpu"], []],
  ])("returns only runs in the scope of a token %s", async (...row) => {
    const [, repositories, labels, takes, expected] = row;
    for (const name of ["shop", "site", "gpu"]) await queue(name);
    await setWorkerScope(pool, "w1", { repositories, labels });
    const taken: string[] = [];
    for (let lease = await claim({ labels: takes }); lease !== null; lease = await claim({ labels: takes }))
      taken.push({ "/s": "shop", "/i": "site", "/g": "gpu" }[lease.remote] ?? lease.remote);
    expect(taken.toSorted()).toEqual(expected);
  });

  test.each([
    ["another repository", { repositories: ["site"], labels: null }],
    ["no repository", { repositories: [], labels: null }],
    ["another label", { repositories: null, labels: ["gpu"] }],
  ])("ends at the next heartbeat after the token was limited to %s", async (_, scope) => {
    const [run = ""] = await queue("shop");
    const [kept] = await queue("gpu");
    await claim();
    await beat("w2", "other");
    await pool.query("update isdlc.run set worker = 'w2', instance = 'other' where run = $1", [kept]);
    expect((await beat("w1", "one", { runs: [run] })).held).toEqual([{ run, epoch: 1, seq: 0 }]);
    await setWorkerScope(pool, "w1", scope);
    expect((await beat("w1", "one", { runs: [run] })).held).toEqual([]);
    expect(await holderOf(run)).toBeNull();
    expect(await claim()).toBeNull();
    expect(await holderOf(kept)).toBe("w2");
    expect((await claim({ worker: "w2", instance: "other" }))?.run).toBe(run);
  });

  test("limits the number of living processes per token", async () => {
    await beat("w1", "two");
    await beat("w1", "three");
    await expect(beat("w1", "four")).rejects.toMatchObject({ problem: { code: "NOT_ALLOWED" } });
    await beat("w2", "four");
    await beat("w1", "three");
    await pool.query("update isdlc.worker set beat_at = now() - interval '1 hour' where instance = 'two'");
    await beat("w1", "four");
  });

  test("expires if its process never reports the run, because the reply was lost", async () => {
    const [run] = await queue("shop");
    await claim();
    await beat("w1", "one");
    expect(await holderOf(run)).toBe("w1");
    await pool.query("update isdlc.run set claimed_at = now() - interval '1 hour'");
    await beat("w1", "one", { runs: [run] });
    expect(await holderOf(run)).toBe("w1");
    await beat("w1", "one");
    expect(await holderOf(run)).toBeNull();
  });

  test.each([
    ["without heartbeats", "w1", "one"],
    ["unknown to the database", "w1", "unknown"],
    ["with an unknown worker", "nobody", null],
  ])("expires after the lease for a holder %s", async (_, worker, instance) => {
    const [run] = await queue("shop");
    await pool.query("update isdlc.run set worker = $2, instance = $3 where run = $1", [run, worker, instance]);
    const watchdog = startWatchdog(keeper, log);
    await expect.poll(() => holderOf(run), { timeout: 20_000 }).toBeNull();
    await watchdog.stop();
    const { rows } = await pool.query("select takeovers, epoch from isdlc.run where run = $1", [run]);
    expect(rows).toEqual([{ takeovers: 1, epoch: 1 }]);
  });

  test("backs off while the git host is unavailable, and refuses the run after a day", async () => {
    const [run = ""] = await queue("shop");
    const pauses: number[] = [];
    for (let times = 0; times < 12; times++) {
      await pool.query("update isdlc.run set due_at = now() where run = $1", [run]);
      const { epoch } = (await claim())!;
      const given = { epoch, why: "host" as const, detail: "connection refused", choices: [] };
      await giveBack(keeper, { run, worker: "w1" }, given);
      const { rows } = await pool.query<{ pause: number }>(
        "select round(extract(epoch from due_at - now()))::int as pause from isdlc.run where run = $1",
        [run],
      );
      pauses.push(rows[0]?.pause ?? 0);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    const { rows } = await pool.query("select rests, failures, host_since is null as started from isdlc.run");
    expect(rows).toEqual([{ rests: "action", failures: 0, started: false }]);
    await pool.query("update isdlc.run set due_at = now(), host_since = now() - interval '25 hours'");
    const { epoch } = (await claim())!;
    await giveBack(keeper, { run, worker: "w1" }, { epoch, why: "host", detail: "refused", choices: [] });
    expect((await pool.query("select rests, refused from isdlc.run")).rows).toEqual([
      { rests: "ended", refused: "refused" },
    ]);
  });

  test("repeats at once after a worker's fault and counts no failure of the run", async () => {
    const [run = ""] = await queue("shop");
    for (let times = 0; times < 7; times++) {
      const { epoch } = (await claim())!;
      await giveBack(keeper, { run, worker: "w1" }, { epoch, why: "worker", detail: "disk full", choices: [] });
    }
    expect((await pool.query("select rests, failures from isdlc.run")).rows).toEqual([
      { rests: "action", failures: 0 },
    ]);
  });

  test("is granted after a fault is over, and doctor shows the fault until then", async () => {
    await beat("w1", "one", { fault: "disk full" });
    const trouble = async () =>
      (await pool.query("select trouble, trouble_since is null as over from isdlc.worker")).rows;
    expect(await trouble()).toEqual([{ trouble: "disk full", over: false }]);
    await beat("w1", "one");
    expect(await trouble()).toEqual([{ trouble: null, over: true }]);
  });

  const holderOf = async (run: string | undefined): Promise<string | null> =>
    (await pool.query<{ worker: string | null }>("select worker from isdlc.run where run = $1", [run])).rows[0]
      ?.worker ?? null;
});
