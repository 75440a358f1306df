import { describe, expect, test } from "vitest";
import { openPool, type Pool } from "../../../team/src/journal-postgres/open-pool.ts";
import { createServerMetrics } from "../../../team/src/operations/metrics.ts";
import { startTracing } from "../../../team/src/operations/tracing.ts";
import { createTeamApp } from "../../../team/src/server/create-team-app.ts";
import type { TeamServer } from "../../../team/src/server/team-server.ts";
import { freshDatabase, hasPostgres } from "./support/team-database.ts";

/** Only what the routes without sign-in use. */
const appWith = (pool: Pool): ReturnType<typeof createTeamApp> =>
  createTeamApp(
    { pool, version: "1.2.3", metrics: createServerMetrics(pool), tracing: startTracing("test", {}) } as TeamServer,
    null,
  );

type Reply = { readonly status: number; readonly body: unknown };

async function ask(pool: Pool, path: string): Promise<Reply> {
  const response = await appWith(pool).request(path);
  return { status: response.status, body: await response.json() };
}

describe.runIf(hasPostgres)("health of the server", () => {
  test("is ok while the database has the tables of this version or a later one", async () => {
    const { pool } = await freshDatabase();
    for (const path of ["/healthz", "/readyz", "/health"])
      expect(await ask(pool, path), path).toEqual({ status: 200, body: { ok: true } });
    await pool.query("insert into public.isdlc_migration (number) select max(number) + 1 from public.isdlc_migration");
    expect(await ask(pool, "/readyz")).toMatchObject({ status: 200 });
  });

  test("reports old tables and a missing database; the process lives", async () => {
    const { pool } = await freshDatabase();
    await pool.query("delete from public.isdlc_migration where number = 1");
    expect(await ask(pool, "/readyz")).toEqual({ status: 503, body: { ok: false, missing: "tables" } });
    const unreachable = openPool("postgresql://isdlc@127.0.0.1:1/isdlc", 1);
    const down = { status: 503, body: { ok: false, missing: "database" } };
    for (const path of ["/readyz", "/health"]) expect(await ask(unreachable, path), path).toEqual(down);
    expect(await ask(unreachable, "/healthz")).toEqual({ status: 200, body: { ok: true } });
    await unreachable.end();
  });

  test("is read from the database at most once a second", async () => {
    const { pool } = await freshDatabase();
    let queries = 0;
    const counting = { query: (...args: [string]) => (queries++, pool.query(...args)) } as Pool;
    const app = appWith(counting);
    await Promise.all(Array.from({ length: 50 }, async () => app.request("/readyz")));
    expect(queries).toBe(1);
  });
});
