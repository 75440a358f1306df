import type { Hono } from "hono";
import { PageMemberChange, TokenRevocation } from "../../../src/schema/api-team.ts";
import { createOwnToken, giveRole, policyFor, signedIn } from "../people/account-routes.ts";
import { listMembers, listTokens } from "../people/accounts.ts";
import { revokeToken } from "../people/principals.ts";
import { requirePerson } from "../people/roles.ts";
import type { TeamEnv } from "../server/team-server.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";

/** Adds routes for a user's own tokens and, for admins, the policy and members of their repository. */
export function addPageAccounts(app: Hono<TeamEnv>, { server: { pool } }: TeamPage): void {
  app.get(`${PAGE_API}/tokens`, async (context) =>
    context.json({ tokens: await listTokens(pool, requirePerson(context.get("principal"))) }),
  );
  app.post(`${PAGE_API}/tokens`, async (context) =>
    context.json({ token: await createOwnToken(pool, context.get("principal"), await context.req.json()) }),
  );
  app.post(`${PAGE_API}/tokens/revoke`, async (context) => {
    const { name } = TokenRevocation.parse(await context.req.json());
    return context.json({ isRevoked: await revokeToken(pool, signedIn(context.get("principal")), name) });
  });
  app.get(`${PAGE_API}/policy`, async (context) =>
    context.json(await policyFor(pool, context.get("principal"), context.req.query("repository") ?? "")),
  );
  app.post(`${PAGE_API}/members`, async (context) => {
    const { repository, ...change } = PageMemberChange.parse(await context.req.json());
    await giveRole(pool, context.get("principal"), { repository, change });
    return context.json({ members: await listMembers(pool, repository) });
  });
}
