import type { Hono } from "hono";
import type { Pool } from "pg";
import { MIGRATION_COUNT } from "../journal-postgres/migrate-database.ts";
import type { TeamEnv } from "../server/team-server.ts";

export type Health = { readonly ok: boolean; readonly missing?: "database" | "tables" };

/** Requests without sign-in cause at most one query in this time. */
const CACHED_MS = 1000;
const QUERY_TIMEOUT_MS = 2000;

/**
 * Adds routes for load balancers and monitors, without sign-in: `/healthz` answers while the process lives, `/readyz`
 * and `/health` while the database answers with the tables of this version or a later one. A server does not start
 * without its key.
 */
export function addHealthRoutes(app: Hono<TeamEnv>, { pool }: { readonly pool: Pool }): void {
  let last: { readonly at: number; readonly health: Promise<Health> } | null = null;
  const read = (): Promise<Health> => {
    const now = performance.now();
    if (last === null || now - last.at > CACHED_MS) last = { at: now, health: readHealth(pool) };
    return last.health;
  };
  app.get("/healthz", (context) => context.json({ ok: true }));
  for (const path of ["/readyz", "/health"] as const)
    app.get(path, async (context) => {
      const health = await read();
      return context.json(health, health.ok ? 200 : 503);
    });
}

async function readHealth(pool: Pool): Promise<Health> {
  const timeout = AbortSignal.timeout(QUERY_TIMEOUT_MS);
  const late = new Promise<null>((resolve) => timeout.addEventListener("abort", () => resolve(null)));
  const query = pool.query<{ migrated: number }>("select count(*)::int as migrated from public.isdlc_migration");
  const answer = await Promise.race([query.catch(() => null), late]);
  if (answer === null) return { ok: false, missing: "database" };
  return (answer.rows[0]?.migrated ?? 0) >= MIGRATION_COUNT ? { ok: true } : { ok: false, missing: "tables" };
}
