/** Typed reads from git's output. */
export type Answers = {
  line(): Promise<string>;
  /** Reads up to the next NUL. */
  field(): Promise<Buffer>;
  bytes(count: number): Promise<Buffer>;
  /** Returns true if the next bytes equal the text. Consumes nothing. */
  isNext(text: string): Promise<boolean>;
};

export type Inbox = Answers & { put(chunk: Buffer): void; fail(error: Error): void };

/** Creates a buffer of output that was received but not read yet. */
export function createInbox(): Inbox {
  const waiting = createWaiting();
  return {
    put: (chunk) => waiting.put(chunk),
    fail: (error) => waiting.fail(error),
    bytes: (count) => waiting.taken((held) => (held.size() >= count ? held.take(count) : null)),
    isNext: (text) => waiting.taken((held) => (held.size() >= text.length ? held.first(text.length) === text : null)),
    line: async () => (await waiting.until(LINE_BREAK)).toString("utf8"),
    field: () => waiting.until(NUL),
  };
}

const LINE_BREAK = 0x0a;
const NUL = 0;

function createWaiting() {
  const held = createHeld();
  let failure: Error | null = null;
  let wake: (() => void) | null = null;
  const more = (): Promise<void> => {
    if (failure !== null) return Promise.reject(failure);
    return new Promise((resolve, reject) => (wake = () => (failure === null ? resolve() : reject(failure))));
  };
  const woken = (): void => {
    const waiting = wake;
    wake = null;
    waiting?.();
  };
  /** Waits until `read` returns a value for the received bytes. */
  async function taken<T>(read: (bytes: InboxBuffer) => T | null): Promise<T> {
    for (;;) {
      const found = read(held);
      if (found !== null) return found;
      await more();
    }
  }
  return {
    put(chunk: Buffer) {
      held.add(chunk);
      woken();
    },
    fail(error: Error) {
      failure ??= error;
      woken();
    },
    taken,
    until: (byte: number): Promise<Buffer> =>
      taken((bytes) => {
        const end = bytes.positionOf(byte);
        return end === -1 ? null : bytes.take(end + 1).subarray(0, end);
      }),
  };
}

type InboxBuffer = {
  size(): number;
  first(count: number): string;
  take(count: number): Buffer;
  positionOf(byte: number): number;
};

function createHeld(): InboxBuffer & { add(chunk: Buffer): void } {
  let chunks: Buffer[] = [];
  let size = 0;
  const all = (): Buffer => {
    const [only] = chunks;
    if (chunks.length === 1 && only !== undefined) return only;
    const joined = Buffer.concat(chunks);
    chunks = [joined];
    return joined;
  };
  return {
    add(chunk) {
      chunks.push(chunk);
      size += chunk.length;
    },
    size: () => size,
    first: (count) => all().toString("latin1", 0, count),
    take(count) {
      const bytes = all();
      chunks = bytes.length > count ? [bytes.subarray(count)] : [];
      size -= count;
      return bytes.subarray(0, count);
    },
    positionOf(byte) {
      let before = 0;
      for (const chunk of chunks) {
        const at = chunk.indexOf(byte);
        if (at !== -1) return before + at;
        before += chunk.length;
      }
      return -1;
    },
  };
}
