import type { ClientBase } from "pg";
import { next } from "../../../src/core/next.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { RunState } from "../../../src/core/run.ts";
import type { AnswerRequest } from "../../../src/schema/api.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { PasskeySignature } from "../../../src/schema/passkey.ts";
import type { Person } from "../../../src/schema/people.ts";
import type { RecordedDecision } from "../journal-postgres/submit-decision.ts";
import { counted } from "../operations/metrics.ts";
import { needPolicy, needSignature } from "../people/answer-policy.ts";
import type { RunAccess } from "../people/roles.ts";
import { cancelAsked, whyNotBegun } from "./cancel-asked.ts";
import { buildCommand } from "./decide-answer.ts";
import { queueRun } from "./drive-queue.ts";
import type { TeamServer } from "./team-server.ts";

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
