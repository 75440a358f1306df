import { type Context, Hono, type Next } from "hono";
import { routePath } from "hono/route";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { $ZodError } from "zod/v4/core"; // from here, or every translation of its messages comes along
import { describe, type Problem, ProblemError } from "../../../src/core/problem.ts";
import { addTeamPage, addTeamPageFiles } from "../page/team-page.ts";
import type { TeamPage } from "../page/team-page-parts.ts";
import { addMovingRoutes } from "../moving/moving-routes.ts";
import { addNotificationRoutes } from "../notifications/notification-routes.ts";
import { addAccountRoutes } from "../people/account-routes.ts";
import { addActivityRoutes } from "../people/activity-routes.ts";
import { addAuthentication, type Told, TOKEN_REFUSED } from "../people/authenticate.ts";
import type { Log } from "../structured-log.ts";
import { FencedError, TokenRefusedError } from "../journal-postgres/submit-decision.ts";
import { openApi } from "./open-api.ts";
import { addPersonRoutes } from "./person-routes.ts";
import type { TeamEnv, TeamServer } from "./team-server.ts";
import { addWorkerRoutes } from "./worker-routes.ts";

const BODY_LIMIT = 4 * 1024 * 1024; // bytes: a report may hold the findings of a whole review
const JOURNAL_LIMIT = 32 * 1024 * 1024; // bytes: of a run that somebody brings, thousands of phases long
const JOURNAL = /^\/api\/runs\/[^/]+\/take-in$/;

export type PageParts = Omit<TeamPage, "server">;

/** Everything that people's programs, their browsers and workers ask for. What is not named here is not answered. */
export function createTeamApp(server: TeamServer, page: PageParts | null): Hono<TeamEnv> {
  const app = new Hono<TeamEnv>();
  app.use((context, next) => observed(server, context, next));
  app.get("/health", (context) => context.json({ ok: true }));
  app.get("/openapi.json", (context) => context.json(openApi(server.version)));
  app.use("/api/*", limited);
  if (page !== null) addTeamPage(app, { server, ...page });
  addAuthentication(app, server);
  addAccountRoutes(app, server);
  addPersonRoutes(app, server);
  addMovingRoutes(app, server);
  addActivityRoutes(app, server);
  addNotificationRoutes(app, server);
  addWorkerRoutes(app, server);
  if (page !== null) addTeamPageFiles(app, { server, ...page });
  app.notFound((context) => context.json(told({ code: "NOT_FOUND", what: "There is nothing here.", fix: "" }), 404));
  app.onError((error, context) => {
    const { status, problem } = asAnswer(error, server.log);
    return context.json(told(problem), status);
  });
  return app;
}

const counting = bodyLimit({ maxSize: BODY_LIMIT, onError: (context) => context.json(told(TOO_LONG), 413) });

/** A body that names its length is judged by that. To count it, it would have to become a stream, which costs more than the rest. */
function limited(context: Context<TeamEnv>, next: Next): Promise<Response | void> {
  const length = context.req.header("content-length");
  const isNamed = length !== undefined && context.req.header("transfer-encoding") === undefined;
  if (!isNamed && !BODILESS.has(context.req.method)) return counting(context, next);
  const most = JOURNAL.test(context.req.path) ? JOURNAL_LIMIT : BODY_LIMIT;
  return Number(length ?? 0) > most ? Promise.resolve(context.json(told(TOO_LONG), 413)) : next();
}

const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

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

const told = (problem: Told): { problem: Told } => ({ problem });

const TOO_LONG: Told = { code: "TOO_LONG", what: "The request is too long.", fix: "Send less at once." };

type Answer = { readonly status: 400 | 401 | 403 | 404 | 409 | 500 | 503; readonly problem: Told };

const STATUS: Readonly<Partial<Record<Problem["code"], Answer["status"]>>> = {
  NOT_ALLOWED: 403,
  PASSKEY_NEEDED: 403,
  PASSKEY_REFUSED: 403,
  NOT_FOR_TEAM_RUNS: 409,
  COMMAND_REFUSED: 409,
  RUN_AWAY: 409,
  RUN_NOT_MOVABLE: 409,
  TEAM_RUN_REFUSED: 409,
  NO_RUN: 404,
  USAGE: 400,
};

function asAnswer(error: Error, log: Log): Answer {
  if (error instanceof FencedError)
    return { status: 409, problem: { code: "FENCED", what: error.message, fix: "Stop working on it." } };
  if (error instanceof TokenRefusedError) return { status: 401, problem: TOKEN_REFUSED };
  if (error instanceof ProblemError) {
    const { problem } = error as ProblemError;
    const status = STATUS[problem.code];
    const facts = status === undefined ? {} : problem; // as a person's program tells of its own
    return { status: status ?? 500, problem: { ...facts, code: problem.code, ...describe(problem) } };
  }
  if (error instanceof $ZodError || error instanceof SyntaxError || error instanceof HTTPException || isOddText(error))
    return { status: 400, problem: { code: "INVALID_REQUEST", what: "The request has another form.", fix: "" } };
  log.error({ error }, "a request failed");
  const problem = { code: "UNAVAILABLE", what: "The server cannot answer now.", fix: "Try it again." };
  return { status: isDatabaseAway(error) ? 503 : 500, problem };
}

/** A NUL or half of a character, which JSON has and no text of the database can. */
const isOddText = (error: Error): boolean =>
  "code" in error && ["22021", "22P02", "22P05"].includes(String(error.code));

/** Connection lost, refused, or the database is starting or stopping. */
function isDatabaseAway(error: Error): boolean {
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(?:08|57P|53)/.test(code) ||
    /^E(?:CONN|PIPE|HOST|NET|TIMEDOUT)/.test(code) ||
    /terminat|timeout/i.test(error.message)
  );
}
