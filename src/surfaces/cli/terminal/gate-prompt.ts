import { join } from "node:path";
import { hasLookedHere } from "../../../core/changes/last-reviewed-tree.ts";
import { codePhaseBefore, listWaitOptions } from "../../../core/next.ts";
import { type ActiveRun, currentPhase, redoLimit } from "../../../core/run.ts";
import { shownChanges } from "../../../engine/shown-changes.ts";
import { runChecks } from "../../../engine/steps/checks.ts";
import {
  artifactLines,
  gateBanner,
  recoveryBanner,
  redoPrompt,
  redosSpent,
  reviewInstructions,
} from "../../../views/gate-banner.ts";
import { plainLine, plainText } from "../../../views/plain-text.ts";
import { summaryPath } from "../../../views/status.ts";
import { summaryText } from "../../../views/summary.ts";
import { wrapItems } from "../../../views/wrap-lines.ts";
import { askKey } from "./ask.ts";
import { askText } from "./ask-text.ts";
import type { OpenWait } from "../../../app/drive/drive-run.ts";
import { gateKey } from "../../../views/answer-options.ts";
import type { TerminalAnswer } from "./answer-at-terminal.ts";
import { type FileLink, outWithLinks } from "./hyperlinks.ts";
import type { Io } from "../invocation/io.ts";
import { editAtGate } from "./edit-at-gate.ts";
import { showChanges, type Viewer, documentText } from "./show-changes.ts";
import type { Invocation } from "../invocation/verb.ts";
import { formatCount } from "../../../core/duration.ts";
import { changesText, shownFiles } from "../../../views/changes-text.ts";

type Key = "c" | "r" | "d" | "b" | "l" | "x" | "v" | "s" | "e" | "t" | "q";
type Look = "v" | "s" | "t";
const isLook = (key: Key): key is Look => key === "v" || key === "s" || key === "t";

/** Shows the gate at a terminal with the result of the phase, offers views of the changes, and returns one answer. */
export async function answerGate(invocation: Invocation, context: OpenWait): Promise<TerminalAnswer | null> {
  const { run, signal } = context;
  const paused = run.stage.is === "produced" && run.stage.pausedAt !== null;
  if (paused) return answerPaused(invocation, context);
  const banner = await buildBanner(invocation, context);
  outWithLinks(invocation, `${banner.text}${looksLine(run, invocation.io)}`, banner.links);
  let hasPaged = false;
  for (;;) {
    const key = await askKey(invocation.io, { keys: listKeys(run), leave: "q", signal });
    if (key === null || (key === "q" && !hasPaged)) return null;
    hasPaged = key === "v" || key === "s";
    if (key === "q") {
      invocation.io.out("The gate is still open. Press Q again to leave it open and go.");
      continue; // the key may have been meant for the pager
    }
    const said = await saidBy(invocation, context, key);
    if (said !== null || signal.aborted) return said;
  }
}

function looksLine(run: ActiveRun, { columns }: Io): string {
  const since = hasLookedHere(run) ? ["[S] changes since your last review"] : [];
  return wrapItems(["[V] view changes", ...since, "[E] edit files", "[T] run checks", "[Q] leave it open"], columns);
}

type Banner = { readonly text: string; readonly links: readonly FileLink[] };

async function buildBanner(invocation: Invocation, context: OpenWait): Promise<Banner> {
  if (hasSeen(invocation, context)) return { text: "", links: [] };
  const { io, verb } = invocation;
  const { run, engine, returned } = context;
  const links = (paths: readonly string[]): FileLink[] =>
    [summaryPath(run) ?? "", ...paths].map((path) => ({ shown: path, file: join(engine.root, path) }));
  if (returned && verb.name === "resume") return { text: `${recoveryBanner(run) ?? ""}\n`, links: links([]) };
  const changes = await shownChanges(engine, run);
  const text = `${gateBanner(run, { changes, columns: io.columns }) ?? ""}\n`;
  return { text, links: links(changes === null ? [] : shownFiles(changes).map(({ path }) => path)) };
}

/**
 * True if the user returned to an open wait and the state of the run is already on the screen. After `resume`, and if
 * the wait is still open after `answer`, it is shown.
 */
export const hasSeen = ({ verb }: Invocation, { returned }: OpenWait): boolean =>
  returned && verb.name !== "resume" && verb.name !== "answer";

/** Null for keys that only show something, and if the user cancels the answer. */
async function saidBy(
  invocation: Invocation,
  context: OpenWait,
  key: Exclude<Key, "q">,
): Promise<TerminalAnswer | null> {
  const { io } = invocation;
  const { run } = context;
  if (isLook(key)) return look(invocation, context, key);
  switch (key) {
    case "e":
      return editAtGate(invocation, context);
    case "r":
      io.out(documentText(io, summaryText(run)));
      return { option: "review" };
    case "d":
      return again(invocation, context);
    case "b":
      return sendBack(invocation, context);
    case "c":
    case "l":
    case "x":
      return { option: AT_ONCE[key] };
    default:
      return key satisfies never;
  }
}

/** Keys that need no further input. */
const AT_ONCE = { c: "continue", l: "loosen", x: "revert" } as const;

/** Words that end a pause; any other word repeats the question. */
const GO_ON = new Set(["c", "continue", "done", "yes", "ok"]);

