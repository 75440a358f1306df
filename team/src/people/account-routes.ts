import type { Hono } from "hono";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Pool } from "pg";
import { MemberChange, PersonalToken, type RepositoryPolicy } from "../../../src/schema/api-team.ts";
import type { TeamEnv, TeamServer } from "../server/team-server.ts";
import { changeAccounts, listMembers, readPolicy, listTokens } from "./accounts.ts";
import { createToken, type Principal, revokeToken, SIGN_IN } from "./principals.ts";
import { needRole, requirePerson } from "./roles.ts";

/** Adds routes for a user's own tokens and, for admins, the members of their repository. */
export function addAccountRoutes(app: Hono<TeamEnv>, { pool }: TeamServer): void {
  app.get("/api/tokens", async (context) =>
    context.json({ tokens: await listTokens(pool, requirePerson(context.get("principal"))) }),
  );
  app.post("/api/tokens", async (context) =>
    context.json({ token: await createOwnToken(pool, context.get("principal"), await context.req.json()) }),
  );
  app.delete("/api/tokens/:name", async (context) => {
    const isRevoked = await revokeToken(pool, signedIn(context.get("principal")), context.req.param("name"));
    return context.json({ isRevoked });
  });
  app.get("/api/repositories/:repository/members", async (context) => {
    const repository = context.req.param("repository");
    await needRole(pool, context.get("principal"), { repository, role: "viewer" });
    return context.json({ members: await listMembers(pool, repository) });
  });
  app.post("/api/repositories/:repository/members", async (context) => {
    const repository = context.req.param("repository");
    await giveRole(pool, context.get("principal"), { repository, change: await context.req.json() });
    return context.json({ members: await listMembers(pool, repository) });
  });
  app.get("/api/repositories/:repository/policy", async (context) =>
    context.json(await policyFor(pool, context.get("principal"), context.req.param("repository"))),
  );
}

/** Creates a personal token for scripts, from a request body. @throws ProblemError NOT_ALLOWED, USAGE */
export async function createOwnToken(pool: Pool, principal: Principal, sent: unknown): Promise<string> {
  const id = signedIn(principal);
  const wanted = PersonalToken.parse(sent);
  if (wanted.name === SIGN_IN)
    throw new ProblemError({ code: "USAGE", detail: "Give it another name.", usage: "isdlc team token <name>" });
  return createToken(pool, { id, kind: "person" }, wanted);
}

type RoleChange = { readonly repository: string; readonly change: unknown };

/** Grants or removes a role, from a request body. @throws ProblemError NOT_ALLOWED if the user is not an admin there */
export async function giveRole(pool: Pool, principal: Principal, { repository, change }: RoleChange): Promise<void> {
  await needRole(pool, principal, { repository, role: "admin" });
  const { person, role } = MemberChange.parse(change);
  await changeAccounts(pool, signedIn(principal), { what: "role", repository, person, role });
}

/** @throws ProblemError NOT_ALLOWED if the user is not an admin there */
export async function policyFor(pool: Pool, principal: Principal, repository: string): Promise<RepositoryPolicy> {
  await needRole(pool, principal, { repository, role: "admin" });
  return readPolicy(pool, repository);
}

/** Rejects personal tokens: a leaked script token must neither create tokens nor change roles. */
export function signedIn(principal: Principal): string {
  const person = requirePerson(principal);
  if (!principal.isPersonal) return person;
  const what = "A personal token is for scripts: it makes and revokes no tokens, and changes no roles.";
  throw new ProblemError({ code: "NOT_ALLOWED", what, fix: "Use the token that you signed in with." });
}
