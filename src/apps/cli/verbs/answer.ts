import { createCheckRunner } from "../../../adapters/checks/create-check-runner.ts";
import type { PersonCommand } from "../../../core/command.ts";
import { optionsOf } from "../../../core/next.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type ActiveRun, currentPhase, type Wait } from "../../../core/run.ts";
import { phaseNumber } from "../../../schema/ids.ts";
import type { Person } from "../../../schema/people.ts";
import type { Finish } from "../../../schema/plan.ts";
import { reviewInstructions, revertedLines } from "../../../views/gate-banner.ts";
import { itemOf, waitLines } from "../../../views/status.ts";
import { authorize, refuseWhileHeld } from "../authorize.ts";
import { ChoiceNeeded } from "../grammar/choice.ts";
import { sha256 } from "../compose.ts";
import { continueRun, restResult } from "../continue-run.ts";
import { reapOrphans } from "../reap-orphans.ts";
import { summaryText } from "../terminal/gate-prompt.ts";
import { driverOf, type Project } from "../project.ts";
import { otherLimits } from "../limits.ts";
import { raisedBudget } from "../raised-budget.ts";
import { revertWrites } from "../revert-writes.ts";
import { type Recorded, submitAnswer } from "../submit-answer.ts";
import { flag, type Invocation, type Result, type Run, text } from "../grammar/verb.ts";
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
  const by = authorize(invocation, project);
  const reason = text(invocation.values, "reason") ?? "";
  const { state, warnings } = await submitAnswer(project, run.run.run, { do: "cancel", by, reason });
  const all = [...warnings, ...(await endAgent(run))];
  for (const warning of all) invocation.io.err(`warning: ${warning}`);
  return restResult(state, all);
};

/** Answers an escalation; without one, starts the phase at hand anew or leaves it out. */
export const retryOrSkip: Run = async (invocation) => {
  const { project, run } = openRun(invocation);
  if (run.wait?.kind === "escalation" || text(invocation.values, "wait") !== undefined) return shortAnswer(invocation);
  refuseLimits(invocation);
  const by = authorize(invocation, project);
  if (run.wait !== null) refuseWhileHeld(project, by);
  return submitAndGoOn(invocation, project, { do: invocation.verb.name === "retry" ? "restart" : "pass", by });
};

/** Where no step has failed there is none to allow more. */
function refuseLimits({ values, verb }: Invocation): void {
  if (otherLimits(values) === undefined) return;
  throw new ProblemError({ code: "USAGE", detail: "Other limits are for a step that failed.", usage: verb.usage });
}

/** To an earlier phase, or to the beginning of the one at hand. */
export const goBack: Run = async (invocation) => {
  const { project, run } = openRun(invocation);
  const by = authorize(invocation, project);
  if (run.wait !== null) refuseWhileHeld(project, by);
  const named =
    invocation.words[0] ?? (invocation.verb.name === "fresh" ? currentPhase(run)?.rule.key : undefined) ?? "";
  const to = run.phases.find(({ rule }) => rule.key === named || phaseNumber(rule.key) === named)?.rule.key ?? named;
  const tree = flag(invocation.values, "keep-tree") ? "keep" : "restore";
  return submitAndGoOn(invocation, project, { do: "back", to, tree, by });
};

async function submitAndGoOn(invocation: Invocation, project: Project, command: PersonCommand): Promise<Result> {
  const { run } = openRun(invocation);
  const done = await submitAnswer(project, run.run.run, command);
  return flag(invocation.values, "no-run")
    ? recorded(project, done, invocation.verb.name)
    : continueRun(invocation, project);
}

