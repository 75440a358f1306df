import type * as z from "zod/mini";
import type { Command, Report } from "../../../src/core/command.ts";
import { type ReportAnswer, WorkerReport } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { WrittenDecision } from "../journal-postgres/submit-decision.ts";
import { counted } from "../operations/metrics.ts";
import { admitReport, requireOwnTree } from "../reports/admit-report.ts";
import { buildStart } from "../reports/build-start.ts";
import type { TeamServer } from "./team-server.ts";

export type SentReport = {
  readonly run: RunId;
  readonly worker: string;
  /** Digest of the worker's token if it is only remembered; null if it was looked up. */
  readonly unproven: string | null;
  readonly body: unknown;
};

/** `isProven`: the token was looked up, or checked by the statement that wrote the decision. */
export type RecordedReport = { readonly answer: ReportAnswer; readonly isProven: boolean };

/**
 * Records a worker's report about a run. Workers report facts; decisions beyond their rights are refused. @throws
 * ProblemError NOT_ALLOWED
 */
export async function recordReport(server: TeamServer, sender: SentReport): Promise<RecordedReport> {
  const { journal, metrics } = server;
  const { run, worker, unproven } = sender;
  const sent = WorkerReport.parse(sender.body);
  const { epoch, request, left, after } = sent;
  const command = await admit(server, sender, sent);
  const submission = { by: { kind: "worker", id: worker, epoch }, request, left, token: unproven } as const;
  const done = await counted(metrics, "worker", () => journal.writeAs(run, command, submission));
  const lines = recordedLines(done, after) ?? (await journal.lines(run, after)).lines;
  const answer = { ok: done.ok, lines, ...(done.ok ? {} : { refusal: done.refusal }) };
  return { answer, isProven: unproven === null || done.line !== null };
}

type ReceivedReport = z.infer<typeof WorkerReport>;

async function admit(
  server: TeamServer,
  { run, worker }: SentReport,
  { command, epoch, left }: ReceivedReport,
): Promise<Command> {
  const { state } = await server.journal.load(run);
  if (command.do === "start") {
    if (state.is !== "none") return LATE;
    return buildStart(server, { run, worker, epoch }, command["facts"]);
  }
  if (state.is !== "active") return LATE;
  if (left !== null) requireOwnTree(state, left);
  return withReporters(server, { run, worker }, admitReport(state, command));
}

/** Adds the workers that reported results of the attempt, for its gate, the journal and attestations. */
async function withReporters(
  { pool, journal }: TeamServer,
  { run, worker }: Pick<SentReport, "run" | "worker">,
  report: Report,
): Promise<Report> {
  const { outcome } = report;
  if (outcome.of !== "complete" || "failed" in outcome) return report;
  const started = (await journal.events(run)).findLast(({ type }) => type === "attempt.started");
  const { rows } = await pool.query<{ sender: string }>(
    "select distinct sender from isdlc.decision where run = $1 and seq >= $2 and sender_kind = 'worker'",
    [run, started?.seq ?? 0],
  );
  const reportedBy = [...new Set([...rows.map(({ sender }) => sender), worker])].toSorted();
  return { ...report, outcome: { ...outcome, made: { ...outcome.made, reportedBy } } };
}

/** Never accepted: the journal refuses it, or recognizes the request and repeats its answer. */
const LATE: Report = { do: "report", ticket: "", outcome: { of: "prepare" } };

/** Returns the written line if it is the only one after the event, otherwise null. */
function recordedLines(done: WrittenDecision, after: number): string[] | null {
  if (!done.ok || done.line === null || after !== done.head.seq - done.events.length) return null;
  return [done.line];
}
