/** One line of output. `cut`: longer than the limit, only the start is here. */
export type Line = { readonly text: string; readonly cut: boolean };

export interface LineSplitter {
  push(chunk: Uint8Array): void;
  /** Emits the text after the last newline. */
  finish(): void;
}

const NEWLINE = 10;
const SMALLEST_BUFFER = 4096;

/** Splits bytes into lines of UTF-8. Never holds more than twice `limit` bytes. */
export function createLineSplitter(limit: number, onLine: (line: Line) => void): LineSplitter {
  let held = Buffer.alloc(0);
  let length = 0;
  let cut = false;

  const keep = (part: Uint8Array): void => {
    const taken = part.subarray(0, limit - length);
    cut ||= taken.length < part.length;
    if (length + taken.length > held.length) {
      const larger = Buffer.alloc(Math.min(limit, Math.max(SMALLEST_BUFFER, 2 * (length + taken.length))));
      held.copy(larger, 0, 0, length);
      held = larger;
    }
    held.set(taken, length);
    length += taken.length;
  };
  const emit = (): void => {
    const end = !cut && length > 0 && held[length - 1] === 13 ? length - 1 : length;
    const line = { text: held.toString("utf8", 0, end), cut };
    length = 0;
    cut = false;
    onLine(line);
  };
  return {
    push: (chunk) => {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        emit();
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    finish: () => {
      if (length > 0 || cut) emit();
    },
  };
}

interface OutputTail {
  push(chunk: Uint8Array): void;
  text(): string;
}

/** Keeps the end of an output and drops older bytes. Holds at most `limit` bytes and one chunk. */
export function createOutputTail(limit: number): OutputTail {
  let held = Buffer.alloc(0);
  let cut = false;
  return {
    push: (chunk) => {
      const all = Buffer.concat([held, chunk]);
      cut ||= all.length > limit;
      held = Buffer.from(all.subarray(Math.max(0, all.length - limit)));
    },
    text: () => (cut ? "[…] " : "") + held.toString("utf8"),
  };
}
