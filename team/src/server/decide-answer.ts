import { commandFor } from "../../../src/app/answer/answer.ts";
import type { AnswerTools } from "../../../src/app/answer/answer-table.ts";
import { lazily } from "../../../src/compose/lazily.ts";
import type { PersonCommand } from "../../../src/core/command.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { AnswerRequest } from "../../../src/schema/api.ts";
import type { Person } from "../../../src/schema/people.ts";

/** What a worker could not carry out for everybody: the base branch is the remote's. */
const AT_THE_REMOTE: ReadonlySet<string> = new Set(["merge", "pr", "discard"]);

/**
 * The command that a person's answer comes to, from the same table as everywhere.
 * @throws ProblemError where it is not open or not offered, or would need the working tree now.
 */
export async function commandOf(run: ActiveRun, request: AnswerRequest, by: Person): Promise<PersonCommand> {
  const { wait, shown, option, text, comments, replies, isConfirmed } = request;
  const elsewhere = (): never => {
    throw new ProblemError({ code: "NOT_FOR_TEAM_RUNS", option });
  };
  if (AT_THE_REMOTE.has(option)) elsewhere();
  if (wait === null)
    throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open: run.wait?.id ?? null } });
  const tools: AnswerTools = lazily({ workspace: elsewhere }, { checks: elsewhere });
  const { command } = await commandFor(tools, run, { by, wait, shown, option, text, comments, replies, isConfirmed });
  return command;
}
