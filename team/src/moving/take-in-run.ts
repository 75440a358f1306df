import type { ClientBase } from "pg";
import { encodeRecord } from "../../../src/adapters/journal/record.ts";
import { countermark } from "../../../src/adapters/files/countermarks.ts";
import { evolve } from "../../../src/core/evolve/evolve.ts";
import { next } from "../../../src/core/next.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { TakeIn } from "../../../src/schema/api-moving.ts";
import type { StartRequest } from "../../../src/schema/api-project.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import { waitColumns } from "../journal-postgres/append-decision.ts";
import { inTransaction } from "../journal-postgres/in-transaction.ts";
import { queueRun } from "../server/drive-queue.ts";
import type { TeamServer } from "../server/team-server.ts";
import { applyPolicy, type TeamRules } from "./apply-policy.ts";
import { runNotMovable } from "./run-not-movable.ts";
import { type ForeignLine, type ForeignRun, readForeignLines } from "./read-foreign-lines.ts";

export type IntakeRequest = { readonly run: RunId; readonly person: string; readonly sent: TakeIn };

type IntakeRow = {
  readonly repository: string | null;
  readonly head_seq: number;
  readonly head_hash: string;
  readonly moved_place: string | null;
  readonly moved_to: string | null;
};

/**
 * Takes in a run with its original lines. Lines new to the team get the server's countersignature, and a line of the
 * server after them applies the team's policy. Repeating the request has no further effect; a refused sender keeps the
 * run. Returns the number of the last event of the team's journal.
 */
export async function takeInRun(server: TeamServer, { run, person, sent }: IntakeRequest): Promise<number> {
  const foreign = readForeignLines(run, sent.lines);
  const rules = await applyPolicy(server, foreign.state, { ...sent, person });
  return inTransaction(server.pool, async (client) => {
    await client.query(
      `insert into isdlc.run (run, place, repository, title, begun_by, start, head_hash, rests, moved_place, moved_to)
       values ($1, $1, $2, $3, $4, $5, $6, 'ended', $7, 'where it was begun') on conflict (run) do nothing`,
      [run, sent.repository, foreign.state.run.title, person, ...readStart(foreign), sent.place],
    );
    const { rows } = await client.query<IntakeRow>(
      "select repository, head_seq, head_hash, moved_place, moved_to from isdlc.run where run = $1 for update",
      [run],
    );
    const [row] = rows;
    if (row === undefined || row.repository !== sent.repository)
      throw new ProblemError({ code: "NO_RUN", elsewhere: [] });
    if (row.moved_place !== sent.place) return alreadyThere(client, { run, row, lines: foreign.lines });
    const fresh = linesBeyond(row, foreign.lines, run);
    if (fresh.some(({ events }) => events.some(({ type }) => type === "run.broughtIn")))
      throw runNotMovable("it has lines that only a server writes", "Look at it: isdlc verify-journal");
    await refuseDecidedElsewhere(
      client,
      sent.repository,
      fresh.flatMap(({ events }) => events),
    );
    for (const line of fresh)
      await insertLine(client, line, { run, person, mark: countermark(server.journal.seal, line.hash) });
    await drawBranch(client, run, foreign.state);
    const whole = await recordBringing(server, client, { run, person, foreign, fresh, rules });
    await handToTeam(client, { run, sent, foreign: whole });
    return whole.state.seq;
  });
}

/** Start request for a worker's lease: only the fields that matter after the start. */
function readStart({ state, lines }: ForeignRun): readonly [start: string, hash: string] {
  const { workflow, title } = state.run;
  const isSupervised = state.supervision.enabled;
  const start: StartRequest = { what: "run", workflow, title: title.slice(0, 2000), isSupervised, choices: [] };
  return [JSON.stringify(start), lines[0]?.previous ?? ""];
}

type There = { readonly run: RunId; readonly row: IntakeRow; readonly lines: readonly ForeignLine[] };

/** The answer to an earlier request may have been lost: succeeds if the team already has the last line. */
async function alreadyThere(client: ClientBase, { run, row, lines }: There): Promise<number> {
  const last = lines.at(-1);
  const { rowCount } = await client.query("select 1 from isdlc.decision where run = $1 and hash = $2", [
    run,
    last?.hash,
  ]);
  if (rowCount === 1) return row.head_seq;
  throw new ProblemError({ code: "RUN_AWAY", run, to: row.moved_to ?? "the team" });
}

/** Returns the lines after the team's last one. @throws ProblemError RUN_AWAY if the two journals diverged */
function linesBeyond(
  { head_seq, head_hash }: IntakeRow,
  lines: readonly ForeignLine[],
  run: RunId,
): readonly ForeignLine[] {
  if (head_seq === 0) return lines;
  const known = lines.findIndex(({ hash }) => hash === head_hash);
  if (known === -1) throw new ProblemError({ code: "RUN_AWAY", run, to: "the team, with other decisions" });
  return lines.slice(known + 1);
}

type InsertedRun = { readonly run: RunId; readonly person: string; readonly mark: string };

