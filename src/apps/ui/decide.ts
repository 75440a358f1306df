import { answer } from "../../app/answer/answer.ts";
import { type CommandResult, commandRun, type RunCommand } from "../../app/answer/command-run.ts";
import type { RecordResult } from "../../app/project/current-run.ts";
import { ProblemError } from "../../core/problem.ts";
import type { AnswerRequest } from "../../schema/api.ts";
import type { PasskeySignature } from "../../schema/passkey.ts";
import type { Person } from "../../schema/people.ts";
import { leftLines } from "../../views/left-lines.ts";
import type { FoundRun } from "./repository.ts";

/** Who decides, and what their passkey signed where it did. */
export type Answerer = { readonly by: Person; readonly signature: PasskeySignature | undefined };

/** Records what a person decided. @throws ProblemError when it is not open, not offered, or not what they were shown. */
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

/** What a cancelled run left in the tree, or where it is kept, is told with the answer. */
const toldWhatIsLeft = ({ left, ...recorded }: CommandResult): RecordResult => ({
  ...recorded,
  warnings: [...recorded.warnings, ...(left === null ? [] : leftLines(left))],
});

/** What may be said of a run whatever it waits for; null for an answer to a wait. */
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
