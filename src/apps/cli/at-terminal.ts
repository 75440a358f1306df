import type { PersonCommand } from "../../core/command.ts";
import { next } from "../../core/next.ts";
import type { ActiveRun, Wait } from "../../core/run.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Person } from "../../schema/people.ts";
import { waitLines } from "../../views/status.ts";
import { decider } from "./authority.ts";
import { answerGate } from "./gate-prompt.ts";
import type { Project } from "./project.ts";
import { submitAnswer } from "./submit-answer.ts";
import type { Invocation } from "./verb.ts";

export type Scene = { readonly project: Project; readonly engine: Engine; readonly run: ActiveRun };

/** Asks the person at this terminal what is open. False when they leave it open. */
export async function answerAtTerminal(invocation: Invocation, scene: Scene): Promise<boolean> {
  const { wait } = scene.run;
  if (wait === null) return false;
  const by = decider(invocation, scene.project);
  const command = await askFor(invocation, scene, { wait, by });
  if (command === null) return false;
  await submitAnswer(scene.project, scene.run.run.run, command);
  return true;
}

type Asked = { readonly wait: Wait; readonly by: Person };

async function askFor(invocation: Invocation, scene: Scene, { wait, by }: Asked): Promise<PersonCommand | null> {
  switch (wait.kind) {
    case "gate":
      return answerGate(invocation, scene, by);
    case "questions":
      return askQuestions(wait, by);
    case "escalation":
    case "sizing":
    case "finish":
      return choose(invocation, scene, { wait, by });
    default:
      return wait satisfies never;
  }
}

async function askQuestions(wait: Extract<Wait, { kind: "questions" }>, by: Person): Promise<PersonCommand | null> {
  const { isCancel, text } = await import("@clack/prompts");
  const replies: { id: string; text: string | null }[] = [];
  for (const question of wait.questions) {
    const choices = question.choices.length === 0 ? "" : ` (${question.choices.join(" / ")})`;
    const reply = await text({ message: `${question.text}${choices}`, placeholder: "empty: leave it to the agent" });
    if (isCancel(reply)) return null;
    const given = (reply as string | undefined) ?? ""; // an empty line comes back as undefined
    replies.push({ id: question.id, text: given.trim() === "" ? null : given });
  }
  return { do: "reply", by, wait: wait.id, replies };
}

const LABELS: Readonly<Record<string, string>> = {
  retry: "Retry -- try again",
  skip: "Skip -- go on without it; recorded",
  accept: "Accept -- trust the new way of running tests",
  light: "Light -- leave out architecture and design",
  standard: "Standard -- keep every phase",
  cancel: "Cancel -- end the run; branch and artifacts stay",
  merge: "Merge -- merge the branch here",
  pr: "Pull request -- keep the branch and show the commands",
  keep: "Keep -- keep the branch as it is",
};

function labelOf(option: string, wait: Wait): string {
  if (option === "accept" && wait.kind === "sizing") return `Accept -- ${wait.sizing.recommended}, as recommended`;
  return LABELS[option] ?? "Leave it open for now";
}

async function choose(
  invocation: Invocation,
  { engine, run }: Scene,
  { wait, by }: Asked,
): Promise<PersonCommand | null> {
  const { isCancel, select } = await import("@clack/prompts");
  const now = next(run);
  const options = now.is === "wait" ? now.options : [];
  for (const line of waitLines(wait, []).filter((line) => line !== "You can:")) invocation.io.out(line);
  const chosen = await select({
    message: "What should happen?",
    options: [...options, "leave"].map((value) => ({ value, label: labelOf(value, wait) })),
  });
  if (isCancel(chosen) || chosen === "leave") return null;
  if (wait.kind === "sizing" && (chosen === "accept" || chosen === "light" || chosen === "standard"))
    return { do: "size", by, wait: wait.id, choice: chosen };
  if (chosen === "accept") return { do: "acceptTests", by, wait: wait.id, tests: await engine.checks.detectTests() };
  return chosenAnswer(chosen, wait, by);
}

async function chosenAnswer(chosen: string, wait: Wait, by: Person): Promise<PersonCommand | null> {
  const { isCancel, text } = await import("@clack/prompts");
  switch (chosen) {
    case "retry":
    case "skip":
      return { do: chosen, by, wait: wait.id };
    case "cancel": {
      const reason = await text({ message: "Why does the run end?" });
      return isCancel(reason) ? null : { do: "cancel", by, reason };
    }
    case "merge":
    case "pr":
    case "keep":
      return { do: "finish", by, wait: wait.id, how: chosen };
    default:
      return null;
  }
}