async function answerPaused(viewer: Viewer, context: OpenWait): Promise<TerminalAnswer | null> {
  const { io } = viewer;
  const { run, returned, signal } = context;
  if (returned) for (const line of artifactLines(run)) io.out(line);
  io.out(reviewInstructions);
  for (;;) {
    const word = await askPaused(context);
    if (GO_ON.has(word)) return { option: "continue" };
    if (word === "q") return null;
    const said = word === "redo" ? await redo(viewer, context) : null;
    if (said !== null || signal.aborted) return said;
    if (word === "review") io.out(documentText(io, summaryText(run)));
    else if (word !== "redo") io.out("Unknown command. Type continue, redo, review or q.");
  }
}

const LONG = new Map([
  ["d", "redo"],
  ["r", "review"],
]);

/** Returns the command typed at a pause, as a full word; q if the user cancels. */
async function askPaused({ run, signal }: OpenWait): Promise<string> {
  const { isCancel, text } = await import("@clack/prompts");
  const redoable = run.wait !== null && listWaitOptions(run, run.wait).includes("redo");
  const message = `continue, review again${redoable ? ", redo" : ""}, or q to leave it paused`;
  const said = await text({ message, placeholder: "continue", signal });
  if (isCancel(said)) return "q";
  const word = orEmpty(said).trim().toLowerCase();
  return LONG.get(word) ?? word;
}

/**
 * Null if the user cancels, or no redo is left. A redo without guidance needs confirmation, because redos are limited.
 */
async function redo(viewer: Viewer, { run, signal }: OpenWait): Promise<TerminalAnswer | null> {
  const { confirm, isCancel } = await import("@clack/prompts");
  const redos = currentPhase(run)?.redos ?? 0;
  const message = `Redo without any guidance? It counts: it would be redo ${redos + 1} of ${redoLimit(run)}.`;
  for (const line of redosSpent(run, { redos })) viewer.io.out(line);
  if (redos >= redoLimit(run)) return null;
  for (;;) {
    const left = `${formatCount(redoLimit(run) - redos, "redo")} left`;
    const placeholder = `${left}; Esc goes back, Ctrl-G opens your editor`;
    const guidance = await askText(viewer, { message: redoPrompt.replace(/\n> $/, ""), signal, placeholder });
    if (guidance === null) return null;
    const sure = guidance.trim() !== "" || (await confirm({ message, initialValue: false, signal }));
    if (isCancel(sure)) return null;
    if (sure) return { option: "redo", text: guidance };
  }
}

/** Repeating a review does not fix its findings: the first option returns to the phase that writes the code. */
async function again(viewer: Viewer, context: OpenWait): Promise<TerminalAnswer | null> {
  const { run, signal } = context;
  const code = codePhaseBefore(run);
  const here = currentPhase(run);
  if (code === null || here === undefined) return redo(viewer, context);
  const { isCancel, select } = await import("@clack/prompts");
  const options = [
    {
      value: sendBack,
      label: `Send back to ${plainLine(code.rule.name)} with guidance; the code stays, to be improved`,
    },
    { value: redo, label: `Redo ${plainLine(here.rule.name)} itself` },
  ];
  const chosen = await select({ message: "What should be done again?", options, signal });
  return isCancel(chosen) ? null : chosen(viewer, context);
}

/** Null if the user cancels or enters no guidance: without it, the agent would not know what to improve. */
async function sendBack(viewer: Viewer, { run, signal }: OpenWait): Promise<TerminalAnswer | null> {
  const message = `What should ${plainLine(codePhaseBefore(run)?.rule.name ?? "the agent")} do differently?`;
  const guidance = await askText(viewer, { message, signal });
  return guidance === null || guidance.trim() === "" ? null : { option: "back", text: guidance };
}

function listKeys(run: ActiveRun): Key[] {
  const offered = run.wait === null ? [] : listWaitOptions(run, run.wait);
  const answers = offered.flatMap((option) => (gateKey(option) as Key | null) ?? []); // the table has these keys
  return [...answers, "v", ...(hasLookedHere(run) ? ["s" as const] : []), "e", "t", "q"];
}

/** Shows changes or runs checks. Always null, because this is no answer. */
async function look({ io, env }: Invocation, { engine, run, signal }: OpenWait, key: Look): Promise<null> {
  const phase = currentPhase(run);
  if (phase === undefined || phase.made === null) return null;
  if (key !== "t") {
    const changes = await shownChanges({ ...engine, hasMarks: true }, run, key === "s" ? "look" : "accepted");
    await showChanges({ io, env }, changes === null ? "Nothing to compare." : changesText(changes));
    return null;
  }
  const tree = await engine.workspace.now([run.run.item]);
  const told = { ...engine, show: ({ text }: { text: string }) => io.out(`Running ${plainText(text)} …`) };
  const claimed = phase.made.artifacts;
  for (const { name, ok, detail } of await runChecks(told, { run, phase, claimed, tests: true, tree }, signal))
    io.out(`${name}: ${ok === null ? "" : ok ? "passed " : "FAILED "}${plainText(detail)}`);
  return null;
}

/** The prompt returns undefined for an empty line. */
const orEmpty = (said: string | undefined): string => said ?? "";
