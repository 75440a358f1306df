import type { ToolCall } from "./acp-messages.ts";

/** Characters of one progress text. */
const MAX_PROGRESS_LENGTH = 200;
/** Characters kept of an unfinished line; more are never displayed. */
const MAX_LINE_LENGTH = 4 * MAX_PROGRESS_LENGTH;

export interface MessageProgress {
  push(text: string): void;
  /** Called at the end of a message. */
  finish(): void;
}

/** Shows a streamed message line by line, without the JSON result at its end. */
export function createMessageProgress(show: (text: string) => void): MessageProgress {
  let line = "";
  let isResult = false;
  const endLine = (): void => {
    isResult ||= /^\s*(?:```json|\{)/.test(line);
    const text = isResult ? "" : oneShortLine(line);
    line = "";
    if (text !== "") show(text);
  };
  return {
    push: (text) => {
      const [first = "", ...others] = text.split("\n");
      line = `${line}${first}`.slice(0, MAX_LINE_LENGTH);
      for (const other of others) {
        endLine();
        line = other.slice(0, MAX_LINE_LENGTH);
      }
    },
    finish: () => {
      endLine();
      isResult = false;
    },
  };
}

/** Describes a tool call in one line, with paths relative to `cwd`. */
export function callText({ title, kind, locations }: ToolCall, cwd: string): string {
  const inside = (text: string): string => text.replaceAll(`${cwd}/`, "");
  const name = inside(title ?? kind ?? "tool");
  const place = locations?.[0]?.path ?? cwd;
  const isTold = place === cwd || name.includes(inside(place));
  return oneShortLine(isTold ? name : `${name} ${inside(place)}`);
}

function oneShortLine(text: string): string {
  const line = text
    .slice(0, MAX_LINE_LENGTH)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  return line.length > MAX_PROGRESS_LENGTH ? `${line.slice(0, MAX_PROGRESS_LENGTH - 1)}…` : line;
}
