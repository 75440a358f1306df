import { join } from "node:path";
import pc from "picocolors";
import type { PersonCommand } from "../../../core/command.ts";
import { lastReviewedTree } from "../../../core/last-reviewed-tree.ts";
import { optionsOf } from "../../../core/next.ts";
import { type ActiveRun, currentPhase, MAX_REDOS } from "../../../core/run.ts";
import { runChecks } from "../../../engine/steps/checks.ts";
import type { Person } from "../../../schema/people.ts";
import {
  artifactLines,
  gateNotice,
  recoveryBanner,
  redoPrompt,
  redosSpent,
  reviewInstructions,
  revertedLines,
} from "../../../views/gate-banner.ts";
import { plainText } from "../../../views/plain-text.ts";
import { renderPhaseSummary, summaryOf } from "../../../views/summary.ts";
import { askKey } from "./ask.ts";
import type { PromptContext } from "./answer-at-terminal.ts";
import { sha256 } from "../compose.ts";
import type { Io } from "./io.ts";
import { runInteractive, showInPager, wordsOf } from "./run-interactive.ts";
import { revertWrites } from "../revert-writes.ts";
import type { Invocation } from "../grammar/verb.ts";

type Key = "c" | "r" | "d" | "l" | "x" | "v" | "e" | "t" | "q";

/** The gate at a terminal: shows what was made, lets the person look at it from every side, and takes one answer. */
export async function answerGate(
  invocation: Invocation,
  context: PromptContext,
  by: Person,
): Promise<PersonCommand | null> {
  const { run, signal } = context;
  if (run.wait?.kind !== "gate") return null;
  const answer = { by, wait: run.wait.id, shown: sha256(summaryText(run)) };
  const paused = run.stage.is === "produced" && run.stage.pausedAt !== null;
  if (paused) return answerPaused(invocation, context, answer);
  invocation.io.out(`${bannerOf(invocation, context)}${LOOKS}`);
  for (;;) {
    const key = (await askKey(invocation.io, { message: "Your choice", keys: keysOf(run), signal })) ?? "q";
    if (key === "q") return null;
    const command = await commandFor(invocation, context, { key, answer });
    if (command !== null || signal.aborted) return command;
  }
}

const LOOKS = "[V] view changes  [E] edit artifacts  [T] run checks  [Q] leave it open";

function bannerOf(invocation: Invocation, context: PromptContext): string {
  if (hasSeen(invocation, context)) return "";
  const { verb } = invocation;
  const banner = context.returned && verb.name === "resume" ? recoveryBanner(context.run) : gateNotice(context.run);
  return `${banner ?? ""}\n`;
}

/** Whoever comes back was shown where the run stands, unless they said resume, or answered and it is open still. */
export const hasSeen = ({ verb }: Invocation, { returned }: PromptContext): boolean =>
  returned && verb.name !== "resume" && verb.name !== "answer";

type Pressed = { readonly key: Exclude<Key, "q">; readonly answer: Answer };

/** Null for a key that only looks, and for an answer that the person broke off. */
async function commandFor(
  invocation: Invocation,
  context: PromptContext,
  { key, answer }: Pressed,
): Promise<PersonCommand | null> {
  const { io } = invocation;
  const { run } = context;
  switch (key) {
    case "v":
    case "t":
      await look(invocation, context, key);
      return null;
    case "e":
      if (!(await edit(invocation, artifactsOf(context)))) return null;
      for (const line of artifactLines(run)) io.out(line);
      return { do: "review" as const, ...answer }; // whoever edits has paused, so what changes then is theirs
    case "c":
      return { do: "continue" as const, ...answer };
    case "r":
      io.out(summaryText(run));
      return { do: "review" as const, ...answer };
    case "d":
      return redo(io, context, answer);
    case "l":
      return { do: "loosen" as const, by: answer.by, wait: answer.wait };
    case "x":
      return revert(io, context, answer);
    default:
      return key satisfies never;
  }
}

async function revert({ out }: Io, { project, run }: PromptContext, { by, wait }: Answer): Promise<PersonCommand> {
  const taken = await revertWrites(project, run);
  for (const line of revertedLines(taken)) out(line);
  return { do: "revert", by, wait, ...taken };
}

type Answer = { readonly by: Person; readonly wait: string; readonly shown: string };

/** Words that end a pause; anything else asks again. */
const GO_ON = new Set(["", "c", "continue", "done", "yes", "ok"]);

async function answerPaused({ io }: Invocation, context: PromptContext, answer: Answer): Promise<PersonCommand | null> {
  const { run, returned, signal } = context;
  if (returned) for (const line of artifactLines(run)) io.out(line);
  io.out(reviewInstructions);
  for (;;) {
    const word = await askPaused(context);
    if (GO_ON.has(word)) return { do: "continue", ...answer };
    if (word === "q") return null;
    const command = word === "redo" ? await redo(io, context, answer) : null;
    if (command !== null || signal.aborted) return command;
    if (word === "review") io.out(summaryText(run));
    else if (word !== "redo") io.out("Nobody knows that word here.");
  }
}

