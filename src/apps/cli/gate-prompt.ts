import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { PersonCommand } from "../../core/command.ts";
import { lastLook } from "../../core/last-look.ts";
import { optionsOf } from "../../core/next.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import { runChecks } from "../../engine/steps/checks.ts";
import type { Person } from "../../schema/people.ts";
import { gateBanner, redoPrompt, reviewInstructions } from "../../views/gate-banner.ts";
import { plainText } from "../../views/plain-text.ts";
import { renderPhaseSummary, summaryOf } from "../../views/summary.ts";
import type { Scene } from "./at-terminal.ts";
import { sha256 } from "./compose.ts";
import type { Invocation } from "./verb.ts";

type Key = "c" | "r" | "d" | "l" | "v" | "e" | "t" | "q";

/** The gate at a terminal: shows what was made, lets the person look at it from every side, and takes one answer. */
export async function answerGate(invocation: Invocation, scene: Scene, by: Person): Promise<PersonCommand | null> {
  const { run } = scene;
  if (run.wait?.kind !== "gate") return null;
  const answer = { by, wait: run.wait.id, shown: sha256(summaryText(run)) };
  const paused = run.stage.is === "produced" && run.stage.pausedAt !== null;
  if (paused) return answerPaused(invocation, scene, answer);
  invocation.io.out(withoutPromptLine(gateBanner(run) ?? ""));
  for (;;) {
    const key = await askKey(keysOf(run));
    if (key === "v" || key === "e" || key === "t") await look(invocation, scene, key);
    else return answerFor(invocation, run, { key, answer });
  }
}

type AnswerKey = Exclude<Key, "v" | "e" | "t">;

function answerFor({ io }: Invocation, run: ActiveRun, { key, answer }: { key: AnswerKey; answer: Answer }) {
  switch (key) {
    case "c":
      return { do: "continue" as const, ...answer };
    case "r":
      io.out(summaryText(run));
      return { do: "review" as const, ...answer };
    case "d":
      return redo(answer);
    case "l":
      return { do: "loosen" as const, by: answer.by, wait: answer.wait };
    case "q":
      return null;
    default:
      return key satisfies never;
  }
}

type Answer = { readonly by: Person; readonly wait: string; readonly shown: string };

/** Words that end a pause; anything else asks again. */
const GO_ON = new Set(["", "c", "continue", "done", "yes", "ok"]);

async function answerPaused({ io }: Invocation, { run }: Scene, answer: Answer): Promise<PersonCommand | null> {
  const { isCancel, text } = await import("@clack/prompts");
  io.out(reviewInstructions);
  const redoable = run.wait !== null && optionsOf(run, run.wait).includes("redo");
  for (;;) {
    const said = await text({
      message: `continue, review again${redoable ? ", redo" : ""}, or q to leave it paused`,
      placeholder: "continue",
    });
    if (isCancel(said)) return null;
    const word = orEmpty(said).trim().toLowerCase();
    if (GO_ON.has(word)) return { do: "continue", ...answer };
    if (word === "q") return null;
    if (word === "r" || word === "review") io.out(summaryText(run));
    if (redoable && (word === "d" || word === "redo")) return redo(answer);
  }
}

async function redo(answer: Answer): Promise<PersonCommand | null> {
  const { isCancel, text } = await import("@clack/prompts");
  const guidance = await text({ message: redoPrompt.replace(/\n> $/, "") });
  if (isCancel(guidance)) return null;
  return { do: "redo", ...answer, guidance: orEmpty(guidance) };
}

function keysOf(run: ActiveRun): { value: Key; label: string }[] {
  const offered = run.wait === null ? [] : optionsOf(run, run.wait);
  const answers: { value: Key; label: string; option: string }[] = [
    { value: "c", label: "Continue", option: "continue" },
    { value: "r", label: "Review", option: "review" },
    { value: "d", label: "Redo with guidance", option: "redo" },
    { value: "l", label: "Agree to the loosened settings", option: "loosen" },
  ];
  return [
    ...answers.filter(({ option }) => offered.includes(option)).map(({ value, label }) => ({ value, label })),
    { value: "v", label: "view the changes" },
    { value: "e", label: "open the artifacts in your editor" },
    { value: "t", label: "run the checks now" },
    { value: "q", label: "quit; the gate stays open" },
  ];
}

async function askKey(options: { value: Key; label: string }[]): Promise<Key> {
  const { isCancel, selectKey } = await import("@clack/prompts");
  const key = await selectKey({ message: "Your choice:", options });
  return isCancel(key) ? "q" : key;
}

async function look({ io, env }: Invocation, { engine, run }: Scene, key: "v" | "e" | "t"): Promise<void> {
  const phase = currentPhase(run);
  const made = phase?.made;
  if (phase === undefined || made === undefined || made === null) return;
  if (key === "v") io.out(plainText(await engine.workspace.patch(lastLook(run), made.tree)));
  if (key === "e")
    await openEditor(
      env,
      made.artifacts.map((path) => join(engine.root, path)),
    );
  if (key === "t") {
    const results = await runChecks(engine, { run, phase, claimed: made.artifacts }, new AbortController().signal);
    for (const { name, ok, detail } of results)
      io.out(`${name}: ${ok === null ? "not measured" : ok ? "passed" : "FAILED"} ${plainText(detail)}`);
  }
}

/** The person's own editor, from their environment; arguments split at spaces, no shell. */
async function openEditor(env: NodeJS.ProcessEnv, paths: readonly string[]): Promise<void> {
  const [program = "vi", ...args] = (env["VISUAL"] ?? env["EDITOR"] ?? "vi").split(" ").filter((part) => part !== "");
  const child = spawn(program, [...args, ...paths], { stdio: "inherit", env });
  await once(child, "exit").catch(() => undefined);
}

export function summaryText(run: ActiveRun): string {
  const key = currentPhase(run)?.rule.key ?? "";
  return renderPhaseSummary(summaryOf(run, key), { minimal: run.run.minimalSummary });
}

/** The key prompt stands in for the banner's last line. */
const withoutPromptLine = (banner: string): string => banner.replace(/\nYour choice: _/, "");

/** The prompt gives undefined for an empty line. */
const orEmpty = (said: string | undefined): string => said ?? "";
