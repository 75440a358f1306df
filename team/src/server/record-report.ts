import type { Report, StartCommand } from "../../../src/core/command.ts";
import { isRecord } from "../../../src/core/own-value.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import { type ReportAnswer, WorkerReport } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Written } from "../journal-postgres/submit-decision.ts";
import { refuseMergeReport } from "../merging/merge-run.ts";
import { counted } from "../operations/metrics.ts";
import type { TeamServer } from "./team-server.ts";

export type SentReport = {
  readonly run: RunId;
  readonly worker: string;
  /** Digest of the worker's token where it is only remembered; null where it was looked up. */
  readonly unproven: string | null;
  readonly body: unknown;
};

/** `isProven`: the token was looked up, or the statement that wrote the decision has looked at it. */
export type RecordedReport = { readonly answer: ReportAnswer; readonly isProven: boolean };

/** What a worker tells of its work on a run. @throws for whatever is no report, or not the worker's to make. */
export async function recordReport(server: TeamServer, sender: SentReport): Promise<RecordedReport> {
  const { journal, metrics } = server;
  const { run, worker, unproven } = sender;
  const sent = WorkerReport.parse(sender.body);
  const { epoch, request, left, after } = sent;
  const command = sent.command.do === "start" ? await startOf(server, run, sent.command) : reportOf(sent.command);
  if (command.do === "report") await refuseMergeReport(server, run, command);
  const submission = { by: { kind: "worker", id: worker, epoch }, request, left, token: unproven } as const;
  const done = await counted(metrics, "worker", () => journal.writeAs(run, command, submission));
  const lines = linesOf(done, after) ?? (await journal.lines(run, after)).lines;
  const answer = { ok: done.ok, lines, ...(done.ok ? {} : { refusal: done.refusal }) };
  return { answer, isProven: unproven === null || done.line !== null };
}

/** What was recorded after an event, where that is this very decision and nothing else; null where it has to be read. */
function linesOf(done: Written, after: number): string[] | null {
  if (!done.ok || done.line === null || after !== done.head.seq - done.events.length) return null;
  return [done.line];
}

/** The one kind of command that a worker may send about a run that is open. What it leads to is checked as events are. */
function reportOf(command: Readonly<Record<string, unknown>>): Report {
  const { ticket, outcome } = command;
  if (typeof ticket !== "string" || !isRecord(outcome) || typeof outcome["of"] !== "string")
    throw new ProblemError({ code: "NOT_ALLOWED", what: "This is not a report.", fix: "Send what a step came to." });
  return { do: "report", ticket, outcome: outcome as Report["outcome"] }; // its events are held against the schema
}

/** Begun in the name of whoever asked for it, and of nobody else; its paths on the worker's machine are nobody's concern. */
async function startOf(
  { pool }: TeamServer,
  run: RunId,
  { facts }: Readonly<Record<string, unknown>>,
): Promise<StartCommand> {
  const { rows } = await pool.query<{ begun_by: string }>("select begun_by from isdlc.run where run = $1", [run]);
  const name = rows[0]?.begun_by;
  if (name === undefined || !isRecord(facts)) throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
  const { tree: _tree, programs: _programs, ...kept } = facts;
  const by = { name, channel: "token" } as const;
  return { do: "start", facts: { ...(kept as StartCommand["facts"]), run, by } }; // its event is held against the schema
}
