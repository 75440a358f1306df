import type { IncomingMessage } from "node:http";
import { HTTPException } from "hono/http-exception";
import { $ZodError } from "zod/v4/core"; // the main entry would bundle all translations of its messages
import { describe, type Problem, ProblemError } from "../../../src/core/problem.ts";
import { GitHostError } from "../copies/host-failure.ts";
import { FencedError, TokenRefusedError } from "../journal-postgres/submit-decision.ts";
import { type ProblemText, TOKEN_REFUSED } from "../people/authenticate.ts";
import type { Log } from "../structured-log.ts";

export const BODY_LIMIT = 4 * 1024 * 1024; // bytes: a report may contain the findings of a whole review

export const told = (problem: ProblemText): { problem: ProblemText } => ({ problem });

export const TOO_LONG: ProblemText = { code: "TOO_LONG", what: "The request is too long.", fix: "Send less at once." };

export type ProblemAnswer = { readonly status: 400 | 401 | 403 | 404 | 409 | 500 | 503; readonly problem: ProblemText };

const STATUS: Readonly<Partial<Record<Problem["code"], ProblemAnswer["status"]>>> = {
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

const INVALID: ProblemAnswer = {
  status: 400,
  problem: { code: "INVALID_REQUEST", what: "The request has another form.", fix: "" },
};

const HOST_AWAY: ProblemAnswer = {
  status: 503,
  problem: { code: "UNAVAILABLE", what: "The server cannot reach the git host now.", fix: "Try it again." },
};

/** Returns true if a request was cut off. Completely read requests are destroyed, too. */
export const isCutOff = ({ destroyed, complete }: Pick<IncomingMessage, "destroyed" | "complete">): boolean =>
  destroyed && !complete;

/** Converts an error to a response. Errors of requests that were cut off are not logged. */
export function asAnswer(error: Error, wasCutOff: boolean, log: Log): ProblemAnswer {
  const expected = expectedAnswer(error);
  if (expected !== null) return expected;
  if (error instanceof ProblemError) {
    const { problem } = error as ProblemError;
    const status = STATUS[problem.code];
    const facts = status === undefined ? {} : problem; // users' programs display them like their own problems
    return { status: status ?? 500, problem: { ...facts, code: problem.code, ...describe(problem) } };
  }
  if (error instanceof $ZodError || error instanceof SyntaxError || error instanceof HTTPException || isOddText(error))
    return INVALID;
  if (wasCutOff) return INVALID;
  log.error({ error }, "a request failed");
  const problem = { code: "UNAVAILABLE", what: "The server cannot answer now.", fix: "Try it again." };
  return { status: isDatabaseAway(error) ? 503 : 500, problem };
}

function expectedAnswer(error: Error): ProblemAnswer | null {
  if (error instanceof FencedError)
    return { status: 409, problem: { code: "FENCED", what: error.message, fix: "Stop working on it." } };
  if (error instanceof TokenRefusedError) return { status: 401, problem: TOKEN_REFUSED };
  return error instanceof GitHostError ? HOST_AWAY : null;
}

/** Text with a NUL or an incomplete surrogate pair: valid in JSON, but not in the database. */
const isOddText = (error: Error): boolean =>
  "code" in error && ["22021", "22P02", "22P05"].includes(String(error.code));

/** Connection lost or refused, or the database is starting or stopping. */
function isDatabaseAway(error: Error): boolean {
  const code = "code" in error ? String(error.code) : "";
  return (
    /^(?:08|57P|53)/.test(code) ||
    /^E(?:CONN|PIPE|HOST|NET|TIMEDOUT)/.test(code) ||
    /terminat|timeout/i.test(error.message)
  );
}
