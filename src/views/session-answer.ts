import { answerCommand } from "./answer-options.ts";
import { next } from "../core/next.ts";
import type { ActiveRun, EndedRun, RunState, WaitOption } from "../core/run.ts";
import type { ExecutionId } from "../schema/ids.ts";
import { plainLine } from "./plain-text.ts";
import { statusLines, statusObject, summaryPath, waitLines, waitPlace } from "./status.ts";

/** Task for an agent session. */
type Task = {
  readonly phase: string;
  readonly attempt: string;
  readonly execution: ExecutionId;
  readonly nonce: string;
  readonly iteration: number;
  readonly persona: string;
  readonly prompt: string;
  readonly artifacts: readonly string[];
};

export type SessionStanding = { readonly state: RunState; readonly task: Task | null };

export type SessionAnswer = {
  /** Who acts next. */
  readonly turn: "session" | "person" | "nobody" | "engine";
  readonly lines: readonly string[];
  readonly json: Readonly<Record<string, unknown>>;
};

/** Answers a session that asked for work or reported: its next task, or who acts instead. */
export function sessionAnswer({ state, task }: SessionStanding): SessionAnswer {
  const turn = findTurn(state, task);
  const run = statusObject(state, { driven: false });
  return { turn, lines: linesFor(state, task), json: { turn, run, task } };
}

function findTurn(state: RunState, task: Task | null): SessionAnswer["turn"] {
  if (task !== null) return "session";
  if (state.is !== "active") return "nobody";
  return state.wait === null ? "engine" : "person";
}

function linesFor(state: RunState, task: Task | null): readonly string[] {
  if (state.is === "none") return statusLines(state, { driven: false });
  if (state.is === "ended") return endedLines(state);
  if (task !== null) return taskLines(state, task);
  if (state.wait !== null) return personLines(state);
  return ['The run was stopped in the middle of a step. Ask again what to do: "isdlc begin".'];
}

/** Says how the run ended, because a session may ask only after a merge in another terminal. */
function endedLines(run: EndedRun): string[] {
  return [
    ...statusLines(run, { driven: false }),
    "",
    "This run has ended, so there is no work for this session. Tell the user how it ended, and stop.",
    'The user starts the next one: /isdlc:feature "<title>" typed in this session if it offers commands of isdlc, or in a terminal: isdlc "<what to do>"',
  ];
}

function taskLines(run: ActiveRun, task: Task): string[] {
  return [
    `Run "${plainLine(run.run.title)}", phase ${task.phase} (${task.execution}). Work on it yourself, in this session.`,
    "",
    task.persona,
    "",
    task.prompt,
    "",
    task.artifacts.length === 0 ? "" : `These files must exist when you report: ${task.artifacts.join(", ")}`,
    `Report when it is done, with the nonce ${task.nonce}: the tool "report" of the isdlc server, or`,
    `  isdlc report --nonce ${task.nonce} --summary "<what you did>"`,
    'Questions that only the person can answer: the tool "ask", or isdlc report with "status":"needs_input" on its input.',
    "Do not commit, do not answer gates, and write nothing below .isdlc or .git: isdlc does that.",
  ];
}

function personLines(run: ActiveRun): string[] {
  const now = next(run);
  if (now.is !== "wait") return [];
  const summary = now.wait.kind === "gate" ? summaryPath(run) : null;
  return [
    `Run "${plainLine(run.run.title)}" waits for the person. Only they decide; you cannot.`,
    ...(summary === null ? [] : [`Summary to show them: ${summary}`]),
    `Explain the decision to them, and stop. If this session offers commands of isdlc, they type one of: ${now.options.map(typedCommand).join(", ")}. Otherwise they answer in their own terminal:`,
    ...waitLines(now.wait, now.options, { ...waitPlace(run), item: null }),
  ];
}

/** Formats a command for sessions in which the user can type isdlc commands. */
function typedCommand(option: WaitOption): string {
  if (option === "cancel") return "/isdlc:cancel <reason>";
  const [, ...words] = answerCommand(option).split(" ");
  const command = words.join(" ");
  return TYPED_VERBS.includes(words[0] ?? "") ? `/isdlc:${command}` : `isdlc ${command} (in a terminal)`;
}

const TYPED_VERBS: readonly string[] = ["continue", "review", "redo", "retry", "skip", "answer"];
