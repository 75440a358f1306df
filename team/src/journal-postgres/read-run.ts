import type { ClientBase, Pool } from "pg";
import { withCountermarks } from "../../../src/adapters/files/countermarks.ts";
import { checkBySeal } from "../../../src/adapters/journal/record.ts";
import { type Cursor, emptyCursor, fold, toHead, type Source } from "../../../src/adapters/journal/fold.ts";
import type { Decide, Head, LoadedRun, Seal } from "../../../src/ports/journal.ts";
import type { JournalLines } from "../../../src/schema/api-team.ts";
import type { RunEvent } from "../../../src/schema/event.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { Clock } from "../../../src/ports/processes.ts";

/** A connection in a transaction, or the pool. */
export type Queryable = ClientBase | Pool;

export type Store = {
  readonly pool: Pool;
  readonly seal: Seal;
  readonly clock: Clock;
  readonly decide: Decide;
  /** Last known cursors, least recently used first. */
  readonly known: Map<RunId, Cursor>;
};

const MAX_KNOWN = 500;

export const toLoaded = (cursor: Cursor): LoadedRun => ({ state: cursor.state, head: toHead(cursor) });

export const toSource = ({ seal }: Pick<Store, "seal">, run: RunId): Source => ({
  file: `run ${run}`,
  seal,
  check: checkBySeal,
  witnesses: [],
});

/** Stores the most advanced cursor of a run. */
export function remember({ known }: Store, cursor: Cursor): Cursor {
  const newest = known.get(cursor.run);
  const kept = newest !== undefined && newest.seq > cursor.seq ? newest : cursor;
  known.delete(cursor.run);
  known.set(cursor.run, kept);
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
  return cursor;
}

/** Reads the decisions recorded since the last known cursor. */
export async function catchUp(store: Store, run: RunId, client: Queryable = store.pool): Promise<Cursor> {
  const from = store.known.get(run) ?? emptyCursor(run);
  const { head, ...read } = await linesAfter(client, run, from.seq);
  const witnesses = head === null ? [] : [head];
  const { cursor } = fold(from, joinLines(read), { ...sourceOfLines(store, run, read), witnesses });
  return head === null ? cursor : remember(store, cursor);
}

/** Reads all events of a run, and verifies each line again. */
export async function eventsOfRun(store: Store, run: RunId): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const { head, ...read } = await linesAfter(store.pool, run, 0);
  const onEvents = (read: readonly RunEvent[]): number => events.push(...read);
  const witnesses = head === null ? [] : [head];
  fold(emptyCursor(run), joinLines(read), { ...sourceOfLines(store, run, read), witnesses, onEvents });
  return events;
}

export const sourceOfLines = (store: Pick<Store, "seal">, run: RunId, { countermarks }: JournalLines): Source => ({
  ...toSource(store, run),
  seal: withCountermarks(store.seal, (hash) => countermarks[hash]),
});

export type Lines = JournalLines & { readonly head: Head | null };

type JournalRow = {
  readonly line: string | null;
  readonly hash: string;
  readonly countermark: string | null;
  readonly head_seq: number;
  readonly head_hash: string;
};

/** Reads the lines after an event, and the head of the run, in one statement for a consistent view. */
export async function linesAfter(client: Queryable, run: RunId, seq: number): Promise<Lines> {
  const text = `select d.line, d.hash, d.countermark, r.head_seq, r.head_hash from isdlc.run r
    left join isdlc.decision d on d.run = r.run and d.seq > $2 where r.run = $1 order by d.seq`;
  const { rows } = await client.query<JournalRow>({ name: "isdlc-lines", text, values: [run, seq] });
  const [first] = rows;
  return {
    lines: rows.flatMap(({ line }) => line ?? []),
    countermarks: Object.fromEntries(
      rows.flatMap(({ hash, countermark }) => (countermark === null ? [] : [[hash, countermark]])),
    ),
    head: first === undefined ? null : { seq: first.head_seq, hash: first.head_hash },
  };
}

export const joinLines = ({ lines }: Pick<JournalLines, "lines">): Buffer =>
  Buffer.from(lines.map((line) => `${line}\n`).join(""));
