import type { IncomingMessage, ServerResponse } from "node:http";
import type { RunId } from "../../../src/schema/ids.ts";
import type { IdentifiedCaller, UnidentifiedCaller } from "../people/authenticate.ts";
import { observe } from "./observe.ts";
import { asAnswer, BODY_LIMIT, isCutOff, told, TOO_LONG } from "./problem-answer.ts";
import { recordReport } from "./record-report.ts";
import { type TeamServer, requireWorker } from "./team-server.ts";

export const REPORTS = "/api/worker/runs/:run/commands";
const REPORT = /^(\/api\/worker\/runs\/([0-9A-Za-z-]{1,40})\/commands)(?:\?|$)/;

type Headers = Readonly<Record<string, string>>;

/** Returns true if the request was a report, and answers it. */
export type ReportListener = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Answers reports of workers directly on Node's request and response, for speed: they are the most frequent requests,
 * and converting them to web objects took as long as all other work. The rules are those of other requests: the same
 * size limit, token check and problems.
 */
export function createReportListener(server: TeamServer, common: Headers): ReportListener {
  const headers = [...Object.entries(common).flat(), "Content-Type", "application/json"];
  return (request, response) => {
    const [, path, run] = request.method === "POST" ? (REPORT.exec(request.url ?? "") ?? []) : [];
    if (path === undefined || run === undefined) return false;
    const traceparent = single(request.headers["traceparent"]);
    void observe(server, { method: "POST", path, traceparent }, async () => {
      const reply = await replyTo(server, request, run);
      const text = JSON.stringify(reply.body);
      const length = String(Buffer.byteLength(text));
      const more = Object.entries(reply.headers ?? {}).flat();
      response.writeHead(reply.status, [...headers, ...more, "Content-Length", length]).end(text);
      return { route: REPORTS, status: reply.status };
    });
    return true;
  };
}

const single = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header : undefined;

type ReportReply = { readonly status: number; readonly body: unknown; readonly headers?: Headers };

async function replyTo(server: TeamServer, request: IncomingMessage, run: RunId): Promise<ReportReply> {
  const { authentication, log } = server;
  try {
    if (Number(request.headers["content-length"] ?? 0) > BODY_LIMIT) return LONG;
    const asking = { address: request.socket.remoteAddress ?? "", authorization: request.headers.authorization };
    const by = await authentication.recall(asking);
    if (by.is === "refused") return refusing(by);
    const { isProven, ...reply } = await recorded(server, { request, run, by });
    const refused = isProven || by.unproven === null ? null : await authentication.prove(asking, by.unproven);
    return refused === null ? reply : refusing(refused);
  } catch (error) {
    return failing(error, request, log);
  }
}

type ReportRequest = { readonly request: IncomingMessage; readonly run: RunId; readonly by: IdentifiedCaller };

/** Answers a report with a known or remembered sender. */
async function recorded(
  server: TeamServer,
  { request, run, by }: ReportRequest,
): Promise<ReportReply & { readonly isProven: boolean }> {
  try {
    const worker = requireWorker(by.principal);
    const text = await readBody(request);
    if (text === null) return { ...LONG, isProven: false };
    const report = { run, worker, unproven: by.unproven, body: JSON.parse(text) as unknown };
    const { answer, isProven } = await recordReport(server, report);
    return { status: 200, body: answer, isProven };
  } catch (error) {
    return { ...failing(error, request, server.log), isProven: false };
  }
}

const refusing = ({ status, problem, headers }: UnidentifiedCaller): ReportReply => ({
  status,
  body: told(problem),
  headers,
});

function failing(error: unknown, request: IncomingMessage, log: TeamServer["log"]): ReportReply {
  const thrown = error instanceof Error ? error : new Error(String(error));
  const { status, problem } = asAnswer(thrown, isCutOff(request), log);
  return { status, body: told(problem) };
}

const LONG: ReportReply = { status: 413, body: told(TOO_LONG) };

/** Returns null if the body is too long. */
function readBody(request: IncomingMessage): Promise<string | null> {
  return new Promise((resolve, reject) => {
    if (isCutOff(request)) reject(new Error("The request was cut off.")); // no further events follow
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_LIMIT) resolve(null);
      else chunks.push(chunk);
    });
    request.once("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    request.once("error", reject);
  });
}
