import { answer } from "../../app/answer/answer.ts";
import { type CommandResult, commandRun, type RunCommand } from "../../app/answer/command-run.ts";
import type { RecordResult } from "../../app/project/current-run.ts";
import { ProblemError } from "../../core/problem.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { Person } from "../../schema/people.ts";
import type { FoundRun } from "./repository.ts";
import { leftLines } from "../../views/finish-lines.ts";

/** The user who decides, and their passkey's signature, if any. */
export type Answerer = { readonly by: Person; readonly signature: PasskeySignature | undefined };

/**
 * Records a user's decision.
 * @throws ProblemError if the wait is not open, the option is not offered, or the user saw another summary.
 */
export async function decideAnswer(
  { run, project }: FoundRun,
  request: AnswerRequest,
  answerer: Answerer,
): Promise<RecordResult> {
  if (run.is !== "active")
    throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "runEnded", how: run.how } });
  const command = ofRun(request, answerer);
  if (command !== null) return toldWhatIsLeft(await commandRun(project, run, command));
  if (request.wait === null)
    throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open: run.wait?.id ?? null } });
  const { wait, shown, option, text, comments, replies, isConfirmed } = request;
  return answer(project, run, { ...answerer, wait, shown, option, text, comments, replies, isConfirmed });
}

/** Reports files of a cancelled run as warnings: their paths in the working tree, or the place of their backup. */
const toldWhatIsLeft = ({ left, ...recorded }: CommandResult): RecordResult => ({
  ...recorded,
  warnings: [...recorded.warnings, ...(left === null ? [] : leftLines(left))],
});

/** Returns the command for an action on the run itself, or null for an answer to a wait. */
function ofRun({ wait, option, text, phase, tree, comments }: AnswerRequest, answerer: Answerer): RunCommand | null {
  switch (option) {
    case "cancel":
      return { do: "cancel", ...answerer, reason: text, tree: tree ?? "keep" };
    case "back":
      return phase === undefined
        ? null
        : { do: "back", ...answerer, to: phase, tree: tree ?? "restore", guidance: text, comments };
    case "retry":
    case "skip":
      return wait === null ? { do: option, ...answerer } : null;
    default:
      return null;
  }
}
