import { answer as answerRun, type AnswerResult, shownDigest } from "../../../app/answer/answer.ts";
import { commandRun, type RunCommand } from "../../../app/answer/command-run.ts";
import type { RecordResult } from "../../../app/project/current-run.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { listWaitOptions } from "../../../core/next.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ActiveRun, Wait } from "../../../core/run.ts";
import type { Reply } from "../../../schema/agent.ts";
import type { Person } from "../../../schema/people.ts";
import { revertedLines, reviewInstructions } from "../../../views/gate-banner.ts";
import { waitLines, waitPlace } from "../../../views/status.ts";
import { summaryText } from "../../../views/summary.ts";
import { flag, type Invocation, otherLimits, type Result, type Run, text } from "../invocation/verb.ts";
import { identifyPerson } from "../invocation/caller.ts";
import { openRun } from "../invocation/project-of.ts";
import { continueRun, restResult } from "../terminal/continue-run.ts";
import { leftLines } from "../../../views/finish-lines.ts";
import { askWhatIsLeft } from "../terminal/ask-choice.ts";
import { readComments } from "./read-comments.ts";
import { documentText } from "../terminal/show-changes.ts";

export const answer: Run = (invocation) => {
  const option =
    invocation.words[0] ?? ((text(invocation.values, "text") ?? text(invocation.values, "reply")) ? "answer" : "");
  return give(invocation, option);
};

/** The short forms, where the command is the option. */
export const shortAnswer: Run = (invocation) => give(invocation, invocation.verb.name);

export const cancel: Run = async (invocation) => {
  const { project, run } = await openRun(invocation);
  const by = await identifyPerson(invocation, project, run);
  const reason = text(invocation.values, "reason") ?? "";
  const tree = reason.trim() === "" ? "keep" : await whatIsLeft(invocation, project, run);
  const { state, warnings, left } = await commandRun(project, run, { do: "cancel", by, reason, tree });
  for (const warning of warnings) invocation.io.err(`warning: ${warning}`);
  const result = restResult(state, warnings);
  const lines = left === null ? result.lines : [...result.lines, ...leftLines(left)];
  return { ...result, lines, json: { ...result.json, left } };
};

/** Decides about uncommitted changes of the agent. Without an option or a terminal, they stay. */
async function whatIsLeft(
  { values, io }: Invocation,
  project: LocalProject,
  run: ActiveRun,
): Promise<"keep" | "restore"> {
  if (flag(values, "restore-tree")) return "restore";
  return flag(values, "keep-tree") || !io.interactive ? "keep" : askWhatIsLeft(io, project, run);
}

/** Answers an escalation, if one is open or `--wait` is given. Otherwise restarts or skips the current phase. */
export const retryOrSkip: Run = async (invocation) => {
  const { project, run } = await openRun(invocation);
  if (run.wait?.kind === "escalation" || text(invocation.values, "wait") !== undefined) return shortAnswer(invocation);
  refuseLimits(invocation);
  return command(invocation, { project, run }, (by) => ({
    do: invocation.verb.name === "retry" ? "retry" : "skip",
    by,
  }));
};

/** Limits can only be changed for a failed step. */
function refuseLimits({ values, verb }: Invocation): void {
  if (otherLimits(values) === undefined) return;
  throw new ProblemError({ code: "USAGE", detail: "Other limits are for a step that failed.", usage: verb.usage });
}

/** Returns to an earlier phase, or to the start of the current one. */
export const goBack: Run = async (invocation) => {
  const { values, verb, words } = invocation;
  const to = words[0] ?? (verb.name === "back" ? "" : undefined);
  const guidance = (text(values, "text") ?? words.slice(1).join(" ")).trim();
  const keeps = flag(values, "keep-tree") || (guidance !== "" && !flag(values, "restore-tree"));
  const given = { to, tree: keeps ? "keep" : "restore", ...(guidance === "" ? {} : { guidance }) } as const;
  return command(invocation, await openRun(invocation), (by) => ({ do: "back", by, ...given }));
};

