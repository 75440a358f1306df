import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { type Answers, createInbox } from "./answer-inbox.ts";
import { gitFailed, unavailable } from "./run-git.ts";
import { lstatSync, statSync } from "node:fs";
import { readBounded } from "../../files/file-system.ts";

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

/** Answers of git about paths, based on rules that git reads once and caches, such as `.gitignore`. */
type RuleConversation = <T>(asking: RuleQuery<T>) => Promise<T>;

type RuleQuery<T> = {
  /** Every file with a rule that could affect the answer. */
  readonly files: readonly (string | Buffer)[];
  /** All other input of the answer, compared by identity. */
  readonly given: unknown;
  readonly ask: (conversation: Conversation) => Promise<T>;
};

type RuleReader = { readonly conversation: Conversation; readonly read: Map<string, string>; readonly given: unknown };

/**
 * Reuses a git process only while `given` is the same and every rule file has its content from when that process first
 * read it.
 */
export function createRuleConversation(begin: () => Conversation): RuleConversation {
  let open: RuleReader | null = null;
  const end = (): void => {
    open?.conversation.end();
    open = null;
  };
  async function answered<T>({ files, given, ask }: RuleQuery<T>): Promise<T> {
    const before = joinContents(files);
    if (open !== null && (open.given !== given || !isAsRead(open, before))) end();
    const reader = (open ??= { conversation: begin(), read: new Map(), given });
    for (const [file, content] of before ?? []) reader.read.set(file, content);
    const answer = await ask(reader.conversation);
    if (!isAsRead(reader, joinContents(files)) && open === reader) end();
    return answer;
  }
  let last: Promise<unknown> = Promise.resolve();
  return (asking) => {
    const answer = last.then(() => answered(asking)); // in sequence: no request ends a git that another one uses
    last = answer.catch(() => undefined);
    return answer;
  };
}

type Contents = ReadonlyMap<string, string> | null;

const isAsRead = ({ read }: RuleReader, contents: Contents): boolean =>
  contents !== null && [...contents].every(([file, content]) => (read.get(file) ?? content) === content);

const MAX_RULE_FILE_BYTES = 1024 * 1024;

/** Returns null if a file is not a regular file, is unreadable, or is too large to compare. */
function joinContents(files: readonly (string | Buffer)[]): Contents {
  const contents = new Map<string, string>();
  for (const file of files) {
    try {
      const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true; // git follows only some links
      const found = statSync(file, { throwIfNoEntry: false });
      if (found !== undefined && (!found.isFile() || found.size > MAX_RULE_FILE_BYTES)) return null;
      const content = found === undefined ? "none" : `:${readBounded(file, MAX_RULE_FILE_BYTES).toString("latin1")}`;
      contents.set(file.toString("latin1"), `${isLink}${content}`);
    } catch {
      return null; // a file instead of a folder, no permission
    }
  }
  return contents;
}
