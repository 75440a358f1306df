import * as z from "zod/mini";
import { AnswerRequest, ApiProblem } from "../../../src/schema/api.ts";
import * as moving from "../../../src/schema/api-moving.ts";
import * as notifications from "../../../src/schema/api-notifications.ts";
import * as team from "../../../src/schema/api-team.ts";
import { PAGE_OPERATIONS } from "../page/page-operations.ts";
import { PAGE_API } from "../page/team-page-parts.ts";
import type { Operation, Schema } from "./operation.ts";
import { WORKER_OPERATIONS } from "./worker-operations.ts";

const OK = z.object({ ok: z.boolean(), missing: z.optional(z.enum(["database", "tables"])) });

/** Operations for programs of people. */
const PROGRAMS: readonly Operation[] = [
  { method: "get", path: "/healthz", summary: "Answers while the process lives", by: "everybody", answer: OK },
  { method: "get", path: "/readyz", summary: "Answers 200 while the database is usable", by: "everybody", answer: OK },
  { method: "get", path: "/health", summary: "The same as /readyz", by: "everybody", answer: OK },
  { method: "get", path: "/openapi.json", summary: "This description", by: "everybody", answer: z.looseObject({}) },
  {
    method: "get",
    path: "/api/team",
    summary: "Owner of the token, the server's keys, and the repositories",
    by: "anybody",
    answer: team.TeamView,
  },
  {
    method: "get",
    path: "/api/runs",
    summary: "Runs, the open ones first",
    by: "anybody",
    query: ["repository", "run"],
    answer: team.TeamRunList,
  },
  {
    method: "post",
    path: "/api/runs",
    summary: "Ask for a run",
    by: "person",
    body: team.TeamStart,
    answer: team.TeamStarted,
  },
  {
    method: "get",
    path: "/api/runs/:run/lines",
    summary: "Lines of a run's journal after an event",
    by: "anybody",
    query: ["after"],
    answer: team.JournalLines,
  },
  {
    method: "post",
    path: "/api/runs/:run/answer",
    summary: "Answer what is open",
    by: "person",
    body: AnswerRequest,
    answer: team.JournalLines,
  },
  {
    method: "post",
    path: "/api/runs/:run/take-in",
    summary: "Move an open run from a user's machine to the team",
    by: "person",
    body: moving.TakeIn,
    answer: moving.TakenIn,
  },
  {
    method: "post",
    path: "/api/runs/:run/let-go",
    summary: "Move an open run to a user's machine",
    by: "person",
    body: moving.LetGo,
    answer: moving.GoneTo,
  },
  {
    method: "post",
    path: "/api/runs/:run/take-back",
    summary: "Reclaim a moved run whose place is lost; for admins",
    by: "person",
    answer: moving.TakenBack,
  },
  {
    method: "get",
    path: "/api/runs/:run/activity",
    summary: "Output of agents",
    by: "anybody",
    query: ["after"],
    answer: team.TeamActivity,
  },
  { method: "get", path: "/api/tokens", summary: "One's own tokens", by: "person", answer: team.TokenList },
  {
    method: "post",
    path: "/api/tokens",
    summary: "Make a personal token",
    by: "person",
    body: team.PersonalToken,
    answer: team.TokenMade,
  },
  {
    method: "delete",
    path: "/api/tokens/:name",
    summary: "Revoke a token of the caller",
    by: "person",
    answer: team.TokenRevocationResult,
  },
  {
    method: "get",
    path: "/api/repositories/:repository/members",
    summary: "Who may do what",
    by: "person",
    answer: team.MemberList,
  },
  {
    method: "post",
    path: "/api/repositories/:repository/members",
    summary: "Give a role, or take it away",
    by: "person",
    body: team.MemberChange,
    answer: team.MemberList,
  },
  {
    method: "get",
    path: "/api/repositories/:repository/policy",
    summary: "Read the rules for answers and approvers; for admins",
    by: "person",
    answer: team.RepositoryPolicy,
  },
  {
    method: "get",
    path: "/api/notifications",
    summary: "Read the notification settings",
    by: "person",
    answer: notifications.ChannelList,
  },
  {
    method: "post",
    path: "/api/notifications",
    summary: "Set a notification channel: webhook, Slack, Microsoft Teams or e-mail",
    by: "person",
    body: notifications.ChannelChange,
    answer: notifications.ChannelSet,
  },
  {
    method: "delete",
    path: "/api/notifications/:channel",
    summary: "Remove a notification channel",
    by: "person",
    answer: notifications.ChannelRemoved,
  },
  {
    method: "post",
    path: "/api/notifications/:channel/test",
    summary: "Have a message sent, to see that it arrives",
    by: "person",
    answer: notifications.TestAsked,
  },
];

/** All operations of the server. A test compares them with the routes. */
export const OPERATIONS: readonly Operation[] = [...PROGRAMS, ...WORKER_OPERATIONS, ...PAGE_OPERATIONS];

const COOKIE = {
  type: "apiKey",
  in: "cookie",
  name: "__Host-isdlc",
  description:
    "Cookie of a signed-in browser; named isdlc if the server has no https. It is accepted only from the page's own requests: a POST needs the page's Origin and application/json, and cross-site requests are refused.",
};

/** Builds the OpenAPI 3.1 description from the schemas that validate requests. */
export function openApi(version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [operation.method]: described(operation) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "isdlc for teams", version },
    components: { securitySchemes: { token: { type: "http", scheme: "bearer" }, cookie: COOKIE } },
    security: [{ token: [] }],
    paths,
  };
}

type By = Operation["by"];

const WITH: { readonly [B in By]: string } = {
  person: "With the token of a person.",
  worker: "With the token of a worker.",
  anybody: "With the token of a person or a worker.",
  page: "With the cookie of the page.",
  everybody: "Without signing in.",
};

/** Security other than a token. */
const SECURITY: { readonly [B in By]?: readonly Readonly<Record<string, readonly string[]>>[] } = {
  page: [{ cookie: [] }],
  everybody: [],
};

function described(operation: Operation): Readonly<Record<string, unknown>> {
  const { path, summary, by, query = [], body } = operation;
  const text = { type: "string" };
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema: text }));
  const inQuery = query.map((name) => ({ name, in: "query", required: false, schema: text }));
  const security = SECURITY[by];
  return {
    summary,
    description: WITH[by],
    tags: [by === "page" || path.startsWith(PAGE_API) ? "page" : by === "worker" ? "worker" : "people"],
    ...(security === undefined ? {} : { security }),
    parameters: [...inPath, ...inQuery],
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      ...done(operation),
      default: { description: "Refused, with the reason", content: json(z.object({ problem: ApiProblem })) },
    },
  };
}

function done({ answer, isStream }: Operation): Readonly<Record<number, unknown>> {
  if (answer === null) return { 303: { description: "Continue at the page" } };
  const content = isStream === true ? { "text/event-stream": json(answer)["application/json"] } : json(answer);
  return { 200: { description: "Done", content } };
}

const json = (schema: Schema) => ({ "application/json": { schema: z.toJSONSchema(schema, { io: "input" }) } });
