import pc from "picocolors";
import type { Progress } from "../../engine/engine.ts";
import { plainLine } from "../../views/plain-text.ts";
import { tokens } from "../../views/status.ts";
import type { Io } from "./io.ts";

export type ProgressView = { show(progress: Progress): void; stop(): void };

const TICK_MILLISECONDS = 500;

/** Live progress: one line that renews itself at a terminal, plain lines elsewhere. */
export function createProgressView(io: Io, quiet: boolean): ProgressView {
  if (quiet) return { show: () => undefined, stop: () => undefined };
  return io.interactive && process.stderr.isTTY ? createLiveLine(io) : createPlainLines(io);
}

function createPlainLines(io: Io): ProgressView {
  return {
    show({ at, step, attempt, text }) {
      if (at === "ended") return;
      const what = at === "started" ? `${verbOf(step)} with ${text}` : plainLine(text, 160);
      io.err(`${attempt === null ? "" : `${attempt}  `}${what}`);
    },
    stop: () => undefined,
  };
}

function createLiveLine(io: Io): ProgressView {
  const colors = pc.createColors(io.color);
  let current: { key: string; label: string; since: number; last: string; used: string } | null = null;
  let timer: NodeJS.Timeout | null = null;
  const draw = (): void => {
    if (current === null) return;
    const elapsed = duration(performance.now() - current.since);
    const parts = [current.label, elapsed, current.used, current.last].filter((part) => part !== "");
    process.stderr.write(`\r\u001B[2K${colors.dim("▸")} ${plainLine(parts.join(" · "), Math.max(20, io.columns - 3))}`);
  };
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
    if (current !== null) process.stderr.write("\r\u001B[2K");
    current = null;
  };
  return {
    show({ at, step, attempt, text, usage }) {
      if (at === "ended") return stop();
      const key = `${step} ${attempt ?? ""}`;
      if (current?.key !== key) {
        const label = `${attempt ?? ""} ${verbOf(step)}${at === "started" ? ` with ${text}` : ""}`.trim();
        current = { key, label, since: performance.now(), last: "", used: "" };
      }
      if (at === "says") current.last = plainLine(text, 160);
      if (usage !== null) current.used = tokens(usage);
      timer ??= setInterval(draw, TICK_MILLISECONDS);
      draw();
    },
    stop,
  };
}

const VERBS: Readonly<Record<string, string>> = {
  produce: "working",
  review: "being reviewed",
  check: "running tests:",
};
const verbOf = (step: string): string => VERBS[step] ?? step;

function duration(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, "0")}s`;
}
