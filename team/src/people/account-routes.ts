import type { Hono } from "hono";
import { ProblemError } from "../../../src/core/problem.ts";
import { MemberChange, PersonalToken } from "../../../src/schema/api-team.ts";
import type { TeamEnv, TeamServer } from "../server/team-server.ts";
import { changeAccounts, membersOf, tokensOf } from "./accounts.ts";
import { createToken, type Principal, revokeTokens, SIGN_IN } from "./principals.ts";
import { needRole, personOf } from "./roles.ts";

/** A person's own tokens, and for admins the members of their repository. */
export function addAccountRoutes(app: Hono<TeamEnv>, { pool }: TeamServer): void {
  app.get("/api/tokens", async (context) =>
    context.json({ tokens: await tokensOf(pool, personOf(context.get("principal"))) }),
  );
  app.post("/api/tokens", async (context) => {
    const id = signedIn(context.get("principal"));
    const wanted = PersonalToken.parse(await context.req.json());
    if (wanted.name === SIGN_IN)
      throw new ProblemError({ code: "USAGE", detail: "Give it another name.", usage: "isdlc team token <name>" });
    return context.json({ token: await createToken(pool, { id, kind: "person" }, wanted) });
  });
  app.delete("/api/tokens/:name", async (context) => {
    const isRevoked = await revokeTokens(pool, signedIn(context.get("principal")), context.req.param("name"));
    return context.json({ isRevoked });
  });
  app.get("/api/repositories/:repository/members", async (context) => {
    const repository = context.req.param("repository");
    await needRole(pool, context.get("principal"), { repository, role: "viewer" });
    return context.json({ members: await membersOf(pool, repository) });
  });
  app.post("/api/repositories/:repository/members", async (context) => {
    const repository = context.req.param("repository");
    const principal = context.get("principal");
    await needRole(pool, principal, { repository, role: "admin" });
    const { person, role } = MemberChange.parse(await context.req.json());
    await changeAccounts(pool, signedIn(principal), { what: "role", repository, person, role });
    return context.json({ members: await membersOf(pool, repository) });
  });
}

/** A script's token that leaks must not make others, nor change who may do what. */
function signedIn(principal: Principal): string {
  const person = personOf(principal);
  if (!principal.isPersonal) return person;
  const what = "A personal token is for scripts: it makes and revokes no tokens, and changes no roles.";
  throw new ProblemError({ code: "NOT_ALLOWED", what, fix: "Use the token that you signed in with." });
}
