import type * as z from "zod/mini";
import type { Command, Report } from "../../../src/core/command.ts";
import { currentTicket } from "../../../src/core/next.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import { type ReportAnswer, WorkerReport } from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { toHostError } from "../copies/host-failure.ts";
import { FencedError, type WrittenDecision } from "../journal-postgres/submit-decision.ts";
import { needRun } from "../people/roles.ts";
import { counted } from "../operations/metrics.ts";
import { admitReport, requireOwnTree } from "../reports/admit-report.ts";
import { compareTrees, namesTrees } from "../reports/compare-trees.ts";
import { buildStart } from "../reports/build-start.ts";
import { type HeldReport, withSecondCheck } from "./second-check.ts";
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
  const { journal, metrics, pool } = server;
  const { run, worker, unproven } = sender;
  const sent = WorkerReport.parse(sender.body);
  const { epoch, request, left, after } = sent;
  const requireScope = () => needRun(pool, { id: worker, kind: "worker", isPersonal: false }, { run, role: "viewer" });
  const command = await admit(server, sender, sent).catch(async (error: unknown) => {
    await requireScope(); // a refusal contains facts about the run
    throw error;
  });
  const submission = { by: { kind: "worker", id: worker, epoch }, request, left, token: unproven } as const;
  const done = await counted(metrics, "worker", () => journal.writeAs(run, command, submission));
  const written = recordedLines(done, after);
  if (written === null) await requireScope(); // the report recorded nothing: its sender may not hold the run
  const lines = written ?? (await journal.lines(run, after)).lines;
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
  const report = admitReport(state, command);
  const isCurrent = report.ticket === currentTicket(state); // otherwise it is refused, or repeats an earlier report
  if (!isCurrent) return report;
  const held = { report, worker, epoch };
  const compared = namesTrees(report)
    ? await compareInCopy(server, state, held)
    : await withSecondCheck(server.pool, state, held);
  return withReporters(server, { run, worker }, compared);
}

/** @throws GitHostError if the git host is unavailable: the worker sends the report again */
async function compareInCopy(
  { pool, journal, copies }: TeamServer,
  state: ActiveRun,
  { report, worker, epoch }: HeldReport,
): Promise<Report> {
  const { run } = state.run;
  const { rows } = await pool.query<{ remote: string }>(
    `select p.remote from isdlc.run r join isdlc.repository p on p.name = r.repository
     where r.run = $1 and r.worker = $2 and r.epoch = $3`,
    [run, worker, epoch],
  );
  const [row] = rows;
  if (row === undefined) throw new FencedError(`${worker} does not drive run ${run} any more.`);
  try {
    const copy = await copies.open(row.remote);
    return await compareTrees(state, report, { copy, events: async () => journal.events(run) });
  } catch (error) {
    throw toHostError(error);
  }
}

/** Adds the workers that reported results of the attempt, for its gate, the journal and attestations. */
async function withReporters(
  { pool, journal }: TeamServer,
  { run, worker }: Pick<SentReport, "run" | "worker">,
  report: Report,
): Promise<Report> {
  const { outcome } = report;
  if (outcome.of !== "complete" || "failed" in outcome) return report;
  const events = await journal.events(run);
  const started = events.findLast(({ type }) => type === "attempt.started");
  const { rows } = await pool.query<{ sender: string }>(
    "select distinct sender from isdlc.decision where run = $1 and seq >= $2 and sender_kind = 'worker'",
    [run, started?.seq ?? 0],
  );
  const reportedBy = [...new Set([...rows.map(({ sender }) => sender), worker])].toSorted();
  const { checkedBy } = events.findLast((event) => event.type === "checks.passed") ?? {};
  const twice = checkedBy === undefined ? {} : { checkedBy };
  return { ...report, outcome: { ...outcome, made: { ...outcome.made, reportedBy, ...twice } } };
}

/** Never accepted: the journal refuses it, or recognizes the request and repeats its answer. */
const LATE: Report = { do: "report", ticket: "", outcome: { of: "prepare" } };

/** Returns the written line if it is the only one after the event, otherwise null. */
function recordedLines(done: WrittenDecision, after: number): string[] | null {
  if (!done.ok || done.line === null || after !== done.head.seq - done.events.length) return null;
  return [done.line];
}
