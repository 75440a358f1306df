import { commandFor } from "../../../src/app/answer/answer.ts";
import type { AnswerTools } from "../../../src/app/answer/answer-table.ts";
import { personCommand, type RunCommand } from "../../../src/app/answer/command-run.ts";
import { ChoicesNeeded } from "../../../src/app/choice.ts";
import { lazily } from "../../../src/compose/project.ts";
import type { PersonCommand } from "../../../src/core/command.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { ActiveRun } from "../../../src/core/run.ts";
import type { AnswerRequest } from "../../../src/schema/api.ts";
import type { Person } from "../../../src/schema/people.ts";

/**
 * Builds the command for a user's answer, from the same table as all interfaces. @throws ProblemError if the answer is
 * not open or not offered, or would need the working tree
 */
export async function buildCommand(run: ActiveRun, request: AnswerRequest, by: Person): Promise<PersonCommand> {
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
