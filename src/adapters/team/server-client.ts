import { Agent as HttpAgent, request as overTcp } from "node:http";
import { Agent as HttpsAgent, request as overTls } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import type * as z from "zod/mini";
import { isRecord, ownValue } from "../../core/own-value.ts";
import { ProblemError } from "../../core/problem.ts";

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
  /** How long a server that cannot be reached is waited for, in milliseconds. */
  readonly patience?: number;
};

/** Asks a team's server. @throws ProblemError SERVER_UNREACHABLE, or SERVER_REFUSED with what the server said. */
export type ServerClient = <T>(request: ServerRequest<T>) => Promise<T>;

const ANSWER_WITHIN = 30_000; // milliseconds
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2000;
const UNAVAILABLE = 503;

export function createServerClient(address: ServerAddress): ServerClient {
  const { url } = address;
  return async (request) => {
    const until = Date.now() + (request.patience ?? 0);
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      const said = await ask(address, request);
      if (said.is === "answered") return request.answer.parse(said.value);
      if (Date.now() > until) throw new ProblemError({ code: "SERVER_UNREACHABLE", url, detail: said.detail });
      await delay(pause);
    }
  };
}

type Said = { readonly is: "answered"; readonly value: unknown } | { readonly is: "away"; readonly detail: string };

async function ask(address: ServerAddress, request: ServerRequest<unknown>): Promise<Said> {
  const { url } = address;
  let answer: Answer;
  try {
    answer = await exchange(address, request);
  } catch (error) {
    return { is: "away", detail: reasonOf(error) };
  }
  const { status, text } = answer;
  if (status === UNAVAILABLE) return { is: "away", detail: "the server cannot reach its database" };
  const value = parsed(text);
  if (status >= 200 && status < 300 && value !== undefined) return { is: "answered", value };
  throw refusal(url, status, ownValue(value, "problem"));
}

type Answer = { readonly status: number; readonly text: string };

/** One request and its answer. Follows no redirect: the token is for this server alone. */
function exchange({ url, token, headers }: ServerAddress, { method, path, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const to = new URL(path, url);
    const text = body === undefined ? "" : JSON.stringify(body);
    const own = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "content-length": Buffer.byteLength(text),
    };
    const { send, agent } = to.protocol === "https:" ? { send: overTls, agent: TLS } : { send: overTcp, agent: TCP };
    let isWhole = false;
    const sent = send(to, { method, agent, headers: { ...headers, ...own } }, (answer) => {
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

type Sent = Pick<ServerRequest<unknown>, "method" | "path" | "body">;

/** Connections are used again. Node's servers close idle ones after five seconds: ours are given up before. */
const KEPT = { keepAlive: true, timeout: 4000 } as const; // milliseconds
const TCP = new HttpAgent(KEPT);
const TLS = new HttpsAgent(KEPT);

const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** The server's own problem with its code; anything else is told by its status. */
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

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
