import type { ClientBase } from "pg";
import { next } from "../../../src/core/next.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunState, ActiveRun } from "../../../src/core/run.ts";
import type { AnswerRequest } from "../../../src/schema/api.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { PasskeySignature } from "../../../src/schema/passkey.ts";
import type { Person } from "../../../src/schema/people.ts";
import type { RecordedDecision } from "../journal-postgres/submit-decision.ts";
import { counted } from "../operations/metrics.ts";
import { needPolicy, needSignature } from "../people/answer-policy.ts";
import type { RunAccess } from "../people/roles.ts";
import { queueRun } from "./drive-queue.ts";
import type { TeamServer } from "./team-server.ts";
import { plainLine } from "../../../src/views/plain-text.ts";
import type { LeaseKeeper } from "./leases.ts";
import { commandFor } from "../../../src/app/answer/answer.ts";
import type { AnswerTools } from "../../../src/app/answer/answer-table.ts";
import { personCommand, type RunCommand } from "../../../src/app/answer/command-run.ts";
import { ChoicesNeeded } from "../../../src/app/choice.ts";
import { lazily } from "../../../src/compose/project.ts";
import type { PersonCommand } from "../../../src/core/command.ts";

type AnswerContext = {
  readonly by: Person;
  readonly access: RunAccess;
  readonly request: AnswerRequest;
  /** Verified signature with the user's passkey. */
  readonly signature?: PasskeySignature | undefined;
};

/**
 * Records a user's decision, and queues the run in the same transaction if it can continue. Returns the number of the
 * event before the decision.
 */
export async function answerRun(server: TeamServer, run: RunId, answering: AnswerContext): Promise<number> {
  const { by, access, request, signature } = answering;
  const { journal, pool, metrics } = server;
  if (request.option === "cancel" && (await isCancelledUnbegun(server, run, answering))) return 0;
  const { state, head } = await journal.load(run);
  if (state.is === "none") throw await whyNotBegun(server, run);
  if (state.is === "ended")
    throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "runEnded", how: state.how } });
  await needPolicy(pool, access, { run: state, by: { person: by.name, option: request.option } });
  if (signature === undefined) await needSignature(pool, access.repository, request);
  const command = { ...(await buildCommand(state, request, by)), ...(signature === undefined ? {} : { signature }) };
  const wake = async (client: ClientBase, before: RunState, { state: now }: RecordedDecision): Promise<void> => {
    if (next(before).is === "action" || next(now).is !== "action") return;
    await queueRun(client, run);
  };
  const sent = { by: { kind: "person", id: by.name }, also: wake } as const;
  const done = await counted(metrics, "person", () => journal.submitAs(run, command, sent));
  if (!done.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: done.refusal });
  return head.seq;
}

/**
 * Returns true if the run had not started, and now never will. If a worker started it in the meantime, the started run
 * is cancelled instead.
 */
async function isCancelledUnbegun(server: TeamServer, run: RunId, answering: AnswerContext): Promise<boolean> {
  const { by, access, request, signature } = answering;
  const { state } = await server.journal.load(run);
  if (state.is !== "none") return false;
  if (signature === undefined) await needSignature(server.pool, access.repository, request);
  return cancelAsked(server, run, { person: by.name, reason: request.text });
}

type CancelRequest = { readonly person: string; readonly reason: string };

const MAX_REASON = 300; // characters

/**
 * Ends a requested run before a worker starts it. A worker that is about to start it is fenced. Returns false if the
 * run has started or ended. @throws ProblemError COMMAND_REFUSED without a reason
 */
export async function cancelAsked(
  { pool }: Pick<LeaseKeeper, "pool">,
  run: RunId,
  { person, reason }: CancelRequest,
): Promise<boolean> {
  if (reason.trim() === "") throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "reasonMissing" } });
  const why = `${person} cancelled it before a worker started it: ${plainLine(reason, MAX_REASON)}`;
  const { rowCount } = await pool.query(
    `update isdlc.run set rests = 'ended', cancelled_by = $2, refused = $3, worker = null, epoch = epoch + 1
     where run = $1 and head_seq = 0 and rests = 'action'`,
    [run, person, why],
  );
  return rowCount === 1;
}

/** Returns the reason why a run without a journal accepts no answer. */
async function whyNotBegun({ pool }: Pick<LeaseKeeper, "pool">, run: RunId): Promise<ProblemError> {
  const { rows } = await pool.query<{ refused: string | null; cancelled_by: string | null }>(
    "select refused, cancelled_by from isdlc.run where run = $1",
    [run],
  );
  const { refused = null, cancelled_by: by = null } = rows[0] ?? {};
  if (by !== null) return new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "runEnded", how: "cancelled" } });
  if (refused !== null) return new ProblemError({ code: "TEAM_RUN_REFUSED", run, detail: refused });
  return new ProblemError({ code: "NO_RUN", elsewhere: [] });
}

/**
 * Builds the command for a user's answer, from the same table as all interfaces. @throws ProblemError if the answer is
 * not open or not offered, or would need the working tree
 */
async function buildCommand(run: ActiveRun, request: AnswerRequest, by: Person): Promise<PersonCommand> {
  const { wait, shown, option, text, comments, replies, isConfirmed } = request;
  const elsewhere = (): never => {
    throw new ProblemError({ code: "NOT_FOR_TEAM_RUNS", option });
  };
  if (wait === null && isOfTheRun(option)) return ofTheRun(run, { ...request, option }, by);
  if (wait === null)
    throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open: run.wait?.id ?? null } });
  const tools: AnswerTools = lazily({ workspace: elsewhere }, { checks: elsewhere });
  try {
    const { command } = await commandFor(tools, run, { by, wait, shown, option, text, comments, replies, isConfirmed });
    return command;
  } catch (error) {
    throw error instanceof ChoicesNeeded ? unconfirmed(option, error) : error;
  }
}

/** Interfaces ask for confirmation first. */
const unconfirmed = (option: string, { message: detail }: ChoicesNeeded): ProblemError =>
  new ProblemError({ code: "USAGE", detail, usage: `isdlc answer ${option} --yes` });

type OfTheRun = RunCommand["do"];
const OF_THE_RUN: readonly string[] = ["cancel", "retry", "skip", "back"] satisfies OfTheRun[];
const isOfTheRun = (option: string): option is OfTheRun => OF_THE_RUN.includes(option);

/** Builds commands about the run itself, independent of any open wait. */
function ofTheRun(run: ActiveRun, request: AnswerRequest & { option: OfTheRun }, by: Person): PersonCommand {
  const { option, text, comments, tree, phase } = request;
  switch (option) {
    case "cancel":
      return personCommand(run, { do: "cancel", by, reason: text, tree: "keep" });
    case "back":
      return personCommand(run, { do: "back", by, to: phase, tree: tree ?? "restore", guidance: text, comments });
    case "retry":
    case "skip":
      return personCommand(run, { do: option, by });
    default:
      return option satisfies never;
  }
}
