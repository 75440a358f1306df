import { type Context, Hono, type Next } from "hono";
import { routePath } from "hono/route";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import * as z from "zod/mini";
import { describe, type Problem, ProblemError } from "../../../src/core/problem.ts";
import { commonHeaders } from "../../../src/apps/ui/guard.ts";
import { addTeamPage, addTeamPageFiles } from "../page/team-page.ts";
import type { TeamPage } from "../page/team-page-parts.ts";
import { addMovingRoutes } from "../moving/moving-routes.ts";
import { addAccountRoutes } from "../people/account-routes.ts";
import { addActivityRoutes } from "../people/activity-routes.ts";
import { principalOf } from "../people/principals.ts";
import { createRefusedTokens, FORGOTTEN_AFTER } from "../people/refused-tokens.ts";
import type { Log } from "../structured-log.ts";
import { FencedError } from "../journal-postgres/submit-decision.ts";
import { openApi } from "./open-api.ts";
import { addPersonRoutes } from "./person-routes.ts";
import { addressOf, type TeamEnv, type TeamServer } from "./team-server.ts";
import { addWorkerRoutes } from "./worker-routes.ts";

const BODY_LIMIT = 4 * 1024 * 1024; // bytes: a report may hold the findings of a whole review
const BEARER = /^Bearer ([A-Za-z0-9_-]{20,200})$/;

export type PageParts = Omit<TeamPage, "server">;

/** Everything that people's programs, their browsers and workers ask for. What is not named here is not answered. */
export function createTeamApp(server: TeamServer, page: PageParts | null): Hono<TeamEnv> {
  const app = new Hono<TeamEnv>();
  const refused = createRefusedTokens();
  app.use((context, next) => observed(server, context, next));
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(commonHeaders)) context.header(name, value);
    if (!context.res.headers.has("Cache-Control")) context.header("Cache-Control", "no-store");
  });
  app.get("/health", (context) => context.json({ ok: true }));
  app.get("/openapi.json", (context) => context.json(openApi(server.version)));
  app.use("/api/*", bodyLimit({ maxSize: BODY_LIMIT, onError: (c) => c.json(told(TOO_LONG), 413) }));
  if (page !== null) addTeamPage(app, { server, ...page });
  app.use("/api/*", async (context, next) => {
    const token = BEARER.exec(context.req.header("authorization") ?? "")?.[1] ?? null;
    if (token === null) return context.json(told(UNKNOWN), 401);
    const address = addressOf(context);
    if (!refused.mayTry(address, token)) {
      context.header("Retry-After", String(FORGOTTEN_AFTER));
      return context.json(told(TOO_MANY), 429);
    }
    const principal = await principalOf(server.pool, token);
    if (principal === null) {
      refused.noteRefused(address);
      return context.json(told(UNKNOWN), 401);
    }
    refused.noteGood(token);
    context.set("principal", principal);
    return next();
  });
  addAccountRoutes(app, server);
  addPersonRoutes(app, server);
  addMovingRoutes(app, server);
  addActivityRoutes(app, server);
  addWorkerRoutes(app, server);
  if (page !== null) addTeamPageFiles(app, { server, ...page });
  app.notFound((context) => context.json(told({ code: "NOT_FOUND", what: "There is nothing here.", fix: "" }), 404));
  app.onError((error, context) => {
    const { status, problem } = asAnswer(error, server.log);
    return context.json(told(problem), status);
  });
  return app;
}

/** Counts and traces a request by the pattern of its route: what is in the path is no name for a series. */
async function observed({ metrics, tracing }: TeamServer, context: Context<TeamEnv>, next: Next): Promise<void> {
  const began = performance.now();
  const { method } = context.req;
  const traceparent = context.req.header("traceparent");
  const headers = traceparent === undefined ? {} : { traceparent };
  const run = /\/runs\/([0-9a-z-]{1,40})(?:\/|$)/.exec(context.req.path)?.[1];
  const attributes = { "http.request.method": method, ...(run === undefined ? {} : { "isdlc.run": run }) };
  await tracing.within({ name: `${method} ${context.req.path.replace(run ?? "", ":run")}`, attributes, headers }, () =>
    next(),
  );
  const route = routePath(context);
  metrics.request({ method, route, status: String(context.res.status) }, (performance.now() - began) / 1000);
}

type Told = { readonly code: string; readonly what: string; readonly fix: string };

const told = (problem: Told): { problem: Told } => ({ problem });

const UNKNOWN: Told = {
  code: "TOKEN_REFUSED",
  what: "This token is not known here, has expired or was revoked.",
  fix: "Ask whoever runs the server for a new one, then run: isdlc login <url>",
};
const TOO_MANY: Told = {
  code: "TOO_MANY_REQUESTS",
  what: "Too many tokens from this address were refused.",
  fix: `Wait ${FORGOTTEN_AFTER} seconds, then try the right one.`,
};
const TOO_LONG: Told = { code: "TOO_LONG", what: "The request is too long.", fix: "Send less at once." };

type Answer = { readonly status: 400 | 403 | 404 | 409 | 500 | 503; readonly problem: Told };

const STATUS: Readonly<Partial<Record<Problem["code"], Answer["status"]>>> = {
  NOT_ALLOWED: 403,
  NOT_FOR_TEAM_RUNS: 409,
  COMMAND_REFUSED: 409,
  RUN_AWAY: 409,
  RUN_NOT_MOVABLE: 409,
  NO_RUN: 404,
  USAGE: 400,
};

function asAnswer(error: Error, log: Log): Answer {
  if (error instanceof FencedError)
    return { status: 409, problem: { code: "FENCED", what: error.message, fix: "Stop working on it." } };
  if (error instanceof ProblemError) {
    const { problem } = error as ProblemError;
    return { status: STATUS[problem.code] ?? 500, problem: { code: problem.code, ...describe(problem) } };
  }
  if (error instanceof z.core.$ZodError || error instanceof SyntaxError || error instanceof HTTPException)
    return { status: 400, problem: { code: "INVALID_REQUEST", what: "The request has another form.", fix: "" } };
  log.error({ error }, "a request failed");
  const problem = { code: "UNAVAILABLE", what: "The server cannot answer now.", fix: "Try it again." };
  return { status: isDatabaseAway(error) ? 503 : 500, problem };
}

/** Connection lost, refused, or the database is starting or stopping. */
function isDatabaseAway(error: Error): boolean {
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(?:08|57P|53)/.test(code) ||
    /^E(?:CONN|PIPE|HOST|NET|TIMEDOUT)/.test(code) ||
    /terminat|timeout/i.test(error.message)
  );
}
