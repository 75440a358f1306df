import { UNSEEN } from "../core/failure-digest.ts";
import type { Wait } from "../core/run.ts";
import { plainLine } from "./plain-text.ts";

/** In characters. For lines that must be read completely: longer than any path of a file system. */
const MAX_LINE_LENGTH = 5000;

/** Explains why the finish question is asked again. */
export function movedLines(moved: readonly string[]): string[] {
  if (moved.length === 0) return [];
  const told = moved.map((line) => `  ${plainLine(line, MAX_LINE_LENGTH)}`);
  return ["Nothing was merged: it is no longer what you were shown.", ...told];
}

/** Explains why an answered gate is open again. */
export function failureLines({ failures }: Extract<Wait, { kind: "gate" }>): string[] {
  if (failures.length === 0) return [];
  const told = failures.flatMap(({ name, detail }) => {
    const [first = "", ...rest] = detail.split("\n");
    const shown = name === UNSEEN ? [first, ...rest] : [`${name}: ${[first, ...rest].join(" ")}`];
    return shown.map((line) => `  ${plainLine(line, name === UNSEEN ? MAX_LINE_LENGTH : undefined)}`);
  });
  return ["Reopened because something changed after you reviewed it; Continue proceeds anyway:", ...told];
}
