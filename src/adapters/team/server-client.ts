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

async function ask({ url, token, headers }: ServerAddress, request: ServerRequest<unknown>): Promise<Said> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL(request.path, url), {
      method: request.method,
      headers: { ...headers, authorization: `Bearer ${token}`, "content-type": "application/json" },
      redirect: "error",
      signal: AbortSignal.timeout(ANSWER_WITHIN),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    text = await response.text();
  } catch (error) {
    return { is: "away", detail: reasonOf(error) };
  }
  if (response.status === UNAVAILABLE) return { is: "away", detail: "the server cannot reach its database" };
  const value = parsed(text);
  if (response.ok && value !== undefined) return { is: "answered", value };
  throw refusal(url, response.status, ownValue(value, "problem"));
}

/** The server's own problem with its code; anything else is told by its status. */
function refusal(url: string, status: number, problem: unknown): ProblemError {
  const field = (name: string): string => {
    const value = isRecord(problem) ? problem[name] : "";
    return typeof value === "string" ? value : "";
  };
  const reason = field("code") === "" ? `HTTP_${status}` : field("code");
  const what = field("what") === "" ? `It answered with ${status}.` : field("what");
  return new ProblemError({ code: "SERVER_REFUSED", url, status, reason, what, fix: field("fix") });
}

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
