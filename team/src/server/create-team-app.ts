import { type Context, Hono, type Next } from "hono";
import { routePath } from "hono/route";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { addTeamPage, addTeamPageFiles } from "../page/team-page.ts";
import type { TeamPage } from "../page/team-page-parts.ts";
import { addMergeRoutes } from "../merging/merge-routes.ts";
import { addMovingRoutes } from "../moving/moving-routes.ts";
import { addHealthRoutes } from "../operations/health-routes.ts";
import { addNotificationRoutes } from "../notifications/notification-routes.ts";
import { addAccountRoutes } from "../people/account-routes.ts";
import { addActivityRoutes } from "../people/activity-routes.ts";
import { addAuthentication } from "../people/authenticate.ts";
import { type ObservedResponse, observe } from "./observe.ts";
import { openApi } from "./open-api.ts";
import { addPersonRoutes } from "./person-routes.ts";
import { asAnswer, BODY_LIMIT, isCutOff, told, TOO_LONG } from "./problem-answer.ts";
import type { TeamEnv, TeamServer } from "./team-server.ts";
import { addWorkerRoutes } from "./worker-routes.ts";

const JOURNAL_LIMIT = 32 * 1024 * 1024; // bytes, for a run brought by a user with thousands of phases
const JOURNAL = /^\/api\/runs\/[^/]+\/take-in$/;

export type PageParts = Omit<TeamPage, "server">;

/**
 * Creates the application for users' programs, browsers and workers. Reports of workers have a separate listener.
 * Unknown addresses get an error, or the web UI if there is one.
 */
export function createTeamApp(server: TeamServer, page: PageParts | null): Hono<TeamEnv> {
  const app = new Hono<TeamEnv>();
  app.use((context, next) => observed(server, context, next));
  addHealthRoutes(app, server);
  app.get("/openapi.json", (context) => context.json(openApi(server.version)));
  app.use("/api/*", limited);
  if (page !== null) addTeamPage(app, { server, ...page });
  addAuthentication(app, server.authentication);
  addAccountRoutes(app, server);
  addPersonRoutes(app, server);
  addMovingRoutes(app, server);
  addActivityRoutes(app, server);
  addNotificationRoutes(app, server);
  addWorkerRoutes(app, server);
  addMergeRoutes(app, server);
  if (page !== null) addTeamPageFiles(app, { server, ...page });
  app.notFound((context) => context.json(told({ code: "NOT_FOUND", what: "There is nothing here.", fix: "" }), 404));
  app.onError((error, context) => {
    if (error instanceof HTTPException && error.res !== undefined) return error.res; // the response chosen by the thrower
    const { incoming } = context.env;
    const { status, problem } = asAnswer(error, incoming !== undefined && isCutOff(incoming), server.log);
    return context.json(told(problem), status);
  });
  return app;
}

const counting = bodyLimit({ maxSize: BODY_LIMIT, onError: (context) => context.json(told(TOO_LONG), 413) });

/**
 * Checks the declared length of a body, if there is one. Counting bytes would turn the body into a stream, which costs
 * more than all other work.
 */
function limited(context: Context<TeamEnv>, next: Next): Promise<Response | void> {
  const length = context.req.header("content-length");
  const isNamed = length !== undefined && context.req.header("transfer-encoding") === undefined;
  if (!isNamed && !BODILESS.has(context.req.method)) return counting(context, next);
  const most = JOURNAL.test(context.req.path) ? JOURNAL_LIMIT : BODY_LIMIT;
  return Number(length ?? 0) > most ? Promise.resolve(context.json(told(TOO_LONG), 413)) : next();
}

const BODILESS: ReadonlySet<string> = new Set(["GET", "HEAD"]);

async function observed(server: TeamServer, context: Context<TeamEnv>, next: Next): Promise<void> {
  const { method, path } = context.req;
  const answered = async (): Promise<ObservedResponse> => {
    await next();
    return { route: routePath(context), status: context.res.status };
  };
  await observe(server, { method, path, traceparent: context.req.header("traceparent") }, answered);
}