/** A living driver ends its agent itself; one that was killed has left it behind. */
async function endAgent(run: ActiveRun): Promise<string[]> {
  try {
    await reapOrphans(run);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

async function give(invocation: Invocation, option: string): Promise<Result> {
  const { project, run } = openRun(invocation);
  const by = authorize(invocation, project);
  const wait = waitFor(invocation, run);
  refuseWhileHeld(project, by);
  if (option === "" && wait.kind === "questions") refuseNothing(invocation, run, wait);
  refuseUnoffered(run, wait, option);
  const command = await commandFor(invocation, { project, run }, { by, wait, option });
  const done = await submitAnswer(project, run.run.run, command);
  if (command.do !== "review" && !flag(invocation.values, "no-run")) return continueRun(invocation, project);
  for (const warning of done.warnings) invocation.io.err(`warning: ${warning}`);
  return command.do === "review" ? paused(run, restResult(done.state, done.warnings)) : recorded(project, done, option);
}

/** The one option that questions have says nothing about them: tells what is asked and how it can be answered. */
function refuseNothing({ verb }: Invocation, run: ActiveRun, wait: Wait): never {
  const lines = waitLines(wait, optionsOf(run, wait), itemOf(run)).map((line) => line.trim());
  throw new ProblemError({ code: "USAGE", detail: `Say what you answer. ${lines.join(" ")}`, usage: verb.usage });
}

/** At a gate the core says more precisely why not. */
function refuseUnoffered(run: ActiveRun, wait: Wait, option: string): void {
  const valid = optionsOf(run, wait);
  if (wait.kind === "gate" || valid.includes(option)) return;
  throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOffered", valid } });
}

function recorded(project: Project, { state, warnings }: Recorded, option: string): Result {
  const { json } = restResult(state, warnings, driverOf(project));
  return { code: 0, lines: [`Recorded: ${option}.`, "Go on: isdlc resume"], json: { ...json, ok: true } };
}

/** The wait that is answered: the named one, which must be the open one, or the open one. */
function waitFor({ values }: Invocation, run: ActiveRun): Wait {
  const named = text(values, "wait");
  if (run.wait !== null && (named === undefined || named === run.wait.id)) return run.wait;
  throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOpen", open: run.wait?.id ?? null } });
}

type OpenRun = { readonly project: Project; readonly run: ActiveRun };

async function commandFor(invocation: Invocation, { project, run }: OpenRun, said: Said): Promise<PersonCommand> {
  const { by, wait, option } = said;
  if (option === "accept" && wait.kind === "escalation") {
    const checks = createCheckRunner(project.root, { env: project.env, redact: (line) => line });
    return { do: "acceptTests", by, wait: wait.id, tests: await checks.detectTests() };
  }
  if (option === "take-out" && optionsOf(run, wait).includes(option)) {
    const taken = await revertWrites(project, run);
    for (const line of revertedLines(taken)) invocation.io.err(line);
    return { do: "revert", by, wait: wait.id, ...taken };
  }
  const make = Object.hasOwn(commands, option) ? commands[option as keyof typeof commands] : undefined;
  if (make !== undefined) return make(invocation, said, wait.kind === "gate" ? sha256(summaryText(run)) : "");
  throw new ProblemError({ code: "COMMAND_REFUSED", refusal: { why: "notOffered", valid: optionsOf(run, wait) } });
}

type MakeCommand = (invocation: Invocation, said: Said, shown: string) => PersonCommand;

const finish =
  (how: Finish): MakeCommand =>
  (_invocation, { by, wait }) => ({ do: "finish", by, wait: wait.id, how });

/** Giving work up is said twice: by the option, and by --yes. */
function discardWork({ values }: Invocation, { by, wait }: Said): PersonCommand {
  if (flag(values, "yes")) return { do: "finish", by, wait: wait.id, how: "discard" };
  const about = ["Discarding gives the work up: its branch goes, and a ref keeps it."];
  throw new ChoiceNeeded({ kind: "confirm", options: ["yes"], flag: "--yes", about });
}

function raiseBudget({ values, verb }: Invocation, { by, wait }: Said): PersonCommand {
  const budget = raisedBudget(wait, text(values, "text") ?? "");
  if (budget !== null) return { do: "raise", by, wait: wait.id, budget };
  throw new ProblemError({ code: "USAGE", detail: "--text takes an amount in dollars.", usage: verb.usage });
}

function retryStep({ values }: Invocation, { by, wait }: Said): PersonCommand {
  const limits = otherLimits(values);
  return { do: "retry", by, wait: wait.id, ...(limits === undefined ? {} : { limits }) };
}

const size =
  (choice: "accept" | "light" | "standard"): MakeCommand =>
  (_invocation, { by, wait }) => ({ do: "size", by, wait: wait.id, choice });

const commands = {
  continue: (_invocation, { by, wait }, shown) => ({ do: "continue", by, wait: wait.id, shown }),
  review: (_invocation, { by, wait }, shown) => ({ do: "review", by, wait: wait.id, shown }),
  redo: (invocation, { by, wait }, shown) => ({
    do: "redo",
    by,
    wait: wait.id,
    shown,
    guidance: guidanceOf(invocation),
  }),
  loosen: (_invocation, { by, wait }) => ({ do: "loosen", by, wait: wait.id }),
  retry: retryStep,
  skip: (_invocation, { by, wait }) => ({ do: "skip", by, wait: wait.id }),
  accept: size("accept"),
  light: size("light"),
  standard: size("standard"),
  merge: finish("merge"),
  pr: finish("pr"),
  keep: finish("keep"),
  discard: discardWork,
  raise: raiseBudget,
  answer: (invocation, { by, wait }) => ({ do: "reply", by, wait: wait.id, replies: repliesOf(invocation, wait) }),
  cancel: ({ values }, { by }) => ({ do: "cancel", by, reason: text(values, "text") ?? "" }),
} satisfies Record<string, MakeCommand>;

/** `redo "<guidance>"`, `answer redo "<guidance>"` or `--text`. */
function guidanceOf({ values, words, verb }: Invocation): string {
  return text(values, "text") ?? (verb.name === "answer" ? words.slice(1) : words).join(" ");
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