type OpenRun = { readonly project: LocalProject; readonly run: ActiveRun };

async function command(
  invocation: Invocation,
  { project, run }: OpenRun,
  commandBy: (by: Person) => RunCommand,
): Promise<Result> {
  const done = await commandRun(project, run, commandBy(await identifyPerson(invocation, project, run)));
  for (const warning of done.warnings) invocation.io.err(`warning: ${warning}`);
  return isRecordOnly(invocation) ? recorded(project, done, invocation.verb.name) : continueRun(invocation, project);
}

async function give(invocation: Invocation, option: string): Promise<Result> {
  const { values } = invocation;
  const { project, run } = await openRun(invocation);
  const by = await identifyPerson(invocation, project, run);
  if (option === "" && run.wait?.kind === "questions") refuseNothing(invocation, run, run.wait);
  const done = await answerRun(project, run, {
    by,
    option,
    wait: text(values, "wait"),
    // Without a digest, the answer applies to the current output of `isdlc gate`.
    shown: text(values, "shown") ?? shownDigest(run),
    comments:
      option === "redo" && text(values, "comments") !== undefined
        ? readComments(invocation, project.journal.events(run.run.run))
        : [],
    text: TAKES_GUIDANCE.has(option) ? readGuidance(invocation) : text(values, "text"),
    replies: readReplies(invocation, run.wait),
    limits: otherLimits(values),
    isConfirmed: flag(values, "yes"),
  });
  tellDone(invocation, done);
  if (done.option !== "review" && !isRecordOnly(invocation)) return continueRun(invocation, project);
  return done.option === "review"
    ? paused(invocation, run, restResult(done.state, done.warnings))
    : recorded(project, done, done.option);
}

function tellDone({ io }: Invocation, { reverted, left, warnings }: AnswerResult): void {
  for (const line of reverted === null ? [] : revertedLines(reverted)) io.err(line);
  for (const line of left === null ? [] : leftLines(left)) io.err(line);
  for (const warning of warnings) io.err(`warning: ${warning}`);
}

/** Options whose words are guidance for the agent. */
const TAKES_GUIDANCE: ReadonlySet<string> = new Set(["redo", "back", "retry"]);

export const isRecordOnly = ({ values }: Invocation): boolean => flag(values, "record-only") || flag(values, "no-run");

/** Refuses an empty answer to questions, and prints the questions and the ways to answer. */
function refuseNothing({ verb }: Invocation, run: ActiveRun, wait: Wait): never {
  const lines = waitLines(wait, listWaitOptions(run, wait), waitPlace(run)).map((line) => line.trim());
  throw new ProblemError({ code: "USAGE", detail: `Give an answer. ${lines.join(" ")}`, usage: verb.usage });
}

function recorded(project: LocalProject, { state, warnings }: RecordResult, option: string): Result {
  return {
    code: 0,
    lines: [`Recorded: ${option}.`, "To continue: isdlc resume"],
    get json() {
      return { ...restResult(state, warnings, project.driver.holder()).json, ok: true };
    },
  };
}

/** `redo "<guidance>"`, `answer redo "<guidance>"` or `--text`. */
function readGuidance({ values, words, verb }: Invocation): string {
  return text(values, "text") ?? (verb.name === "answer" ? words.slice(1) : words).join(" ");
}

/** `--reply id=text` for each question, or `--text` for a single one; an empty text dismisses a question. */
export function readReplies({ values, words }: Invocation, wait: Wait | null): Reply[] {
  const questions = wait?.kind === "questions" ? wait.questions : [];
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

function paused({ io }: Invocation, run: ActiveRun, result: Result): Result {
  return { ...result, lines: [documentText(io, summaryText(run)), reviewInstructions, "", "Go on: isdlc continue"] };
}
