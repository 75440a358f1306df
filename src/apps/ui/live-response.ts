import type { LiveMessage } from "../../schema/api-live.ts";
import { follow } from "./live.ts";
import type { ServerContext } from "./served.ts";

const KEEP_ALIVE = 15_000; // milliseconds
/** Maximum number of queued messages. Beyond it, the reader counts as disconnected. */
const MAX_WAITING = 500;

/** Streams changes from now on as server-sent events. */
export function liveResponse({ repository, version }: ServerContext, watched: string | null): Response {
  if (watched !== null) repository.find(watched);
  return eventStream(({ tell, fail, signal }) => follow(repository, version, { tell, fail, watched, signal }));
}

export type Stream = {
  readonly tell: (message: LiveMessage) => void;
  /** Ends the stream with an error. */
  readonly fail: (error: unknown) => void;
  /** Aborted when the reader disconnects. */
  readonly signal: AbortSignal;
};

/**
 * Streams messages to one reader until it disconnects. Use `fetch` to read it: EventSource cannot send the session's
 * header.
 */
export function eventStream(begin: (stream: Stream) => void | Promise<void>): Response {
  const gone = new AbortController();
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string): void => {
          if (gone.signal.aborted) return;
          if ((controller.desiredSize ?? 0) >= -MAX_WAITING) return controller.enqueue(encoder.encode(text));
          gone.abort();
          controller.close();
        };
        const tell = (message: LiveMessage): void => write(`data: ${JSON.stringify(message)}\n\n`);
        const timer = setInterval(() => write(": still here\n\n"), KEEP_ALIVE);
        gone.signal.addEventListener("abort", () => clearInterval(timer));
        const fail = (error: unknown): void => {
          if (gone.signal.aborted) return;
          gone.abort();
          controller.error(error);
        };
        const ended = begin({ tell, fail, signal: gone.signal });
        if (ended instanceof Promise) ended.then(() => fail(new Error("nothing more is told")), fail);
      },
      cancel() {
        gone.abort();
      },
    },
    { highWaterMark: 1 },
  );
  const headers = { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no" };
  return new Response(body, { headers });
}
