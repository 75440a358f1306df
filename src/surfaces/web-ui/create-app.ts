import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { compress } from "hono/compress";
import { HTTPException } from "hono/http-exception";
import { type HttpBindings } from "@hono/node-server";
import * as z from "zod/mini";
import { $ZodError } from "zod/v4/core";
import { apiProblem } from "./api-problem.ts";
import { ProblemError } from "../../core/problem.ts";
import { FileSide } from "../../schema/api-documents.ts";
import { DiffAgainst } from "../../schema/api-diff.ts";
import { addPageRoutes } from "./page-routes.ts";
import { addProjectRoutes } from "./project-routes.ts";
import { addAnswerRoutes } from "./answer-routes.ts";
import { commonHeaders, isApi, sessionIn } from "./guard.ts";
import { listRuns } from "./list-runs.ts";
import { keepConnection } from "./listen.ts";
import { liveResponse } from "./live-response.ts";
import { readDiffView, readDocumentView, readGateView, readWholeFile } from "./look-at-run.ts";
import { toRunSource, storyFrom } from "./run-source.ts";
import { readRunEvents } from "./repository.ts";
import type { ServerContext } from "./served.ts";
import { readActivity } from "../../adapters/files/transcripts.ts";
import { readToldRun } from "./told-of.ts";
import { tellingWhoWasFirst } from "./who-was-first.ts";
import { addResolvedRoutes } from "./resolved-comments.ts";
import { addPasskeyRoutes } from "./registration.ts";

export type Env = { Bindings: HttpBindings };

const BODY_LIMIT = 1024 * 1024; // bytes: the longest possible answer with its comments
const Secret = z.strictObject({ secret: z.string().check(z.maxLength(200)) });

/** Creates the app with all its routes. Any other request is rejected. */
export function createApp(served: ServerContext): Hono<Env> {
  const app = new Hono<Env>();
  addGuards(app, served);
  app.post("/api/session", async (context) => {
    const { secret } = parsed(Secret, await context.req.json());
    const session = served.sessions.exchange(secret, sessionIn(context.req.header("Authorization")));
    return session === null
      ? context.json(refused("This link was used before, or is too old."), 401)
      : context.json({ session });
  });
  addRunRoutes(app, served);
  addAnswerRoutes(app, served);
  addResolvedRoutes(app, served);
  addPasskeyRoutes(app, served);
  addProjectRoutes(app, served);
  addPageRoutes(app, { web: served.web, api: "/api" });
  app.notFound((context) => context.json(refused("There is nothing here."), 404));
  app.onError((error, context) => {
    if (error instanceof ProblemError)
      return context.json({ problem: apiProblem(error.problem) }, toHttpStatus(error.problem.code));
    if (error instanceof HTTPException) return error.res ?? context.json(refused(error.message), error.status);
    if (error instanceof $ZodError || error instanceof SyntaxError)
      return context.json(refused("The request does not have the expected format."), 400);
    served.warn(`request of the web UI failed: ${error.message}`);
    return context.json(refused("Something went wrong; the terminal has more."), 500);
  });
  return app;
}

function addGuards(app: Hono<Env>, { sessions }: ServerContext): void {
  app.use(async (context, next) => {
    const { incoming } = context.env;
    const { path } = context.req;
    const session = sessionIn(incoming.headers.authorization);
    const hasSession = session !== null && sessions.isOpen(session);
    if (hasSession) keepConnection(incoming.socket);
    const isLetIn = !isApi(path) || path === "/api/session" || hasSession;
    if (!isLetIn) return context.json(refused("Open the link that isdlc ui printed."), 401);
    await next();
    for (const [name, value] of Object.entries(commonHeaders)) context.header(name, value);
    if (isApi(path)) context.header("Cache-Control", "no-store");
    return undefined;
  });
  app.use(
    "/api/*",
    bodyLimit({ maxSize: BODY_LIMIT, onError: (c) => c.json(refused("The request is too long."), 413) }),
  );
  app.use("/api/*", compress());
}

function addRunRoutes(app: Hono<Env>, served: ServerContext): void {
  const { repository } = served;
  app.get("/api/runs", (context) => {
    const { before = null, search = "" } = context.req.query();
    return context.json(listRuns(repository, { before, search: search.slice(0, 200) }));
  });
  app.get("/api/runs/:run", async (context) =>
    context.json(await readToldRun(served, repository.find(context.req.param("run")))),
  );
  app.get("/api/runs/:run/story", (context) => {
    const from = Number(context.req.query("from") ?? "0");
    return context.json(storyFrom(repository.find(context.req.param("run")), Number.isSafeInteger(from) ? from : 0));
  });
  app.get("/api/runs/:run/gate", async (context) => {
    const found = repository.find(context.req.param("run"));
    const known = context.req.query("known") ?? null;
    return context.json(
      await tellingWhoWasFirst(
        () => readRunEvents(found),
        known,
        () => readGateView(toRunSource(found), known),
      ),
    );
  });
  app.get("/api/runs/:run/diff", async (context) => {
    const against = parsed(DiffAgainst, context.req.query("against") ?? "base");
    return context.json(await readDiffView(toRunSource(repository.find(context.req.param("run"))), against));
  });
  app.get("/api/runs/:run/document", async (context) =>
    context.json(
      await readDocumentView(toRunSource(repository.find(context.req.param("run"))), context.req.query("path") ?? ""),
    ),
  );
  app.get("/api/runs/:run/file", async (context) => {
    const { path = "", side } = context.req.query();
    const source = toRunSource(repository.find(context.req.param("run")));
    return context.json(await readWholeFile(source, path, parsed(FileSide, side ?? "new")));
  });
  app.get("/api/runs/:run/activity", (context) => {
    const { project, run } = repository.find(context.req.param("run"));
    return context.json(readActivity(project, run.run.run));
  });
  app.get("/api/live", (context) => liveResponse(served, context.req.query("run") ?? null));
}

/** @throws $ZodError, which becomes a 400. */
function parsed<T extends z.ZodMiniType>(schema: T, value: unknown): z.infer<T> {
  return z.parse(schema, value);
}

const refused = (what: string) => ({ problem: { code: "REFUSED", what, fix: "" } });

const NOT_FOUND = new Set(["NO_RUN", "ITEM_UNKNOWN", "UNSAFE_PATH"]);
const FORBIDDEN = new Set(["NEEDS_PERSON", "PASSKEY_NEEDED", "PASSKEY_REFUSED", "ANSWERED_BY_AGENT", "TOKEN_REFUSED"]);

/** A problem is expected and has a fix: it is never an error of the server. */
const toHttpStatus = (code: string): 400 | 403 | 404 | 409 | 422 => {
  if (NOT_FOUND.has(code)) return 404;
  if (FORBIDDEN.has(code)) return 403;
  if (code === "USAGE") return 400;
  return code === "COMMAND_REFUSED" || code === "GATE_HELD" || code === "LOCK_BUSY" ? 409 : 422;
};
