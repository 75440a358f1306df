import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type Answers, createInbox } from "./answer-inbox.ts";
import { gitFailed, unavailable } from "./run-git.ts";

export type TalkingGit = ChildProcessByStdio<Writable, Readable, Readable>;

/** One git process that answers many requests in sequence: starting a process costs more than most answers. */
export type Conversation = {
  ask<T>(request: Buffer, read: ReadAnswer<T>): Promise<T>;
  /** Ends the process. The next request starts a new one. */
  end(): void;
};

/** Reads one answer. If it throws and the process is not new, the request is repeated in a new process. */
type ReadAnswer<T> = (answers: Answers, isNew: boolean) => Promise<T>;

const ANSWER_TIMEOUT_MS = 60_000;
/** Idle processes must end, because a server opens many working trees. */
const IDLE_MILLISECONDS = 5 * 60_000;

/**
 * Starts git at the first request. The process ends after `idleMilliseconds` without a request. It also ends with this
 * program, which closes its input, and does not keep this program alive.
 * An old process may not see later changes, such as packed objects. A request that fails there is repeated in a new
 * process: requests must be repeatable.
 */
export function createConversation(
  command: string,
  start: () => TalkingGit,
  idleMilliseconds = IDLE_MILLISECONDS,
): Conversation {
  let open: Talk | null = null;
  let waiting = 0;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  async function answered<T>(request: Buffer, read: ReadAnswer<T>): Promise<T> {
    const isNew = open === null;
    const talk = (open ??= begin(command, start()));
    const timer = setTimeout(() => talk.stop("no answer in time"), ANSWER_TIMEOUT_MS);
    try {
      return await talk.during(() => read(talk.answersTo(request), isNew));
    } catch (error) {
      talk.stop("a request failed");
      open = null;
      if (isNew) throw error;
    } finally {
      clearTimeout(timer);
    }
    return answered(request, read);
  }
  const end = (): void => {
    open?.stop("it is not needed any more");
    open = null;
  };
  const rest = (): void => {
    if (--waiting === 0) idle = setTimeout(end, idleMilliseconds).unref();
  };
  return {
    ask(request, read) {
      clearTimeout(idle);
      waiting++;
      const answer = last.then(() => answered(request, read)).finally(rest);
      last = answer.catch(() => undefined);
      return answer;
    },
    end,
  };
}

type Talk = {
  answersTo(request: Buffer): Answers;
  /** Keeps this program alive while it waits for an answer. */
  during<T>(work: () => Promise<T>): Promise<T>;
  stop(why: string): void;
};

function begin(command: string, child: TalkingGit): Talk {
  const inbox = createInbox();
  let words = "";
  let stopped: string | null = null;
  child.stdout.on("data", (chunk: Buffer) => inbox.put(chunk));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (words = (words + text).slice(-2000)));
  child.stdin.on("error", () => undefined); // the `close` event reports the reason
  child.on("error", (error) => inbox.fail(unavailable(error.message)));
  child.on("close", () => inbox.fail(gitFailed(command, stopped ?? (words.trim() || "it ended"))));
  const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as { ref(): void; unref(): void }[]; // pipes are sockets
  for (const handle of handles) handle.unref();
  return {
    answersTo(request) {
      child.stdin.write(request);
      return inbox;
    },
    async during(work) {
      for (const handle of handles) handle.ref();
      try {
        return await work();
      } finally {
        for (const handle of handles) handle.unref();
      }
    },
    stop(why) {
      stopped ??= why;
      child.kill("SIGKILL");
    },
  };
}
