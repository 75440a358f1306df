import { writeSync } from "node:fs";
import { terminalText } from "../../../views/plain-text.ts";

/** Output of a command, and the properties of the terminal. Tests pass their own. */
export type Io = {
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** True if a user can answer: input and output are terminals, and neither `--json` nor `CI` is set. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly rows: number;
};

type Wishes = { readonly json: boolean; readonly noColor: boolean; readonly env: NodeJS.ProcessEnv };

/**
 * Returns the input and output of the process. Node's streams are created only when the terminal is queried: creating
 * them takes a quarter of the shortest start time, and most commands only write.
 */
export function createIo({ json, noColor, env }: Wishes): Io {
  const isScreen = (): boolean => isTerminal(process.stdout);
  const wantsNoColor = noColor || (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  return {
    out: (line) => writeText(1, `${terminalText(line)}\n`),
    err: (line) => writeText(2, `${terminalText(line)}\n`),
    get interactive() {
      return !json && (env["CI"] ?? "") === "" && isTerminal(process.stdin) && isScreen();
    },
    get color() {
      return !wantsNoColor && isScreen();
    },
    get columns() {
      return isScreen() ? process.stdout.columns : 80;
    },
    get rows() {
      return isScreen() ? process.stdout.rows : 24;
    },
  };
}

/** Streams other than terminals lack this property, despite their types. */
const isTerminal = (stream: { isTTY?: boolean }): boolean => stream.isTTY === true;

const waiting = new Int32Array(new SharedArrayBuffer(4));
const INPUT_DRAIN_MS = 5;

/** Writes a complete text to an open descriptor. The reader may be slow, or may have stopped reading as `head` does. */
export function writeText(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(waiting, 0, 0, INPUT_DRAIN_MS);
    }
  }
}