const LONG = new Map([
  ["d", "redo"],
  ["r", "review"],
]);

/** What a person says at a pause, in full words; breaking off is q. */
async function askPaused({ run, signal }: PromptContext): Promise<string> {
  const { isCancel, text } = await import("@clack/prompts");
  const redoable = run.wait !== null && optionsOf(run, run.wait).includes("redo");
  const message = `continue, review again${redoable ? ", redo" : ""}, or q to leave it paused`;
  const said = await text({ message, placeholder: "continue", signal });
  if (isCancel(said)) return "q";
  const word = orEmpty(said).trim().toLowerCase();
  return LONG.get(word) ?? word;
}

/** Null when the person breaks off, or none is left. A redo is counted, so one without guidance is asked about. */
async function redo({ out }: Io, { run, signal }: PromptContext, answer: Answer): Promise<PersonCommand | null> {
  const { confirm, isCancel, text } = await import("@clack/prompts");
  const redos = currentPhase(run)?.redos ?? MAX_REDOS;
  const message = `Redo without any guidance? It counts: it would be redo ${redos + 1} of ${MAX_REDOS}.`;
  for (const line of redosSpent(redos)) out(line);
  if (redos >= MAX_REDOS) return null;
  for (;;) {
    const guidance = await text({ message: redoPrompt.replace(/\n> $/, ""), placeholder: "Esc goes back", signal });
    if (isCancel(guidance)) return null;
    const given = orEmpty(guidance);
    const sure = given.trim() !== "" || (await confirm({ message, initialValue: false, signal }));
    if (isCancel(sure)) return null;
    if (sure) return { do: "redo", ...answer, guidance: given };
  }
}

const ANSWER_KEYS: readonly { readonly key: Key; readonly option: string }[] = [
  { key: "c", option: "continue" },
  { key: "r", option: "review" },
  { key: "d", option: "redo" },
  { key: "l", option: "loosen" },
  { key: "x", option: "take-out" },
];

function keysOf(run: ActiveRun): Key[] {
  const offered = run.wait === null ? [] : optionsOf(run, run.wait);
  const answers = ANSWER_KEYS.filter(({ option }) => offered.includes(option)).map(({ key }) => key);
  return [...answers, "v", "e", "t", "q"];
}

async function look({ io, env }: Invocation, { engine, run, signal }: PromptContext, key: "v" | "t"): Promise<void> {
  const phase = currentPhase(run);
  const made = phase?.made;
  if (phase === undefined || made === undefined || made === null) return;
  if (key === "v")
    await showPatch({ io, env }, plainText(await engine.workspace.patch(lastReviewedTree(run), made.tree)));
  if (key === "t") {
    const tree = await engine.workspace.now([run.run.item]);
    const told = { ...engine, show: ({ text }: { text: string }) => io.out(`Running ${plainText(text)} …`) };
    const results = await runChecks(told, { run, phase, claimed: made.artifacts, tests: true, tree }, signal);
    for (const { name, ok, detail } of results)
      io.out(`${name}: ${ok === null ? "" : ok ? "passed " : "FAILED "}${plainText(detail)}`);
  }
}

const artifactsOf = ({ engine, run }: PromptContext): string[] =>
  (currentPhase(run)?.made?.artifacts ?? []).map((path) => join(engine.root, path));

type Viewer = Pick<Invocation, "io" | "env">;

export async function showPatch({ io, env }: Viewer, patch: string): Promise<void> {
  if (patch.trim() === "") return io.out("Nothing has changed.");
  const shown = colored(patch, pc.createColors(io.color));
  if (!(await showInPager(shown, env))) io.out(shown);
}

const PAINTS: readonly [RegExp, "bold" | "cyan" | "green" | "red"][] = [
  [/^(?:diff |index |--- |\+\+\+ )/, "bold"],
  [/^@@/, "cyan"],
  [/^\+/, "green"],
  [/^-/, "red"],
];

function colored(patch: string, colors: ReturnType<typeof pc.createColors>): string {
  const paint = (line: string): string => {
    const found = PAINTS.find(([pattern]) => pattern.test(line));
    return found === undefined ? line : colors[found[1]](line);
  };
  return patch.split("\n").map(paint).join("\n");
}

/** False where no editor was opened. */
async function edit({ io, env }: Viewer, paths: readonly string[]): Promise<boolean> {
  if (paths.length === 0) {
    io.out("There is no artifact to edit.");
    return false;
  }
  const editor = wordsOf(env["VISUAL"] ?? env["EDITOR"] ?? "vi");
  const opened = (await runInteractive({ argv: [...editor, ...paths], env })) !== null;
  if (!opened) io.out(`The editor ${editor.join(" ")} could not be started; set EDITOR to yours.`);
  return opened;
}

export function summaryText(run: ActiveRun): string {
  const key = currentPhase(run)?.rule.key ?? "";
  return renderPhaseSummary(summaryOf(run, key), { minimal: run.run.minimalSummary });
}

/** The prompt gives undefined for an empty line. */
const orEmpty = (said: string | undefined): string => said ?? "";
