import type { Hono } from "hono";
import type { Report, StartCommand } from "../../../src/core/command.ts";
import { isRecord } from "../../../src/core/own-value.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import {
  Beat,
  EndedRequest,
  GiveBack,
  keptRef,
  KeptWork,
  LeftBranchNote,
  LeaseRequest,
  NameRequest,
  WorkerReport,
} from "../../../src/schema/api-team.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Written } from "../journal-postgres/submit-decision.ts";
import { counted } from "../operations/metrics.ts";
import { drawName } from "./drawn-names.ts";
import { giveBack, noteBeat, noteKeptWork, noteLeftBranch, takeLease } from "./leases.ts";
import { type TeamEnv, type TeamServer, workerOf } from "./team-server.ts";

/** What workers ask for: to live, to hold a run, to report about it, to give it back. */
export function addWorkerRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const { pool, journal } = server;
  app.post("/api/worker/beat", async (context) => {
    const worker = workerOf(context.get("principal"));
    return context.json(await noteBeat(server, { worker, ...Beat.parse(await context.req.json()) }));
  });
  app.post("/api/worker/ended", async (context) => {
    workerOf(context.get("principal"));
    const { runs } = EndedRequest.parse(await context.req.json());
    return context.json({ ended: await endedAmong(pool, runs) });
  });
  app.post("/api/worker/runs/:run/lease", async (context) => {
    const worker = workerOf(context.get("principal"));
    const { workflow } = LeaseRequest.parse(await context.req.json());
    return context.json({ lease: await takeLease(pool, context.req.param("run"), { worker, workflow }) });
  });
  app.post("/api/worker/runs/:run/names", async (context) => {
    const worker = workerOf(context.get("principal"));
    const { epoch, name } = NameRequest.parse(await context.req.json());
    return context.json({ drawn: await drawName(pool, { run: context.req.param("run"), worker, epoch }, name) });
  });
  app.post("/api/worker/runs/:run/commands", async (context) => {
    const worker = workerOf(context.get("principal"));
    const run = context.req.param("run");
    const sent = WorkerReport.parse(await context.req.json());
    const { epoch, request, left, after } = sent;
    const command = sent.command.do === "start" ? await startOf(server, run, sent.command) : reportOf(sent.command);
    const by = { kind: "worker", id: worker, epoch } as const;
    const submission = { by, request, left, token: context.get("unproven") };
    const done = await counted(server.metrics, "worker", () => journal.writeAs(run, command, submission));
    if (done.line !== null) context.set("unproven", null); // looked at by the statement that wrote it
    const lines = linesOf(done, after) ?? (await journal.lines(run, after)).lines;
    return context.json({ ok: done.ok, lines, ...(done.ok ? {} : { refusal: done.refusal }) });
  });
  addLeavingRoutes(app, server);
}

/** What a worker tells of a run that it does not go on with. */
function addLeavingRoutes(app: Hono<TeamEnv>, server: TeamServer): void {
  const { pool } = server;
  app.post("/api/worker/runs/:run/kept", async (context) => {
    const worker = workerOf(context.get("principal"));
    const run = context.req.param("run");
    const kept = KeptWork.parse(await context.req.json());
    if (await noteKeptWork(pool, run, { ...kept, worker }))
      server.log.warn({ run, worker, ref: keptRef(run, kept.epoch) }, "a fenced worker kept what it had not pushed");
    return context.json({});
  });
  app.post("/api/worker/runs/:run/left-branch", async (context) => {
    const worker = workerOf(context.get("principal"));
    const note = LeftBranchNote.parse(await context.req.json());
    await noteLeftBranch(pool, context.req.param("run"), { ...note, worker });
    return context.json({});
  });
  app.post("/api/worker/runs/:run/give-back", async (context) => {
    const worker = workerOf(context.get("principal"));
    await giveBack(server, { run: context.req.param("run"), worker }, GiveBack.parse(await context.req.json()));
    return context.json({});
  });
}

async function endedAmong(pool: TeamServer["pool"], runs: readonly RunId[]): Promise<readonly RunId[]> {
  const { rows } = await pool.query<{ run: RunId }>(
    "select run from isdlc.run where run = any($1) and rests = 'ended'",
    [runs],
  );
  return rows.map(({ run }) => run);
}

/** What was recorded after an event, where that is this very decision and nothing else; null where it has to be read. */
function linesOf(done: Written, after: number): readonly string[] | null {
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
