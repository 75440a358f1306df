import { createCheckRunner } from "../../../adapters/checks/create-check-runner.ts";
import type { PersonCommand } from "../../../core/command.ts";
import { optionsOf } from "../../../core/next.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ActiveRun, Wait } from "../../../core/run.ts";
import type { Person } from "../../../schema/people.ts";
import type { Finish } from "../../../schema/plan.ts";
import { reviewInstructions } from "../../../views/gate-banner.ts";
import { decider, refuseWhileHeld } from "../authority.ts";
import { sha256 } from "../compose.ts";
import { goOn, restResult } from "../driving.ts";
import { summaryText } from "../gate-prompt.ts";
import type { Project } from "../project.ts";
import { submitAnswer } from "../submit-answer.ts";
import { flag, type Invocation, type Result, type Run, text } from "../verb.ts";
import { openRun } from "./look.ts";

type Said = { readonly by: Person; readonly wait: Wait; readonly option: string };

export const answer: Run = (invocation) => {
  const option =
    invocation.words[0] ?? ((text(invocation.values, "text") ?? text(invocation.values, "reply")) ? "answer" : "");
  return give(invocation, option);
};

/** The short forms: the verb is the option. */
export const shortAnswer: Run = (invocation) => give(invocation, invocation.verb.name);

export const cancel: Run = async (invocation) => {
  const { project, run } = openRun(invocation);
  const by = decider(invocation, project);
  const state = await submitAnswer(project, run.run.run, {
    do: "cancel",
    by,
    reason: text(invocation.values, "reason") ?? "",
  });
  return restResult(state, []);
};

async function give(invocation: Invocation, option: string): Promise<Result> {
  const { project, run } = openRun(invocation);
  const by = decider(invocation, project);
  const wait = waitFor(invocation, run);
  refuseWhileHeld(project, by);
  const command = await commandFor(invocation, { project, run }, { by, wait, option });
  const state = await submitAnswer(project, run.run.run, command);
  if (command.do === "review") return paused(run, restResult(state, []));
  return flag(invocation.values, "no-run") ? restResult(state, []) : goOn(invocation, project);
}

/** The wait that is answered: the named one, which must be the open one, or the open one. */
function waitFor({ values }: Invocation, run: ActiveRun): Wait {
  const named = text(values, "wait");
  if (run.wait !== null && (named === undefined || named === run.wait.id)) return run.wait;
  throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open: run.wait?.id ?? null } });
}

type Place = { readonly project: Project; readonly run: ActiveRun };

async function commandFor(
  invocation: Invocation,
  { project, run }: Place,
  { by, wait, option }: Said,
): Promise<PersonCommand> {
  const shown = wait.kind === "gate" ? sha256(summaryText(run)) : "";
  const { values, words } = invocation;
  switch (option) {
    case "continue":
    case "review":
      return { do: option, by, wait: wait.id, shown };
    case "redo":
      return { do: "redo", by, wait: wait.id, shown, guidance: text(values, "text") ?? words.join(" ") };
    case "loosen":
    case "retry":
    case "skip":
      return { do: option, by, wait: wait.id };
    case "accept": {
      const checks = createCheckRunner(project.root, { env: project.env, redact: (line) => line });
      return { do: "acceptTests", by, wait: wait.id, tests: await checks.detectTests() };
    }
    case "merge":
    case "pr":
    case "keep":
      return { do: "finish", by, wait: wait.id, how: option satisfies Finish };
    case "answer":
      return { do: "reply", by, wait: wait.id, replies: repliesOf(invocation, wait) };
    case "cancel":
      return { do: "cancel", by, reason: text(values, "text") ?? "" };
    default:
      throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOffered", valid: optionsOf(run, wait) } });
  }
}

/** `--reply id=text` for each, or `--text` for the only one; an empty text dismisses a question. */
function repliesOf({ values, words }: Invocation, wait: Wait): { id: string; text: string | null }[] {
  const questions = wait.kind === "questions" ? wait.questions : [];
  const only = text(values, "text") ?? (words.length > 1 ? words.slice(1).join(" ") : undefined);
  if (only !== undefined && questions.length === 1)
    return [{ id: questions[0]?.id ?? "", text: only === "" ? null : only }];
  return (text(values, "reply") ?? "").split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    if (at === -1) return [];
    const given = line.slice(at + 1);
    return [{ id: line.slice(0, at), text: given === "" ? null : given }];
  });
}

function paused(run: ActiveRun, result: Result): Result {
  return { ...result, lines: [summaryText(run), reviewInstructions, "", "Go on: isdlc continue"] };
}
