import type { PersonCommand } from "../../../core/command.ts";
import { optionsOf } from "../../../core/next.ts";
import { type ActiveRun, currentPhase, type Wait } from "../../../core/run.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { Question } from "../../../schema/agent.ts";
import type { Person } from "../../../schema/people.ts";
import { plainText } from "../../../views/plain-text.ts";
import { askerOf, heldAgainst, waitLines } from "../../../views/status.ts";
import { forgetTypedAhead } from "./ask.ts";
import { authorize } from "../authorize.ts";
import { answerGate, hasSeen, showPatch } from "./gate-prompt.ts";
import type { Project } from "../project.ts";
import { raisedBudget } from "../raised-budget.ts";
import { submitAnswer } from "../submit-answer.ts";
import type { Invocation } from "../grammar/verb.ts";

export type PromptContext = {
  readonly project: Project;
  readonly engine: Engine;
  readonly run: ActiveRun;
  /** The wait was open before this program was started. */
  readonly returned: boolean;
  readonly signal: AbortSignal;
};

/** Asks the person at this terminal what is open. False when they leave it open. */
export async function answerAtTerminal(
  invocation: Invocation,
  context: PromptContext,
  by: Person = authorize(invocation, context.project),
): Promise<boolean> {
  const { wait } = context.run;
  if (wait === null) return false;
  const watching = new AbortController();
  const elsewhere = answeredElsewhere(context, wait, watching.signal);
  const signal = AbortSignal.any([context.signal, elsewhere]);
  await forgetTypedAhead();
  try {
    const command = await askFor(invocation, { ...context, signal }, { wait, by });
    if (elsewhere.aborted) invocation.io.out("This was answered elsewhere.");
    else if (command === null) return false;
    else await submitAnswer(context.project, context.run.run.run, command);
    return true;
  } finally {
    watching.abort();
  }
}