async function insertLine(client: ClientBase, line: ForeignLine, { run, person, mark }: InsertedRun): Promise<void> {
  await client.query(
    `insert into isdlc.decision (run, seq, events, previous, hash, line, sender_kind, sender, countermark)
     values ($1, $2, $3, $4, $5, $6, 'person', $7, $8)`,
    [run, line.seq, line.events.length, line.previous, line.hash, line.line, person, mark],
  );
}

type IntakeRecord = {
  readonly run: RunId;
  readonly person: string;
  readonly foreign: ForeignRun;
  readonly fresh: readonly ForeignLine[];
  readonly rules: TeamRules;
};

/**
 * Records the range of events, the user, and the rules that apply from now on. If no event is new, it records nothing.
 */
async function recordBringing(
  { journal }: TeamServer,
  client: ClientBase,
  { run, person, foreign, fresh, rules }: IntakeRecord,
): Promise<ForeignRun> {
  const { state, lines } = foreign;
  const [first] = fresh;
  const previous = lines.at(-1)?.hash;
  if (first === undefined || previous === undefined) return foreign;
  const seq = state.seq + 1;
  const at = new Date().toISOString();
  const event = { type: "run.broughtIn", by: person, from: first.seq, to: state.seq, ...rules } as const;
  const { line: bytes, hash } = encodeRecord({ seq, at, events: [event] }, previous, journal.seal);
  const line = bytes.toString("utf8").slice(0, -1);
  await client.query(
    `insert into isdlc.decision (run, seq, events, previous, hash, line, sender_kind, sender)
     values ($1, $2, 1, $3, $4, $5, 'server', 'server')`,
    [run, seq, previous, hash, line],
  );
  const events = [{ ...event, gates: [...event.gates], seq, at }];
  const next = evolve(state, events[0] as RunEvent); // just written
  if (next.is !== "active") throw new Error(`run ${run} is not open after it was brought`);
  return { state: next, lines: [...lines, { line, seq, events, previous, hash }] };
}

/** Reserves the branch for the run. @throws ProblemError RUN_NOT_MOVABLE if another run has it */
async function drawBranch(client: ClientBase, run: RunId, { run: { git } }: ActiveRun): Promise<void> {
  if (git === null || git.branch === null) return;
  const { rows } = await client.query<{ run: RunId }>(
    `insert into isdlc.drawn_name as d (repository, name, run)
       select repository, $2, run from isdlc.run where run = $1
     on conflict (repository, name) do update set run = d.run returning run`,
    [run, `refs/heads/${git.branch}`],
  );
  if (rows[0]?.run !== run) throw runNotMovable(`another run has the branch ${git.branch}`, "Finish it here.");
}

type IntakeContext = { readonly run: RunId; readonly sent: TakeIn; readonly foreign: ForeignRun };

/** Makes the run the team's, and queues it if there is something to do. */
async function handToTeam(client: ClientBase, { run, sent, foreign }: IntakeContext): Promise<void> {
  const { state, lines } = foreign;
  await client.query(
    `update isdlc.run set head_seq = $2, head_hash = $3, rests = $4, wait_id = $5, wait_kind = $6, phase = $7,
       left_tree = $8, worker = null, failures = 0, epoch = epoch + 1,
       moved_place = null, moved_to = null, moved_by = null
     where run = $1`,
    [run, state.seq, lines.at(-1)?.hash, ...waitColumns(state), JSON.stringify(sent.left)],
  );
  if (next(state).is === "action") await queueRun(client, run);
}

/** Events that complete a phase or reduce scrutiny. All other work can still be reviewed by the team's approvers. */
const ACCEPTING: ReadonlySet<RunEvent["type"]> = new Set<RunEvent["type"]>([
  "phase.accepted",
  "phase.skipped",
  "phase.committed",
  "phase.left",
  "step.skipped",
  "supervision.loosened",
  "sizing.decided",
  "lines.included",
  "tests.accepted",
  "finish.chosen",
]);

const accepts = (event: RunEvent): boolean =>
  ACCEPTING.has(event.type) || (event.type === "gate.answered" && event.choice === "continue");

/**
 * Rejects work accepted elsewhere if the repository restricts who may accept (four-eyes rule, passkeys, phase
 * reviewers). These rules are checked when a decision is made, and a user's machine does not check them. @throws
 * ProblemError NOT_ALLOWED
 */
async function refuseDecidedElsewhere(
  client: ClientBase,
  repository: string,
  events: readonly RunEvent[],
): Promise<void> {
  const found = events.find(accepts);
  if (found === undefined) return;
  const { rows } = await client.query<{ asks: boolean }>(
    `select four_eyes or passkeys or exists (select 1 from isdlc.phase_reviewer p where p.repository = name) as asks
     from isdlc.repository where name = $1`,
    [repository],
  );
  if (rows[0]?.asks === false) return;
  throw new ProblemError({
    code: "NOT_ALLOWED",
    what: `In ${repository} the team decides who accepts work, and this run was accepted elsewhere (event ${found.seq}).`,
    fix: "Go back to before that (isdlc back <phase>) on a run of the team, or finish it where it is.",
  });
}
