import { randomUUID } from "node:crypto";
import { withCountermarks } from "../../../src/adapters/files/countermarks.ts";
import { type Cursor, emptyCursor, toHead } from "../../../src/adapters/journal/fold.ts";
import { type ServerClient, readLines } from "../../../src/adapters/remote/server-client.ts";
import type { Command, Refusal } from "../../../src/core/command.ts";
import { ProblemError } from "../../../src/core/problem.ts";
import type { Head, Journal, LoadedRun, SubmitResult, Seal } from "../../../src/ports/journal.ts";
import { JournalLines, type LeftTree, ReportAnswer } from "../../../src/schema/api-team.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import type { CommitId, RunId } from "../../../src/schema/ids.ts";
import type { RunCommit } from "./mirror.ts";
import { toReport } from "../reports/start-facts.ts";

export type HttpJournalOptions = {
  readonly ask: ServerClient;
  readonly run: RunId;
  readonly epoch: number;
  readonly seal: Seal;
  /** Pushes the work of the next record, to keep the remote ahead of the journal. */
  readonly beforeRecord: (command: Command) => Promise<LeftTree | null>;
  /** Called after the server's answer: others now know the pushed work. */
  readonly afterRecord: () => void;
};

export type HttpJournal = Journal & {
  /** Aborted once another worker has the run. */
  readonly lost: AbortSignal;
  /** Handles a heartbeat's answer: the run's last event, or null if this worker no longer holds the run. */
  hear(seq: number | null): void;
  /** Returns true if the journal shows this commit at a gate, or had the head in its trailer. */
  readonly knows: (commit: RunCommit) => boolean;
};

/** A long timeout, because finished work must survive an outage of the server. */
const SERVER_TIMEOUT_MS = 30 * 60_000; // milliseconds

/**
 * Creates a worker's journal of one run. It is kept in memory, every line is verified, and the server writes every
 * record.
 */
export function createHttpJournal(options: HttpJournalOptions): HttpJournal {
  const { run } = options;
  const known = createKnown(options);
  const lost = new AbortController();
  const waiting = new Set<() => void>();
  const submit = async (command: Command): Promise<SubmitResult> => {
    try {
      if (lost.signal.aborted) throw new FencedOffError(`Run ${run} now belongs to another worker.`);
      return await known.submit(command);
    } catch (error) {
      if (isFenced(error)) lost.abort();
      throw error;
    }
  };
  return {
    lost: lost.signal,
    knows: ({ commit, journal }) => (journal === "" ? known.shows(commit) : known.heads.has(journal)),
    newest: () => run,
    current: async () => ({ run, ...(await known.load()) }),
    load: () => known.load(),
    events: () => known.events(),
    submit: (_run, command) => submit(command),
    create: (_run, start) => submit(start),
    changed: (_run, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener("abort", wake);
        if (known.isStale() || signal.aborted) wake();
      }),
    hear(seq) {
      if (seq !== null && !known.isBehind(seq)) return;
      if (seq === null) lost.abort();
      for (const wake of waiting) wake();
    },
  };
}

/** Holds the known part of the run, and loads the rest. */
function createKnown({ ask, run, epoch, seal, beforeRecord, afterRecord }: HttpJournalOptions) {
  let cursor: Cursor = emptyCursor(run);
  let isStale = true;
  const events: RunEvent[] = [];
  const heads = new Set<string>();
  const take = ({ lines, countermarks }: JournalLines): readonly RunEvent[] => {
    const before = events.length;
    const marked = withCountermarks(seal, (hash) => countermarks[hash]);
    for (const line of lines) {
      const read = readLines(cursor, [line], marked);
      cursor = read.cursor;
      heads.add(headName(toHead(cursor)));
      events.push(...read.events);
    }
    isStale = false;
    return events.slice(before);
  };
  const loaded = (): LoadedRun => ({ state: cursor.state, head: toHead(cursor) });
  const load = async (): Promise<LoadedRun> => {
    if (!isStale) return loaded();
    const path = `/api/runs/${run}/lines?after=${cursor.seq}`;
    take(await ask({ method: "GET", path, answer: JournalLines, patience: SERVER_TIMEOUT_MS }));
    return loaded();
  };
  return {
    heads,
    shows: (commit: CommitId): boolean => events.some((event) => shownCommit(event) === commit),
    load,
    isStale: () => isStale,
    /** Returns true if the run is ahead of the known part, and remembers it. */
    isBehind: (seq: number): boolean => (isStale ||= seq > cursor.seq),
    async events(): Promise<readonly RunEvent[]> {
      await load();
      return [...events];
    },
    async submit(command: Command): Promise<SubmitResult> {
      await load();
      const left = await beforeRecord(command);
      const body = { command: toReport(command), epoch, request: randomUUID(), after: cursor.seq, left };
      const path = `/api/worker/runs/${run}/commands`;
      const report = { method: "POST", path, body, isRepeatable: true } as const;
      const answer = await ask({ ...report, answer: ReportAnswer, patience: SERVER_TIMEOUT_MS });
      const recorded = take({ lines: answer.lines, countermarks: {} });
      if (answer.ok) afterRecord();
      return answer.ok
        ? { ok: true, ...loaded(), events: recorded }
        : { ok: false, ...loaded(), refusal: answer.refusal as Refusal }; // a refusal of the core, sent by the server
    },
  };
}

/** Returns the commit that a gate shows, if the event names one. */
function shownCommit(event: RunEvent): CommitId | null {
  if (event.type === "phase.completed") return event.made.proposedCommit ?? null;
  return event.type === "phase.rechecked" ? (event.proposedCommit ?? null) : null;
}

/** In the form of a commit trailer. */
const headName = ({ seq, hash }: Head): string => `${seq}:${hash.slice(0, 16)}`;

/** The run was taken away, and this process already knows it. */
export class FencedOffError extends Error {}

export const isFenced = (error: unknown): boolean =>
  error instanceof FencedOffError ||
  (error instanceof ProblemError && error.problem.code === "SERVER_REFUSED" && error.problem.reason === "FENCED");
