import type { Hono, Context } from "hono";
import * as z from "zod/mini";
import { findRefusal } from "../../../src/surfaces/web-ui/guard.ts";
import { shippedWorkflows } from "../../../src/surfaces/web-ui/shipped-workflows.ts";
import { addPageRoutes } from "../../../src/surfaces/web-ui/page-routes.ts";
import type { ApiProblem } from "../../../src/schema/api.ts";
import type { WaysToSignIn } from "../../../src/schema/api-passkey.ts";
import type { ProjectView, StartResult, ItemList, ChartsView } from "../../../src/schema/api-project.ts";
import { addOwnPasskeyRoutes } from "../passkeys/own-passkey-routes.ts";
import { passkeyOrigin } from "../passkeys/passkey-origin.ts";
import { addPasskeySignIn } from "../passkeys/passkey-sign-in-routes.ts";
import { addProviderSignIn } from "../oidc/provider-sign-in-routes.ts";
import { digestSecret, revokeToken } from "../people/principals.ts";
import { createRefusedTokens } from "../people/refused-tokens.ts";
import { isAtLeast, listRepositories, needRole, requirePerson } from "../people/roles.ts";
import type { TeamEnv, TeamServer } from "../server/team-server.ts";
import { addPageLive } from "./page-live.ts";
import { addPageRuns } from "./page-runs.ts";
import { forgetSession, keepSession, personAtPage, sessionIn } from "./page-cookie.ts";
import { beginSession, endSession } from "./page-sessions.ts";
import { attempt } from "./sign-in-attempt.ts";
import { PAGE_API, type TeamPage } from "./team-page-parts.ts";
import { TeamStart, PageMemberChange, TokenRevocation } from "../../../src/schema/api-team.ts";
import { beginRun } from "../server/begin-run.ts";
import { lookAtItems } from "../../../src/app/inspect/look-at-items.ts";
import { visibleView } from "../../../src/views/page/visible-view.ts";
import { createOwnToken, giveRole, policyFor, signedIn } from "../people/account-routes.ts";
import { listMembers, listTokens } from "../people/accounts.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { toCharts, readFigures, type RunFigures } from "../../../src/views/page/charts.ts";

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

/**
 * Adds the route to request a run. Missing choices become known when a worker tries to start it, and are shown with
 * the run.
 */
function addPageStart(app: Hono<TeamEnv>, { server }: TeamPage): void {
  app.post(`${PAGE_API}/start`, async (context) => {
    const wanted = TeamStart.parse(await context.req.json());
    const run = await beginRun(server, context.get("principal"), wanted);
    return context.json({ run, choice: null } satisfies StartResult);
  });
}

/** Adds routes for data of a repository beyond its runs. */
function addPageRepositories(app: Hono<TeamEnv>, { server, trees }: TeamPage): void {
  const { pool } = server;
  const charts = createTeamCharts(server);
  app.get(`${PAGE_API}/items`, async (context) => {
    const repository = repositoryIn(context) ?? "";
    await needRole(pool, context.get("principal"), { repository, role: "viewer" });
    const text = "select remote from isdlc.repository where name = $1";
    const { rows } = await pool.query<{ remote: string }>(text, [repository]);
    const seen = await trees.items(rows[0]?.remote ?? "");
    return context.json(seen === null ? ({ items: [] } satisfies ItemList) : visibleView(await lookAtItems(seen)));
  });
  app.get(`${PAGE_API}/charts`, async (context) =>
    context.json(await charts(context.get("principal").id, repositoryIn(context))),
  );
}

const repositoryIn = (context: Context<TeamEnv>): string | null => context.req.query("repository") ?? null;

/** Adds routes for a user's own tokens and, for admins, the policy and members of their repository. */
function addPageAccounts(app: Hono<TeamEnv>, { server: { pool } }: TeamPage): void {
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

/** Charts cover the newest runs only. */
const MAX_TEAM_RUNS_PER_PAGE = 100;
/** Maximum number of runs with cached figures. Beyond it, the oldest are dropped. */
const MAX_REMEMBERED_RUNS = 5000;

/** Charts of the ended runs visible to a user, optionally of one repository. */
type TeamCharts = (person: string, repository: string | null) => Promise<ChartsView>;

/** Caches the figures of each run, because an ended run does not change. */
function createTeamCharts({ pool, journal }: Pick<TeamServer, "pool" | "journal">): TeamCharts {
  const known = new Map<RunId, RunFigures | null>();
  /** Returns null for an unreadable journal. `isdlc server doctor` reports the error. */
  const figures = async (run: RunId): Promise<RunFigures | null> => {
    try {
      const { state } = await journal.load(run);
      return state.is === "ended" ? readFigures(state, await journal.events(run)) : null;
    } catch (error) {
      if (error instanceof ProblemError) return null;
      throw error;
    }
  };
  const remember = async (run: RunId): Promise<void> => {
    known.set(run, await figures(run));
    const [oldest] = known.keys();
    if (known.size > MAX_REMEMBERED_RUNS && oldest !== undefined) known.delete(oldest);
  };
  return async (person, repository) => {
    const { rows } = await pool.query<{ run: RunId }>(ENDED, [person, repository, MAX_TEAM_RUNS_PER_PAGE]);
    const runs = rows.map(({ run }) => run).toReversed();
    for (const run of runs) if (!known.has(run)) await remember(run);
    return toCharts(runs.flatMap((run) => known.get(run) ?? []));
  };
}

const ENDED = `select r.run from isdlc.run r join isdlc.member m on m.repository = r.repository and m.person = $1
  where r.rests = 'ended' and r.head_seq > 0 and r.moved_place is null and ($2::text is null or r.repository = $2)
  order by r.number desc limit $3`;
