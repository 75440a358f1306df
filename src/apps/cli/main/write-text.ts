import { writeSync } from "node:fs";

const waiting = new Int32Array(new SharedArrayBuffer(4));
const PATIENCE_MILLISECONDS = 5;

/** Writes all of a text to an open descriptor. Whoever reads may be slow, or may have stopped reading as `head` does. */
export function writeText(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
      Atomics.wait(waiting, 0, 0, PATIENCE_MILLISECONDS);
    }
  }
}
