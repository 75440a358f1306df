import type { Context, Hono } from "hono";
import * as z from "zod/mini";
import { ProblemError } from "../../../src/core/problem.ts";
import { NewPasskey, type PasskeyList } from "../../../src/schema/api-passkey.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { sessionIn } from "../page/page-cookie.ts";
import { isFresh } from "../page/page-sessions.ts";
import { PAGE_API, type TeamPage } from "../page/team-page-parts.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { registerTeamPasskey, teamRegistrationOptions } from "./register-team-passkey.ts";
import { listPasskeys, removePasskey } from "./team-passkeys.ts";

export const RemovedPasskey = z.strictObject({ id: z.string().check(z.maxLength(2000)) });

/** Adds routes for the passkeys of the signed-in user. */
export function addOwnPasskeyRoutes(app: Hono<TeamEnv>, page: TeamPage): void {
  const { pool } = page.server;
  app.get(`${PAGE_API}/passkeys`, async (context) => {
    const passkeys = await listPasskeys(pool, context.get("principal").id);
    const shown = passkeys.map(({ id, name, createdAt }) => ({ id, name, createdAt }));
    return context.json({ passkeys: shown } satisfies PasskeyList);
  });
  app.post(`${PAGE_API}/passkeys/options`, async (context) => {
    await needFresh(page, context);
    return context.json(await teamRegistrationOptions(page, context.get("principal").id));
  });
  app.post(`${PAGE_API}/passkeys`, async (context) => {
    await needFresh(page, context);
    const made = NewPasskey.parse(await context.req.json());
    const { name } = await registerTeamPasskey(page, { person: context.get("principal").id, made });
    return context.json({ name });
  });
  app.post(`${PAGE_API}/passkeys/remove`, async (context) => {
    const { id } = RemovedPasskey.parse(await context.req.json());
    const person = context.get("principal").id;
    await inTransaction(pool, (client) => removePasskey(client, person, id));
    return context.json({});
  });
}

async function needFresh(page: TeamPage, context: Context<TeamEnv>): Promise<void> {
  if (await isFresh(page.server.pool, sessionIn(context, page) ?? "")) return;
  throw new ProblemError({
    code: "NOT_ALLOWED",
    what: "A passkey can be added only within ten minutes of signing in, to protect a browser left open.",
    fix: "Sign out, sign in again, and add it then.",
  });
}
