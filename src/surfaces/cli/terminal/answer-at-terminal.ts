import { answer, type AnswerResult, shownDigest } from "../../../app/answer/answer.ts";
import type { AnswerRequest } from "../../../app/answer/answer-table.ts";
import type { OpenWait } from "../../../app/drive/drive-run.ts";
import { shownChanges } from "../../../engine/shown-changes.ts";
import { listWaitOptions } from "../../../core/next.ts";
import { currentPhase, type Wait } from "../../../core/run.ts";
import type { Question } from "../../../schema/agent.ts";
import type { Person } from "../../../schema/people.ts";
import { menuLabel } from "../../../views/answer-options.ts";
import { revertedLines } from "../../../views/gate-banner.ts";
import { plainLine, plainText } from "../../../views/plain-text.ts";
import { heldAgainst, leftLines } from "../../../views/finish-lines.ts";
import { runPhases } from "../../../views/phase-names.ts";
import { waitAsker, waitLines, waitPlace } from "../../../views/status.ts";
import { fitLine } from "../../../views/wrap-lines.ts";
import type { Invocation } from "../invocation/verb.ts";
import { forgetTypedAhead } from "./ask.ts";
import { answerGate, hasSeen } from "./gate-prompt.ts";
import { askText } from "./ask-text.ts";
import { showChanges, type Viewer, documentText } from "./show-changes.ts";
import { formatCount } from "../../../core/duration.ts";
import { changesText, type ShownChanges } from "../../../views/changes-text.ts";
import { askWhatIsLeft } from "./ask-choice.ts";

export type TerminalAnswer = Pick<AnswerRequest, "option" | "text" | "replies" | "isConfirmed" | "tree">;

/** Asks the user at this terminal for the answer to the open wait. False if the user leaves it open. */
export async function answerAtTerminal(invocation: Invocation, open: OpenWait, by: Person): Promise<boolean> {
  const { wait } = open.run;
  if (wait === null) return false;
  const watching = new AbortController();
  const elsewhere = answeredElsewhere(open, wait, watching.signal);
  const signal = AbortSignal.any([open.signal, elsewhere]);
  await forgetTypedAhead();
  try {
    const said = await askFor(invocation, { ...open, signal }, wait);
    if (elsewhere.aborted) invocation.io.out("Answered elsewhere.");
    else if (said === null) return false;
    else await give(invocation, open, { by, wait: wait.id, shown: shownDigest(open.run), ...said });
    return true;
  } finally {
    watching.abort();
  }
}

async function give(invocation: Invocation, { project, run }: OpenWait, said: AnswerRequest): Promise<void> {
  tell(invocation, await answer(project, run, said));
  if (said.replies !== undefined) project.trust.keepReplies("", []);
}

function tell({ io }: Invocation, { reverted, left, warnings }: AnswerResult): void {
  for (const line of left === null ? [] : leftLines(left)) io.out(line);
  for (const line of reverted === null ? [] : revertedLines(reverted)) io.out(line);
  for (const warning of warnings) io.err(`warning: ${warning}`);
}

/** Aborts when the wait was answered elsewhere, for example with a token, or the journal is unreadable. */
function answeredElsewhere({ engine }: OpenWait, wait: Wait, done: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const watch = async (): Promise<void> => {
    while (!done.aborted && !gone.signal.aborted) {
      await engine.journal.changed(engine.run, done);
      const { state } = await engine.journal.load(engine.run);
      if (state.is !== "active" || state.wait?.id !== wait.id) gone.abort();
    }
  };
  void watch().catch(() => gone.abort());
  return gone.signal;
}

async function askFor(invocation: Invocation, open: OpenWait, wait: Wait): Promise<TerminalAnswer | null> {
  switch (wait.kind) {
    case "gate":
      return answerGate(invocation, open);
    case "questions":
      return askQuestions(invocation, open, wait);
    case "escalation":
    case "sizing":
    case "budget":
    case "finish":
      return choose(invocation, open, wait);
    default:
      return wait satisfies never;
  }
}

type Questions = Extract<Wait, { kind: "questions" }>;

/** Asks each question. Replies given before the user cancels are saved, and those questions are not asked again. */
async function askQuestions(viewer: Viewer, open: OpenWait, wait: Questions): Promise<TerminalAnswer | null> {
  const { io } = viewer;
  const { trust } = open.project;
  const count = wait.questions.length;
  const name = `${open.run.run.run}/${wait.id}`;
  io.out(`${waitAsker(wait, runPhases(open.run))} asks${count === 1 ? "" : ` ${count} questions`}:`);
  const replies = [...trust.keptReplies(name)];
  for (const question of wait.questions) {
    const kept = replies.find(({ id }) => id === question.id);
    if (kept !== undefined) {
      io.out(`${plainText(question.text)}\n  You replied: ${plainLine(kept.text ?? "(left to the agent)")}`);
      continue;
    }
    const reply = await askQuestion(viewer, question, open.signal);
    if (reply === null) return leftOff(io, replies.length);
    replies.push({ id: question.id, text: reply.trim() === "" ? null : reply });
    trust.keepReplies(name, replies);
  }
  return { option: "answer", replies };
}

function leftOff({ out }: Invocation["io"], count: number): null {
  if (count > 0) out(`${formatCount(count, "reply", "replies")} kept; "isdlc" asks only what is left.`);
  return null;
}

/**
 * Null if the user cancels; an empty reply leaves the question to the agent. The user may give an answer other than
 * the offered choices.
 */
