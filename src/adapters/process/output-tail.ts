export interface OutputTail {
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
