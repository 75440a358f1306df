import type { Hono } from "hono";
import * as z from "zod/mini";
import { findRefusal } from "../../../src/surfaces/web-ui/guard.ts";
import { shippedWorkflows } from "../../../src/surfaces/web-ui/shipped-workflows.ts";
import { addPageRoutes } from "../../../src/surfaces/web-ui/page-routes.ts";
import type { ApiProblem } from "../../../src/schema/api.ts";
import type { WaysToSignIn } from "../../../src/schema/api-passkey.ts";
import type { ProjectView } from "../../../src/schema/api-project.ts";
import { addOwnPasskeyRoutes } from "../passkeys/own-passkey-routes.ts";
import { passkeyOrigin } from "../passkeys/passkey-origin.ts";
import { addPasskeySignIn } from "../passkeys/passkey-sign-in-routes.ts";
import { addProviderSignIn } from "../oidc/provider-sign-in-routes.ts";
import { digestSecret } from "../people/principals.ts";
import { createRefusedTokens } from "../people/refused-tokens.ts";
import { isAtLeast, listRepositories } from "../people/roles.ts";
import type { TeamEnv, TeamServer } from "../server/team-server.ts";
import { addPageAccounts } from "./page-accounts.ts";
import { addPageLive } from "./page-live.ts";
import { addPageRepositories } from "./page-repositories.ts";
import { addPageRuns } from "./page-runs.ts";
import { addPageStart } from "./page-start.ts";
import { forgetSession, keepSession, personAtPage, sessionIn } from "./page-cookie.ts";
import { beginSession, endSession } from "./page-sessions.ts";
import { attempt } from "./sign-in-attempt.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";

export const SignIn = z.strictObject({ token: z.string().check(z.regex(/^[A-Za-z0-9_-]{20,200}$/)) });

/** Adds the web UI for all repositories, with sign-in. Add it before every route that requires a token. */
export function addTeamPage(app: Hono<TeamEnv>, page: TeamPage): void {
  const { server, origins } = page;
  app.use(`${PAGE_API}/*`, async (context, next) => {
    const { method, path } = context.req;
    const headers = context.req.header();
    const isForeign = method === "POST" && headers["origin"] === undefined;
    const refusal = isForeign ? FOREIGN : findRefusal({ method, path, headers }, origins());
    return refusal === null ? next() : context.json(told({ ...NOTHING, what: refusal.what }), refusal.status);
  });
  addSessionRoutes(app, page);
  app.use(`${PAGE_API}/*`, async (context, next) => {
    const principal = await personAtPage(page, context);
    if (principal === null) return context.json(told(SIGNED_OUT), 401);
    context.set("principal", principal);
    return next();
  });
  app.get(`${PAGE_API}/project`, async (context) =>
    context.json(await projectView(server, context.get("principal").id)),
  );
  addOwnPasskeyRoutes(app, page);
  addPageStart(app, page);
  addPageRepositories(app, page);
  addPageAccounts(app, page);
  addPageRuns(app, page);
  addPageLive(app, page);
  app.all(`${PAGE_API}/*`, (context) => context.json(told(NOTHING), 404));
}

/** Serves the web UI for all remaining addresses. Add it last. */
export const addTeamPageFiles = (app: Hono<TeamEnv>, { web }: TeamPage): void =>
  addPageRoutes(app, { web, api: PAGE_API });

function addSessionRoutes(app: Hono<TeamEnv>, page: TeamPage): void {
  const { pool } = page.server;
  const entrance = { page, refused: createRefusedTokens() };
  app.get(`${PAGE_API}/session/ways`, (context) =>
    context.json({
      hasPasskeys: passkeyOrigin(page) !== null,
      provider: page.provider?.name ?? null,
    } satisfies WaysToSignIn),
  );
  app.post(`${PAGE_API}/session`, async (context) => {
    const { token } = SignIn.parse(await context.req.json());
    const answer = async (): Promise<Response | null> => {
      const secret = await beginSession(pool, { way: "token", of: digestSecret(token) });
      if (secret === null) return null;
      keepSession(context, page, secret);
      return context.json({});
    };
    return attempt(entrance, context, { known: token, answer, refusal: TOKEN_REFUSED });
  });
  addPasskeySignIn(app, entrance);
  if (page.provider !== null) addProviderSignIn(app, entrance, page.provider);
  app.post(`${PAGE_API}/session/end`, async (context) => {
    const secret = sessionIn(context, page);
    if (secret !== undefined) await endSession(pool, secret);
    forgetSession(context, page);
    return context.json({});
  });
}

async function projectView({ version, pool }: TeamServer, person: string): Promise<ProjectView> {
  const repositories = (await listRepositories(pool, person)).map(({ name, role }) => ({
    name,
    mayBegin: isAtLeast(role, "reviewer"),
    isAdmin: isAtLeast(role, "admin"),
  }));
  const about = { name: "Team", root: "", version, person };
  return { ...about, approvals: [], readOnly: null, workflows: shippedWorkflows(), repositories };
}

const told = (problem: ApiProblem): { problem: ApiProblem } => ({ problem });

const NOTHING: ApiProblem = { code: "REFUSED", what: "There is nothing here.", fix: "" };
const FOREIGN = { status: 403, what: "Cross-site request refused." } as const;
const SIGNED_OUT: ApiProblem = { code: "SIGNED_OUT", what: "You are not signed in.", fix: "Sign in again." };
const TOKEN_REFUSED: ApiProblem = {
  code: "TOKEN_REFUSED",
  what: "This token is not known here, has expired or was revoked, or is not valid for sign-in.",
  fix: "Ask the operator of the server for a new one: isdlc server token person <name>",
};