async function askQuestion(
  viewer: Viewer,
  { text: asked, choices }: Question,
  signal: AbortSignal,
): Promise<string | null> {
  const { isCancel, select } = await import("@clack/prompts");
  const message = plainText(asked);
  const inWords = { message, placeholder: "empty: leave it to the agent; Ctrl-G opens your editor", signal };
  for (;;) {
    if (choices.length > 0) {
      const offered = choices.map((choice, at) => ({ value: at, label: plainText(choice) }));
      const own = { value: -1, label: "Something else, in your own words (empty: leave it to the agent)" };
      const chosen = await select({ message, options: [...offered, own], signal });
      if (isCancel(chosen)) return null;
      if (chosen !== own.value) return choices[chosen] ?? "";
    }
    const reply = await askText(viewer, inWords);
    if (reply !== null) return reply;
    if (choices.length === 0 || signal.aborted) return null;
  }
}

/** Menu entries that show something before the decision, or leave the wait open. */
const LOOKS = {
  show: "Show -- the impact analysis behind it",
  diff: "Look -- see what this phase changed",
  whole: "Look -- see everything that would be merged",
  leave: "Decide later (the run stays paused)",
} as const;
type Look = keyof typeof LOOKS;

function looksAt(wait: Wait): Look[] {
  if (wait.kind === "sizing") return ["show", "leave"];
  if (wait.kind === "finish") return ["whole", "leave"];
  return wait.kind === "escalation" && wait.reason === "tests_changed" ? ["diff", "leave"] : ["leave"];
}

async function choose(invocation: Invocation, open: OpenWait, wait: Wait): Promise<TerminalAnswer | null> {
  const { isCancel, select } = await import("@clack/prompts");
  const { out, columns } = invocation.io;
  for (const line of aboutLines(invocation, open, wait)) out(fitLine(line, columns));
  const menu = [
    ...listWaitOptions(open.run, wait).map((option) => ({
      value: option as string,
      label: menuLabel(option, wait, open.run),
    })),
    ...looksAt(wait).map((value) => ({ value: value as string, label: LOOKS[value] })),
  ];
  // Enter alone decides nothing.
  const options = { message: "What should happen?", options: menu, initialValue: "leave", signal: open.signal };
  const chosen = await select(options);
  if (chosen === "show" || chosen === "diff" || chosen === "whole") {
    await showBefore(invocation, open, chosen);
    return choose(invocation, { ...open, returned: false }, wait);
  }
  if (isCancel(chosen) || chosen === "leave") return null;
  const said = await askMore(invocation, { option: chosen, wait, signal: open.signal });
  if (said === null || chosen !== "cancel") return said;
  return { ...said, tree: await askWhatIsLeft(invocation.io, open.project, open.run) };
}

function aboutLines(invocation: Invocation, open: OpenWait, wait: Wait): string[] {
  if (hasSeen(invocation, open)) return [];
  return [
    ...heldAgainst(open.run),
    ...waitLines(wait, [], { ...waitPlace(open.run), item: null }).filter((line) => line !== "You can:"),
  ];
}

async function showBefore(invocation: Invocation, open: OpenWait, what: Exclude<Look, "leave">): Promise<void> {
  if (what === "show") return showAnalysis(invocation, open);
  const changes =
    what === "whole" ? await shownChanges({ ...open.engine, hasMarks: true }, open.run) : await phaseChanges(open);
  await showChanges(invocation, changes === null ? "Nothing to compare." : changesText(changes));
}

async function phaseChanges({ engine, run }: OpenWait): Promise<ShownChanges> {
  const tree = await engine.workspace.now([run.run.item]);
  const patch = await engine.workspace.patch(currentPhase(run)?.firstTree ?? null, tree);
  return { base: "since this phase started", parts: [{ title: null, patch }] };
}

function showAnalysis({ io }: Invocation, { engine, run }: OpenWait): void {
  const analysis = engine.projections.readArtifact(`${run.run.item}/impact-analysis.md`);
  io.out(analysis === null ? "There is no impact analysis to show." : documentText(io, analysis));
}

type ChosenOption = { readonly option: string; readonly wait: Wait; readonly signal: AbortSignal };

/** Asks for the input required by an option; null if the user cancels. */
async function askMore(viewer: Viewer, { option, wait, signal }: ChosenOption): Promise<TerminalAnswer | null> {
  if (option === "discard") return (await isSure(signal)) ? { option, isConfirmed: true } : null;
  if (option === "raise") return askAmount(viewer, wait, signal);
  if (option !== "cancel") return { option };
  const text = await askText(viewer, { message: "Why does the run end?", signal, placeholder: "" });
  return text === null ? null : { option, text };
}

/** Without an amount, Enter leaves the budget unchanged. */
async function askAmount(viewer: Viewer, wait: Wait, signal: AbortSignal): Promise<TerminalAnswer | null> {
  const isInTokens = wait.kind === "budget" && wait.budget.usd === null;
  const message = isInTokens ? "How many tokens may the run use in all?" : "How many dollars may the run cost in all?";
  const text = await askText(viewer, { message, signal, placeholder: isInTokens ? "500000" : "10.00" });
  if (text !== null && text.trim() !== "") return { option: "raise", text };
  viewer.io.out("The budget stays as it is.");
  return null;
}

async function isSure(signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const message = "Discard this work? Its branch is deleted; its commits are saved under a ref.";
  return (await confirm({ message, signal, initialValue: false })) === true;
}
