import pc from "picocolors";
import type { Progress } from "../../../ports/progress.ts";
import type { RunEvent } from "../../../schema/event.ts";
import { plainLine, plainText } from "../../../views/plain-text.ts";
import { type WorkLine, workLines, stepText } from "../../../views/work-lines.ts";
import { attemptText, namePlanned, type NamePhase } from "../../../views/phase-names.ts";
import { wrapLines } from "../../../views/wrap-lines.ts";
import type { Io } from "../invocation/io.ts";
import type { Window } from "./window.ts";
import { tokens } from "../../../views/metrics.ts";

export type ProgressView = { show(progress: Progress): void; stop(): void };

const TICK_MILLISECONDS = 500;

type ReadEvents = () => readonly RunEvent[];

export type ProgressOptions = {
  readonly recorded: ReadEvents;
  /** Keeps the messages and actions of agents on the screen. */
  readonly isVerbose: boolean;
  readonly window: Pick<Window, "title">;
};

/**
 * Shows progress on stderr. At a terminal: permanent lines for completed work, and under them a line with the current
 * state. Otherwise plain lines.
 */
export function createProgressView(io: Io, watching: ProgressOptions): ProgressView {
  return io.interactive && process.stderr.isTTY
    ? createLiveLine(io, watching)
    : createPlainLines(io, watching.recorded);
}

function createPlainLines(io: Io, recorded: ReadEvents): ProgressView {
  const names = readNamesOnce(recorded);
  return {
    show({ at, step, attempt, text }) {
      if (at === "ended") return;
      const name = names();
      if (at === "started") io.err(startedText({ step, attempt, text }, name));
      else io.err(`${attempt === null ? "" : `${attemptText(attempt, name)}  `}${plainLine(text, 160)}`);
    },
    stop: () => undefined,
  };
}

type Current = { readonly key: string; readonly label: string; readonly since: number; last: string; used: string };

function createLiveLine(io: Io, { recorded, isVerbose, window }: ProgressOptions): ProgressView {
  const colors = pc.createColors(io.color);
  const tellNew = createTeller(io, recorded);
  const names = readNamesOnce(recorded);
  let current: Current | null = null;
  let timer: NodeJS.Timeout | null = null;
  const draw = (): void => {
    if (current === null) return;
    const elapsed = duration(performance.now() - current.since);
    const parts = [current.label, elapsed, current.used, current.last].filter((part) => part !== "");
    process.stderr.write(`${ERASE}${colors.dim("▸")} ${plainLine(parts.join(" · "), roomFor(io, 3))}`);
  };
  const keep = (text: string): void => {
    process.stderr.write(ERASE);
    for (const line of wrapLines(`  ${plainText(text)}`, roomFor(io, 2)).split("\n")) io.err(colors.dim(`  ${line}`));
  };
  const erase = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    if (current !== null) process.stderr.write(ERASE);
    current = null;
  };
  return {
    show({ at, step, attempt, text, usage }) {
      if (at === "ended") return erase();
      const key = `${step} ${attempt ?? ""}`;
      if (current?.key !== key) {
        erase();
        tellNew();
        const name = names();
        const label = at === "started" ? startedText({ step, attempt, text }, name) : stepText(step, attempt, name);
        current = { key, label, since: performance.now(), last: "", used: "" };
        window.title(`isdlc: ${label}`);
      }
      if (at === "says" && isVerbose) keep(text);
      else if (at === "says") current.last = plainLine(text, 160);
      if (usage !== null) current.used = tokens(usage);
      timer ??= setInterval(draw, TICK_MILLISECONDS);
      draw();
    },
    stop() {
      erase();
      tellNew();
    },
  };
}

/** Reads the phase names only once, because the plan of a run does not change. */
function readNamesOnce(recorded: ReadEvents): () => NamePhase {
  let names: NamePhase | null = null;
  return () => (names ??= namePlanned(recorded()));
}

const ERASE = "\r\u001B[2K";

/** Columns next to a mark. At least 20, because a shorter text would be useless. */
const roomFor = ({ columns }: Io, taken: number): number => Math.max(20, columns - taken);

/** Prints the events recorded since the previous call. Events from before it was created are not repeated. */
function createTeller(io: Io, recorded: ReadEvents): () => void {
  const paint = paintWorkLine(pc.createColors(io.color));
  let told = recorded().at(-1)?.seq ?? 0;
  return () => {
    const events = recorded();
    for (const { mark, text } of workLines(events, told))
      io.err(paint({ mark, text: plainLine(text, roomFor(io, 5)) }));
    told = events.at(-1)?.seq ?? told;
  };
}

/** Formats an event with its mark and color. */
export function paintWorkLine(colors: ReturnType<typeof pc.createColors>): (line: WorkLine) => string {
  const marks: Readonly<Record<WorkLine["mark"], (text: string) => string>> = {
    begun: (text) => colors.bold(`▸ ${text}`),
    good: (text) => `  ${colors.green("✓")} ${text}`,
    bad: (text) => `  ${colors.red("✗")} ${text}`,
  };
  return ({ mark, text }) => marks[mark](text);
}

/** `Running Plan with claude`, `Testing Implementation: npm test` */
function startedText({ step, attempt, text }: Pick<Progress, "step" | "attempt" | "text">, name: NamePhase): string {
  return `${stepText(step, attempt, name)}${step === "check" ? ":" : " with"} ${plainLine(text, 160)}`;
}

function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, "0")}s`;
}
