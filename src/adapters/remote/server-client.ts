import { Agent as HttpAgent, request as overTcp, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as overTls } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { urlToHttpOptions } from "node:url";
import type * as z from "zod/mini";
import { isRecord, ownValue } from "../../core/own-value.ts";
import { ProblemError } from "../../core/problem.ts";
import { createQuickExchange, type QuickExchange } from "./quick-exchange.ts";
import type { RunEvent } from "../../schema/event.ts";
import { checkBySeal } from "../journal/record.ts";
import { corrupt, type Cursor, fold } from "../journal/fold.ts";
import type { Seal } from "../../ports/journal.ts";

export type ServerAddress = {
  readonly url: string;
  readonly token: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
};

export type ServerRequest<T> = {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  readonly answer: z.ZodMiniType<T>;
  /** Milliseconds to retry while the server is unreachable. */
  readonly patience?: number;
  /** True if repeated requests have the effect of one. */
  readonly isRepeatable?: boolean;
};

/**
 * Sends a request to a team's server. @throws ProblemError SERVER_UNREACHABLE, or SERVER_REFUSED with the server's
 * answer
 */
export type ServerClient = <T>(request: ServerRequest<T>) => Promise<T>;

const ANSWER_WITHIN = 30_000; // milliseconds
const FIRST_PAUSE = 100;
const MAX_RETRY_PAUSE_MS = 2000;
const UNAVAILABLE = 503;

export function createServerClient(address: ServerAddress): ServerClient {
  const { url } = address;
  let known: Destination | null = null;
  const destination = (): Destination => (known ??= toDestination(address));
  return async (request) => {
    const until = performance.now() + (request.patience ?? 0);
    const quick = request.isRepeatable === true ? await askQuickly(destination, request) : undefined;
    if (quick !== undefined) return request.answer.parse(quick);
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, MAX_RETRY_PAUSE_MS)) {
      const said = await ask(url, () => exchange(destination(), request));
      if (said.is === "answered") return request.answer.parse(said.value);
      if (performance.now() > until) throw new ProblemError({ code: "SERVER_UNREACHABLE", url, detail: said.detail });
      await delay(pause);
    }
  };
}

type ServerReply =
  | { readonly is: "answered"; readonly value: unknown }
  | { readonly is: "away"; readonly detail: string };

async function ask(url: string, exchanging: () => Promise<ServerAnswer>): Promise<ServerReply> {
  let answer: ServerAnswer;
  try {
    answer = await exchanging();
  } catch (error) {
    return { is: "away", detail: describeReason(error) };
  }
  const { status, text } = answer;
  if (status === UNAVAILABLE) return { is: "away", detail: "the server cannot reach its database or the git host" };
  const value = parsed(text);
  if (status >= 200 && status < 300 && value !== undefined) return { is: "answered", value };
  throw refusal(url, status, ownValue(value, "problem"));
}

/** Returns undefined if the request must be sent the ordinary way, which reports the error. */
async function askQuickly(destination: () => Destination, { method, path, body }: ServerCall): Promise<unknown> {
  if (method !== "POST" || !PLAIN_PATH.test(path)) return undefined;
  const text = await destination().quick?.(path, JSON.stringify(body));
  return typeof text === "string" ? parsed(text) : undefined;
}

type ServerAnswer = { readonly status: number; readonly text: string };

/** Common parts of all requests to a server, computed once. */
type Destination = {
  readonly url: string;
  readonly send: typeof overTcp;
  readonly connection: RequestOptions;
  /** Alternating names and values, which saves Node a check of each. */
  readonly headers: readonly string[];
  /** Null over TLS. */
  readonly quick: QuickExchange | null;
};

function toDestination({ url, token, headers }: ServerAddress): Destination {
  const to = new URL(url);
  const { protocol, hostname, port } = urlToHttpOptions(to);
  const { send, agent } = protocol === "https:" ? { send: overTls, agent: TLS } : { send: overTcp, agent: TCP };
  const own = { host: to.host, authorization: `Bearer ${token}`, "content-type": "application/json" };
  const all = Object.entries({ ...headers, ...own }).flat();
  const kept = { headers: all, answerWithin: ANSWER_WITHIN, keptFor: KEPT.timeout };
  return {
    url,
    send,
    connection: { agent, protocol, hostname, ...(port === undefined ? {} : { port }) },
    headers: all,
    quick:
      protocol === "http:"
        ? createQuickExchange({ host: hostname ?? "", port: Number(port ?? HTTP_PORT), ...kept })
        : null,
  };
}

const HTTP_PORT = 80;

/** Letters, digits, `_`, `-` and slashes: every parser reads it the same way. */
const PLAIN_PATH = /^\/[\w/-]+$/;

/** Sends one request. Does not follow redirects: the token is for this server only. */
function exchange({ url, send, connection, headers }: Destination, request: ServerCall): Promise<ServerAnswer> {
  return new Promise((resolve, reject) => {
    const { method, body } = request;
    const path = PLAIN_PATH.test(request.path) ? request.path : urlToHttpOptions(new URL(request.path, url)).path;
    const text = body === undefined ? "" : JSON.stringify(body);
    const length = String(Buffer.byteLength(text));
    let isWhole = false;
    const options = { ...connection, method, path, headers: [...headers, "content-length", length] };
    const sent = send(options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => void chunks.push(chunk));
      answer.once("error", reject);
      answer.once("end", () => {
        isWhole = true;
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") });
      });
    });
    const timer = setTimeout(() => sent.destroy(new Error("it did not answer in time")), ANSWER_WITHIN);
    sent.once("error", reject);
    sent.once("close", () => {
      clearTimeout(timer);
      if (!isWhole) reject(new Error("the connection was closed"));
    });
    sent.end(text);
  });
}

type ServerCall = Pick<ServerRequest<unknown>, "method" | "path" | "body">;

/** Reuses connections. Node's servers close idle ones after five seconds, so these are closed earlier. */
const KEPT = { keepAlive: true, timeout: 4000 } as const; // milliseconds
const TCP = new HttpAgent(KEPT);
const TLS = new HttpsAgent(KEPT);

const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** Converts an error response. Uses the server's own problem if there is one, otherwise the status. */
function refusal(url: string, status: number, problem: unknown): ProblemError {
  const { code, what, fix, ...facts } = isRecord(problem) ? problem : {};
  const isOurs = typeof code === "string" && CODE.test(code) && typeof what === "string" && typeof fix === "string";
  const told = isOurs ? { reason: code, what, fix, facts } : { ...unexplained(status), reason: null, facts: {} };
  return new ProblemError({ code: "SERVER_REFUSED", url, status, ...told });
}

const unexplained = (status: number): { what: string; fix: string } => ({
  what: `It answered with ${status}.`,
  fix: "Check that this is the address of a team's server: isdlc login <url>",
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function describeReason(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

type ReadLines = { readonly cursor: Cursor; readonly events: readonly RunEvent[] };

/**
 * Reads lines from a server after a cursor, and verifies each with the server's keys. @throws ProblemError if a line
 * is damaged or forged
 */
export function readLines(from: Cursor, lines: readonly string[], seal: Seal): ReadLines {
  const events: RunEvent[] = [];
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const onEvents = (read: readonly RunEvent[]): number => events.push(...read);
  const file = `run ${from.run}`;
  const { cursor, torn } = fold(from, bytes, { file, seal, check: checkBySeal, witnesses: [], onEvents });
  // A file may end with a torn write, but a server sends whole lines.
  if (torn > 0) throw corrupt({ file }, cursor.lines + 1, "its hash does not fit");
  return { cursor, events };
}
