import type { ServerContext } from "./served.ts";
import type { LiveMessage } from "../../schema/api-status.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunId } from "../../schema/ids.ts";
import { openRuns } from "./list-runs.ts";
import { isDriven, type LocatedProject, type ServedRepository } from "./repository.ts";
import { followActivity } from "../../adapters/files/transcripts.ts";

const KEEP_ALIVE = 15_000; // milliseconds
/** Maximum number of queued messages. Beyond it, the reader counts as disconnected. */
const MAX_WAITING_MESSAGES = 500;

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
          if ((controller.desiredSize ?? 0) >= -MAX_WAITING_MESSAGES) return controller.enqueue(encoder.encode(text));
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
        if (ended instanceof Promise) ended.then(() => fail(new Error("the stream has ended")), fail);
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

/** Milliseconds between scans for new runs, and for started or ended drivers, which the journal does not report. */
const LIVE_INTERVAL_MS = 1000;

type Listener = {
  readonly tell: (message: LiveMessage) => void;
  /** Ends the stream with an error. */
  readonly fail: (error: unknown) => void;
  /** Run whose agent activity is streamed, too, if any. */
  readonly watched: RunId | null;
  readonly signal: AbortSignal;
};

/** Reports all changes of the repository's runs until the signal aborts. */
function follow(repository: ServedRepository, version: string, listener: Listener): void {
  const { tell, signal, watched } = listener;
  const followed = new Map<string, string>();
  let waiting = -1;
  const scan = (): void => {
    const places = repository.places();
    for (const located of places) followNewest(located, { followed, tell, signal });
    const count = openRuns(places).rows.filter(({ wait }) => wait !== null).length;
    if (count !== waiting) tell({ is: "waiting", count });
    waiting = count;
  };
  tell({ is: "hello", version });
  scan();
  const timer = setInterval(() => {
    try {
      scan();
    } catch (error) {
      listener.fail(error); // the reader connects again, and the lists report the problem
    }
  }, LIVE_INTERVAL_MS);
  signal.addEventListener("abort", () => clearInterval(timer));
  if (watched !== null) listen(repository, watched, listener);
}

type LiveFollower = Pick<Listener, "tell" | "signal"> & { readonly followed: Map<string, string> };

function followNewest(located: LocatedProject, { followed, tell, signal }: LiveFollower): void {
  const { project, place } = located;
  const key = `${place.path}\n${place.item ?? ""}`;
  try {
    const run = project.journal.newest();
    if (run === null) return;
    const before = followed.get(key);
    const now = `${run} ${isDriven(located)}`;
    if (before === now) return;
    followed.set(key, now);
    const { state } = project.journal.load(run);
    if (before !== undefined && state.is !== "none") tell({ is: "changed", run, seq: state.seq });
    if (before?.split(" ", 1)[0] !== run) void followRun(located, run, { tell, signal });
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error; // lists report problems of a journal
  }
}

/** Milliseconds to wait after a change without new events: a missing journal reports changes all the time. */
const LOOKS_AGAIN_AFTER = 250;

async function followRun({ project }: LocatedProject, run: RunId, { tell, signal }: Pick<Listener, "tell" | "signal">) {
  let told = readSeq(() => project.journal.load(run));
  while (!signal.aborted) {
    await project.journal.changed(run, signal);
    const seq = readSeq(() => project.journal.load(run));
    if (seq === told) await project.pause(LOOKS_AGAIN_AFTER, signal);
    else tell({ is: "changed", run, seq });
    told = seq;
  }
}

/** Returns 0 for an unreadable journal, which is read again when it changes. */
function readSeq(load: () => ReturnType<LocatedProject["project"]["journal"]["load"]>): number {
  try {
    const { state } = load();
    return state.is === "none" ? 0 : state.seq;
  } catch (error) {
    if (error instanceof ProblemError) return 0;
    throw error;
  }
}

function listen(repository: ServedRepository, run: RunId, { tell, signal }: Listener): void {
  const { project } = repository.find(run);
  followActivity(project, run, {
    tell: ({ execution, lines }) => tell({ is: "activity", run, execution, lines: [...lines] }),
    signal,
  });
}
