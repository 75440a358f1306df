import { join } from "node:path";
import pc from "picocolors";
import type { PersonCommand } from "../../core/command.ts";
import { lastLook } from "../../core/last-look.ts";
import { optionsOf } from "../../core/next.ts";
import { type ActiveRun, currentPhase } from "../../core/run.ts";
import { runChecks } from "../../engine/steps/checks.ts";
import type { Person } from "../../schema/people.ts";
import { gateBanner, recoveryBanner, redoPrompt, reviewInstructions } from "../../views/gate-banner.ts";
import { plainText } from "../../views/plain-text.ts";
import { renderPhaseSummary, summaryOf } from "../../views/summary.ts";
import { askKey } from "./ask.ts";
import type { Scene } from "./at-terminal.ts";
import { sha256 } from "./compose.ts";
import { lendTerminal, showInPager, wordsOf } from "./lend-terminal.ts";
import { takeOutWrites } from "./take-out.ts";
import type { Invocation } from "./verb.ts";

type Key = "c" | "r" | "d" | "l" | "x" | "v" | "e" | "t" | "q";

/** The gate at a terminal: shows what was made, lets the person look at it from every side, and takes one answer. */
export async function answerGate(invocation: Invocation, scene: Scene, by: Person): Promise<PersonCommand | null> {
  const { run, signal } = scene;
  if (run.wait?.kind !== "gate") return null;
  const answer = { by, wait: run.wait.id, shown: sha256(summaryText(run)) };
  const paused = run.stage.is === "produced" && run.stage.pausedAt !== null;
  if (paused) return answerPaused(invocation, scene, answer);
  invocation.io.out(`${bannerOf(invocation, scene)}${LOOKS}`);
  for (;;) {
    const key = (await askKey(invocation.io, { message: "Your choice", keys: keysOf(run), signal })) ?? "q";
    if (key === "v" || key === "t") await look(invocation, scene, key);
    // Whoever edits has paused, so what changes then is theirs.
    else if (key === "e" && (await edit(invocation, artifactsOf(scene)))) return { do: "review", ...answer };
    else if (key !== "e") return answerFor(invocation, scene, { key, answer });
  }
}

const LOOKS = "[V] view changes  [E] edit artifacts  [T] run checks  [Q] leave it open";

/** Whoever comes back has seen the recovery banner already, unless they said resume. */
function bannerOf({ verb }: Invocation, { run, returned }: Scene): string {
  if (!returned) return `${withoutPromptLine(gateBanner(run) ?? "")}\n`;
  return verb.name === "resume" ? `${recoveryBanner(run) ?? ""}\n` : "";
}

type AnswerKey = Exclude<Key, "v" | "e" | "t">;

async function answerFor(
  { io }: Invocation,
  { project, run, signal }: Scene,
  { key, answer }: { key: AnswerKey; answer: Answer },
): Promise<PersonCommand | null> {
  switch (key) {
    case "c":
      return { do: "continue" as const, ...answer };
    case "r":
      io.out(summaryText(run));
      return { do: "review" as const, ...answer };
    case "d":
      return redo(answer, signal);
    case "l":
      return { do: "loosen" as const, by: answer.by, wait: answer.wait };
    case "x":
      return { do: "takeOut", by: answer.by, wait: answer.wait, ...(await takeOutWrites(project, run)) };
    case "q":
      return null;
    default:
      return key satisfies never;
  }
}

type Answer = { readonly by: Person; readonly wait: string; readonly shown: string };

/** Words that end a pause; anything else asks again. */
const GO_ON = new Set(["", "c", "continue", "done", "yes", "ok"]);

async function answerPaused({ io }: Invocation, { run, signal }: Scene, answer: Answer): Promise<PersonCommand | null> {
  const { isCancel, text } = await import("@clack/prompts");
  io.out(reviewInstructions);
  const redoable = run.wait !== null && optionsOf(run, run.wait).includes("redo");
  for (;;) {
    const said = await text({
      message: `continue, review again${redoable ? ", redo" : ""}, or q to leave it paused`,
      placeholder: "continue",
      signal,
    });
    if (isCancel(said)) return null;
    const word = orEmpty(said).trim().toLowerCase();
    if (GO_ON.has(word)) return { do: "continue", ...answer };
    if (word === "q") return null;
    if (redoable && (word === "d" || word === "redo")) return redo(answer, signal);
    io.out(word === "r" || word === "review" ? summaryText(run) : "Nobody knows that word here.");
  }
}

async function redo(answer: Answer, signal: AbortSignal): Promise<PersonCommand | null> {
  const { isCancel, text } = await import("@clack/prompts");
  const guidance = await text({ message: redoPrompt.replace(/\n> $/, ""), signal });
  if (isCancel(guidance)) return null;
  return { do: "redo", ...answer, guidance: orEmpty(guidance) };
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

async function look({ io, env }: Invocation, { engine, run, signal }: Scene, key: "v" | "t"): Promise<void> {
  const phase = currentPhase(run);
  const made = phase?.made;
  if (phase === undefined || made === undefined || made === null) return;
  if (key === "v") await view({ io, env }, plainText(await engine.workspace.patch(lastLook(run), made.tree)));
  if (key === "t") {
    const told = { ...engine, show: ({ text }: { text: string }) => io.out(`Running ${plainText(text)} …`) };
    const results = await runChecks(told, { run, phase, claimed: made.artifacts }, signal);
    for (const { name, ok, detail } of results)
      io.out(`${name}: ${ok === null ? "not measured" : ok ? "passed" : "FAILED"} ${plainText(detail)}`);
  }
}

const artifactsOf = ({ engine, run }: Scene): string[] =>
  (currentPhase(run)?.made?.artifacts ?? []).map((path) => join(engine.root, path));

type Viewer = Pick<Invocation, "io" | "env">;

async function view({ io, env }: Viewer, patch: string): Promise<void> {
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
  const opened = (await lendTerminal({ argv: [...editor, ...paths], env })) !== null;
  if (!opened) io.out(`The editor ${editor.join(" ")} could not be started; set EDITOR to yours.`);
  return opened;
}

export function summaryText(run: ActiveRun): string {
  const key = currentPhase(run)?.rule.key ?? "";
  return renderPhaseSummary(summaryOf(run, key), { minimal: run.run.minimalSummary });
}

/** The key prompt stands in for the banner's last line. */
const withoutPromptLine = (banner: string): string => banner.replace(/\nYour choice: _/, "");

/** The prompt gives undefined for an empty line. */
const orEmpty = (said: string | undefined): string => said ?? "";
