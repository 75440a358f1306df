import { describe, expect, test, vi } from "vitest";
import { withNextVersion } from "./support/next-version.ts";
import { findProblems } from "./support/run-problems.ts";
import { hasPostgres } from "./support/team-database.ts";
import { createTeam, type StartedProgram, type Team } from "./support/team.ts";
import { beginRun, PATIENCE, untilEnded } from "./support/team-runs.ts";

/**
 * Runs started before, more than the workers can drive until they are replaced; and runs started when only the server
 * is new.
 */
const [EARLIER, LATER] = [12, 2];
const ONE_AT_A_TIME = ["--drives", "1"];

const ended = async ({ child, ended: end }: StartedProgram): Promise<number | null> => {
  child.kill("SIGTERM");
  return (await end).code;
};

describe.runIf(hasPostgres)("upgrade under load", () => {
  test("loses nothing while servers and workers are replaced one after another", async () => {
    const team = await createTeam({ serving: ONE_AT_A_TIME });
    const ada = await withNextVersion(team.ada);
    team.ada.plan({ always: { delay: 1000 } });
    const workers = [await team.worker("old1"), await team.worker("old2")];
    const acknowledged = new Map<string, readonly string[]>();
    const live = async (number: number): Promise<void> => {
      const run = await beginRun(team, { title: `upgrade ${number}` });
      acknowledged.set(run, await untilEnded(team, run)); // all servers use the same address
    };
    const living: Promise<void>[] = [];
    const begin = (count: number): void => {
      for (let more = 0; more < count; more++) {
        const life = live(living.length);
        life.catch(() => undefined); // reported when it is awaited
        living.push(life);
      }
    };
    begin(EARLIER);
    await vi.waitFor(async () => expect(await heldBy(team, "old%")).toBeGreaterThan(0), PATIENCE);

    await ended(team.first);
    const before = await recordedBy(team, "old%");
    const serving = [...ONE_AT_A_TIME, "--port", new URL(team.url).port];
    const next = await createTeam({ database: team.database, like: { ...team, ada }, serving });
    expect(next.url).toBe(team.url);
    begin(LATER);
    await vi.waitFor(async () => expect(await recordedBy(team, "old%")).toBeGreaterThan(before), PATIENCE);

    await next.worker("new1"); // it alone accepts requests of the new server
    await vi.waitFor(async () => expect(await recordedBy(team, "new1")).toBeGreaterThan(0), PATIENCE);
    let left = 0;
    for (const [number, worker] of workers.entries()) {
      await next.worker(`new${number + 2}`);
      left = await askedByOld(team);
      expect(await ended(worker)).toBe(143);
    }
    expect(left).toBeGreaterThan(0); // drives requested of old workers when the last of them stopped
    await Promise.all(living);
    expect(acknowledged.size).toBe(EARLIER + LATER);
    for (const [run, answers] of acknowledged) expect(await findProblems(team, run, answers), run).toEqual([]);
    const { rows } = await team.database.pool.query("select distinct asked_generation from isdlc.run");
    expect(rows).toEqual([{ asked_generation: 4 }]);
  });
});

async function heldBy({ database }: Team, worker: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*)::int as count from isdlc.run where rests = 'action' and worker like $1",
    [worker],
  );
  return rows[0]?.count ?? 0;
}

/** Number of unclaimed drives requested of old workers. */
async function askedByOld({ database }: Team): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*)::int as count from isdlc.run where rests = 'action' and worker is null and asked_generation = 3",
  );
  return rows[0]?.count ?? 0;
}

async function recordedBy({ database }: Team, worker: string): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "select count(*)::int as count from isdlc.decision where sender_kind = 'worker' and sender like $1",
    [worker],
  );
  return rows[0]?.count ?? 0;
}
