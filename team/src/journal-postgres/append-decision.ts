import { advance, type Cursor, parseEvents } from "../../../src/adapters/journal/fold.ts";
import { encodeRecord } from "../../../src/adapters/journal/record.ts";
import { checkBySchema } from "../../../src/adapters/journal/schema-check.ts";
import { next } from "../../../src/core/next.ts";
import { currentPhase, type RunState } from "../../../src/core/run.ts";
import type { EventDraft, RunEvent } from "../../../src/schema/event.ts";
import type { LeftTree } from "../../../src/schema/api-team.ts";
import { IS_GOOD } from "../people/principals.ts";
import { type Queryable, toSource, type Store } from "./read-run.ts";

/** Sender of a command. A worker is trusted only while its epoch is the run's epoch. */
export type Sender =
  | { readonly kind: "person" | "server"; readonly id: string }
  | { readonly kind: "worker"; readonly id: string; readonly epoch: number };

export type SubmissionDetails = {
  readonly by: Sender;
  /** Request id: repeated requests are recorded once. */
  readonly request?: string | undefined;
  /** Digest of the sender's token if it was not checked yet. Nothing is recorded with an invalid token. */
  readonly token?: string | null;
  /** Pushed state of the working tree that the decision is about. */
  readonly left?: LeftTree | null;
};

/** A decision ready to be written. */
export type PreparedDecision = {
  readonly from: Cursor;
  readonly after: Cursor;
  readonly events: readonly RunEvent[];
  readonly line: string;
};

/**
 * `unknown`: the token is not the sender's, has expired or was revoked. `moved`: another writer appended first.
 * `fenced`: the run belongs to another worker, or to none. `away`: the run is on a user's machine.
 */
export type AppendResult = "unknown" | "recorded" | "repeated" | "moved" | "fenced" | "missing" | "away";

/** Encodes and validates a decision. All errors in it surface here, before the write. */
export function prepareDecision(store: Store, from: Cursor, drafts: readonly EventDraft[]): PreparedDecision {
  const decided = { seq: from.seq + 1, at: store.clock.now(), events: drafts };
  const { line, hash, body } = encodeRecord(decided, from.hash, store.seal);
  const source = { ...toSource(store, from.run), check: checkBySchema };
  const events = parseEvents(body, from, source);
  return {
    from,
    events,
    after: advance(from, events, { bytes: line, hash }),
    line: line.toString("utf8").slice(0, -1),
  };
}

/** Appends the decision in one round trip, if nothing was appended since `from`. */
export async function appendDecision(
  client: Queryable,
  prepared: PreparedDecision,
  { by, request, token, left }: SubmissionDetails,
): Promise<AppendResult> {
  const { from, after, events, line } = prepared;
  const sender = [by.kind, by.id, by.kind === "worker" ? by.epoch : null, request ?? null];
  const decision = [from.seq + 1, events.length, from.hash, after.hash, line];
  const { rows } = await client.query<{ append: AppendResult }>({
    name: "isdlc-append",
    text: APPEND,
    values: [from.run, ...sender, ...decision, ...waitColumns(after.state), left ? JSON.stringify(left) : null, token],
  });
  return rows[0]?.append ?? "missing";
}

const APPEND = `select case when $16::text is null or exists (
    select 1 from isdlc.token where digest = $16 and owner = $3 and ${IS_GOOD})
  then isdlc.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
  else 'unknown' end as append`;

/** Columns for lists of runs: the kind of rest, the wait and the phase. */
export function waitColumns(state: RunState): readonly (string | null)[] {
  const now = next(state);
  const rests = now.is === "action" || now.is === "wait" ? now.is : "ended";
  if (state.is !== "active") return [rests, null, null, null];
  return [rests, state.wait?.id ?? null, state.wait?.kind ?? null, currentPhase(state)?.rule.key ?? null];
}