/** Aborts once the wait is gone, for instance because it was answered with a token. */
function answeredElsewhere({ engine }: PromptContext, wait: Wait, done: AbortSignal): AbortSignal {
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

type Asked = { readonly wait: Wait; readonly by: Person };

async function askFor(
  invocation: Invocation,
  context: PromptContext,
  { wait, by }: Asked,
): Promise<PersonCommand | null> {
  switch (wait.kind) {
    case "gate":
      return answerGate(invocation, context, by);
    case "questions":
      return askQuestions(invocation, context, { wait, by });
    case "escalation":
    case "sizing":
    case "budget":
    case "finish":
      return choose(invocation, context, { wait, by });
    default:
      return wait satisfies never;
  }
}

type Questions = Extract<Wait, { kind: "questions" }>;

async function askQuestions(
  { io }: Invocation,
  { signal }: PromptContext,
  { wait, by }: { readonly wait: Questions; readonly by: Person },
): Promise<PersonCommand | null> {
  const count = wait.questions.length;
  io.out(`${askerOf(wait)} asks${count === 1 ? "" : ` ${count} questions`}:`);
  const replies: { id: string; text: string | null }[] = [];
  for (const question of wait.questions) {
    const reply = await askQuestion(question, signal);
    if (reply === null) return null;
    replies.push({ id: question.id, text: reply.trim() === "" ? null : reply });
  }
  return { do: "reply", by, wait: wait.id, replies };
}

/** Null when the person breaks off; an empty reply leaves it to the agent. What a question offers is no limit. */
async function askQuestion({ text: asked, choices }: Question, signal: AbortSignal): Promise<string | null> {
  const { isCancel, select, text } = await import("@clack/prompts");
  const message = plainText(asked);
  const inWords = { message, placeholder: "empty: leave it to the agent", signal };
  for (;;) {
    if (choices.length > 0) {
      const offered = choices.map((choice, at) => ({ value: at, label: plainText(choice) }));
      const own = { value: -1, label: "Something else, in your own words (empty: leave it to the agent)" };
      const chosen = await select({ message, options: [...offered, own], signal });
      if (isCancel(chosen)) return null;
      if (chosen !== own.value) return choices[chosen] ?? "";
    }
    const reply = await text(inWords);
    if (!isCancel(reply)) return orEmpty(reply);
    if (choices.length === 0 || signal.aborted) return null;
  }
}

const LABELS: Readonly<Record<string, string>> = {
  retry: "Retry -- try again",
  skip: "Skip -- go on without it; recorded",
  accept: "Accept -- trust the new way of running tests",
  light: "Light -- leave out architecture and design",
  standard: "Standard -- keep every phase",
  show: "Show -- the impact analysis behind it",
  diff: "Look -- see what this phase changed",
  cancel: "Cancel -- end the run; branch and artifacts stay",
  raise: "Raise -- let it use more",
  merge: "Merge -- merge the branch here",
  pr: "Pull request -- keep the branch and show the commands",
  keep: "Keep -- keep the branch as it is",
  discard: "Discard -- give the work up; its branch goes, a ref keeps it",
};

function labelOf(option: string, wait: Wait): string {
  if (option === "accept" && wait.kind === "sizing") return `Accept -- ${wait.sizing.recommended}, as recommended`;
  if (option === "retry" && asksAboutTests(wait)) return "Retry -- have the agent do the phase again, told why";
  return LABELS[option] ?? "Leave it open for now";
}

const asksAboutTests = (wait: Wait): boolean => wait.kind === "escalation" && wait.reason === "tests_changed";

/** Ways to look before one chooses. */
function looksOf(wait: Wait): string[] {
  if (wait.kind === "sizing") return ["show"];
  return asksAboutTests(wait) ? ["diff"] : [];
}

async function choose(
  invocation: Invocation,
  context: PromptContext,
  { wait, by }: Asked,
): Promise<PersonCommand | null> {
  const { engine, run, signal } = context;
  const { isCancel, select } = await import("@clack/prompts");
  for (const line of aboutLines(invocation, context, wait)) invocation.io.out(line);
  const menu = [...optionsOf(run, wait), ...looksOf(wait), "leave"].map((value) => ({
    value,
    label: labelOf(value, wait),
  }));
  const chosen = await select({ message: "What should happen?", options: menu, signal });
  if (chosen === "show" || chosen === "diff") {
    await showBefore(invocation, context, chosen);
    return choose(invocation, { ...context, returned: false }, { wait, by });
  }
  if (isCancel(chosen) || chosen === "leave") return null;
  if (wait.kind === "sizing" && (chosen === "accept" || chosen === "light" || chosen === "standard"))
    return { do: "size", by, wait: wait.id, choice: chosen };
  if (chosen === "accept") return { do: "acceptTests", by, wait: wait.id, tests: await engine.checks.detectTests() };
  return chosenAnswer(chosen, { wait, by }, signal);
}

function aboutLines(invocation: Invocation, context: PromptContext, wait: Wait): string[] {
  const { run } = context;
  if (hasSeen(invocation, context)) return [];
  return [...heldAgainst(run), ...waitLines(wait, []).filter((line) => line !== "You can:")];
}

async function showBefore(invocation: Invocation, context: PromptContext, what: "show" | "diff"): Promise<void> {
  if (what === "show") return showAnalysis(invocation, context);
  const { engine, run } = context;
  const tree = await engine.workspace.now([run.run.item]);
  await showPatch(invocation, plainText(await engine.workspace.patch(currentPhase(run)?.firstTree ?? null, tree)));
}

function showAnalysis({ io }: Invocation, { engine, run }: PromptContext): void {
  const analysis = engine.projections.readArtifact(`${run.run.item}/impact-analysis.md`);
  io.out(plainText(analysis ?? "There is no impact analysis to show."));
}

async function chosenAnswer(chosen: string, { wait, by }: Asked, signal: AbortSignal): Promise<PersonCommand | null> {
  const named = { by, wait: wait.id };
  switch (chosen) {
    case "retry":
    case "skip":
      return { do: chosen, ...named };
    case "cancel":
      return cancelled(by, await askText("Why does the run end?", signal));
    case "raise":
      return raised({ wait, by }, await askText("How many dollars may it cost in all?", signal));
    case "merge":
    case "pr":
    case "keep":
      return { do: "finish", ...named, how: chosen };
    case "discard":
      return (await isSure(signal)) ? { do: "finish", ...named, how: chosen } : null;
    default:
      return null;
  }
}

const cancelled = (by: Person, reason: string | null): PersonCommand | null =>
  reason === null ? null : { do: "cancel", by, reason };

function raised({ wait, by }: Asked, said: string | null): PersonCommand | null {
  const budget = said === null ? null : raisedBudget(wait, said);
  return budget === null ? null : { do: "raise", by, wait: wait.id, budget };
}

/** Null when the person breaks off. */
async function askText(message: string, signal: AbortSignal): Promise<string | null> {
  const { isCancel, text } = await import("@clack/prompts");
  const said = await text({ message, signal });
  return isCancel(said) ? null : orEmpty(said);
}

async function isSure(signal: AbortSignal): Promise<boolean> {
  const { confirm } = await import("@clack/prompts");
  const message = "Discard this work? Its branch goes; a ref keeps what was on it.";
  return (await confirm({ message, signal, initialValue: false })) === true;
}

/** The prompt gives undefined for an empty line. */
const orEmpty = (said: string | undefined): string => said ?? "";
