import { $ZodError } from "zod/v4/core";
import { type AtWork, beginWork, reportWork, type SessionState } from "../../../app/session/session-work.ts";
import { callingSession, sessionEnvironment } from "../../../compose/calling-session.ts";
import { ProblemError } from "../../../core/problem.ts";
import { AgentResult } from "../../../schema/agent.ts";
import { sessionAnswer } from "../../../views/session-answer.ts";
import { createProgressView } from "../terminal/progress.ts";
import { NO_WINDOW } from "../terminal/window.ts";
import { openInvokedProject } from "../invocation/project-of.ts";
import { withSignals } from "../invocation/signals.ts";
import { type Invocation, type Result, type Run, text } from "../invocation/verb.ts";
import { readInput } from "../terminal/paste-input.ts";

/** Gives the calling session the next phase to work on, after all steps before it. */
export const beginVerb: Run = (invocation) => {
  const project = openInvokedProject(fromSession(invocation));
  return working(invocation, (atWork) => beginWork(project, atWork));
};

/** Accepts the session's report, runs checks and reviewer, and returns the next task. */
export const report: Run = async (invocation) => {
  const project = openInvokedProject(fromSession(invocation));
  const nonce = text(invocation.values, "nonce");
  if (nonce === undefined) throw usage(invocation, "Give the nonce of the reported work.");
  const result = await reported(invocation);
  return working(invocation, (atWork) => reportWork(project, atWork, { nonce, result }));
};

const fromSession = (invocation: Invocation): Invocation => ({
  ...invocation,
  env: sessionEnvironment(invocation.env, invocation.verb.name),
});

function working({ io, env, values }: Invocation, work: (atWork: AtWork) => Promise<SessionState>): Promise<Result> {
  const view = createProgressView(io, { recorded: () => [], isVerbose: false, window: NO_WINDOW });
  const session = callingSession(env, text(values, "session"));
  return withSignals(async (signal) =>
    toResult(io, await work({ session, progress: view, signal }).finally(() => view.stop())),
  );
}

function toResult(io: Invocation["io"], standing: SessionState): Result {
  for (const warning of standing.warnings) io.err(`warning: ${warning}`);
  const { turn, lines, json } = sessionAnswer(standing);
  const isStopped = turn === "engine";
  return { code: turn === "person" ? 3 : isStopped ? 130 : 0, lines, json: { ok: !isStopped, ...json } };
}

/** A summary alone reports completed work; any other report is a JSON object on standard input. */
async function reported(invocation: Invocation): Promise<AgentResult> {
  const summary = text(invocation.values, "summary");
  if (summary !== undefined) return AgentResult.parse({ status: "done", summary: summary.slice(0, MAX_SUMMARY) });
  const said = await readInput(INPUT_LIMIT);
  if (said === null) throw usage(invocation, "The report on the input is longer than 1 MB.");
  try {
    return AgentResult.parse(JSON.parse(said));
  } catch (error) {
    const detail = error instanceof $ZodError ? formatFields(error) : "it is not JSON";
    throw usage(invocation, `The report on the input cannot be used: ${detail}.`);
  }
}

const MAX_SUMMARY = 20_000; // characters, the limit of the schema
const INPUT_LIMIT = 1024 * 1024;

const formatFields = (error: $ZodError): string =>
  error.issues
    .map(({ path, message }) => `${path.join(".")}: ${message}`)
    .join("; ")
    .slice(0, 500);

const usage = ({ verb }: Invocation, detail: string): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: verb.usage });
