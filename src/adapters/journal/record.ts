import { isEventType } from "../../core/evolve/evolve.ts";
import { isRecord } from "../../core/own-value.ts";
import type { EventDraft, RunEvent } from "../../schema/event.ts";
import type { RunId } from "../../schema/ids.ts";
import { sha256 } from "../files/node-crypto.ts";
import type { Seal } from "../../ports/journal.ts";

/** Format of the events in a record. Increased if events of older programs must be read differently. */
export const FORMAT = 1;

/** One decision: its events, the number of the first one, and the time. */
export type DecisionRecord = { readonly seq: number; readonly at: string; readonly events: readonly EventDraft[] };

/** Check result of a line, before its content is read. */
export type LineReading =
  | { readonly is: "record"; readonly hash: string; readonly body: string }
  | { readonly is: "damaged"; readonly detail: string }
  /** Complete, but with a wrong seal: written by someone else. */
  | { readonly is: "forged" };

export type BodyReading =
  | { readonly is: "events"; readonly events: readonly RunEvent[] }
  | { readonly is: "unreadable"; readonly detail: string }
  | { readonly is: "newer"; readonly type: string };

/** Longer lines are neither written nor accepted. */
export const LINE_LIMIT = 16 * 1024 * 1024; // bytes

/**
 * Returns the hash before the first record. It contains the run's id, to keep a journal from passing for that of
 * another run.
 */
export const genesis = (run: RunId): string => sha256(`isdlc journal ${run}`);

/** Encoded record. `line` includes its newline; each of its bytes is hashed or compared. `body` is the hashed part. */
export type EncodedRecord = { readonly line: Buffer; readonly hash: string; readonly body: string };

export function encodeRecord(decided: DecisionRecord, previous: string, seal: Seal): EncodedRecord {
  const body = JSON.stringify(recordBody(decided));
  const hash = sha256(`${previous}\n${body}`);
  const line = Buffer.from(`${body.slice(0, -1)},"h":"${hash}","m":"${seal.mark(hash)}"}\n`);
  return { line, hash, body };
}

const recordBody = ({ seq, at, events }: DecisionRecord) => ({ seq, at, v: FORMAT, events });

/** Checks hash and seal of a line with its newline, without parsing it. */
export function readLine(line: Buffer, previous: string, seal: Seal): LineReading {
  const cut = line.lastIndexOf(SEAL_START);
  if (cut < 1 || line.length > LINE_LIMIT) return { is: "damaged", detail: "it is not a record" };
  const [sealed, hash = "", mark = ""] = SEALED.exec(line.toString("latin1", cut)) ?? [];
  if (sealed === undefined) return { is: "damaged", detail: "it has no seal" };
  const hashed = Buffer.allocUnsafe(previous.length + cut + 2);
  hashed.write(previous, "latin1");
  hashed[previous.length] = LINE_FEED;
  line.copy(hashed, previous.length + 1, 0, cut);
  hashed[hashed.length - 1] = BRACE;
  if (sha256(hashed) !== hash) return { is: "damaged", detail: "its hash does not fit" };
  const text = hashed.toString("utf8", previous.length + 1);
  return seal.fits(hash, mark, text) ? { is: "record", hash, body: text } : { is: "forged" };
}

/** Reads the events of a record and checks each. The first must have the number `seq`. */
export function readBody(body: string, seq: number, check: EventCheck): BodyReading {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { is: "unreadable", detail: "it is not JSON" };
  }
  const { seq: first, at, events, v } = isRecord(value) ? value : NOTHING;
  if (first !== seq) return { is: "unreadable", detail: `event ${seq} should start here` };
  if (typeof at !== "string" || !Array.isArray(events) || events.length === 0)
    return { is: "unreadable", detail: "it holds no events" };
  return readEvents(events, { seq, at }, (draft) => check(draft, v));
}

const NOTHING: Record<string, unknown> = {};

const SEAL_START = Buffer.from(',"h":"');
const SEALED = /^,"h":"([0-9a-f]{64})","m":"([0-9A-Za-z_.-]{32,200})"\}\n$/;
const BRACE = 0x7d;
const LINE_FEED = 0x0a;

type Drafts = readonly unknown[];

function readEvents(
  drafts: Drafts,
  first: { seq: number; at: string },
  check: (draft: unknown) => ReturnType<EventCheck>,
): BodyReading {
  const events: RunEvent[] = [];
  for (const draft of drafts) {
    const checked = check(draft);
    if (checked.is !== "event") return checked;
    events.push(Object.assign(checked.draft, { seq: first.seq + events.length, at: first.at }));
  }
  return { is: "events", events };
}

export type CheckedDraft =
  | { readonly is: "event"; readonly draft: EventDraft }
  | { readonly is: "unreadable"; readonly detail: string }
  | { readonly is: "newer"; readonly type: string };

/** Checks one event of a record with a valid seal. `format` is the format declared by the record. */
export type EventCheck = (draft: unknown, format: unknown) => CheckedDraft;

/**
 * Trusts the seal: only this user's isdlc writes it. Skips loading the schema, which takes a third of the start time
 * of bare Node. Verifying a journal checks every event against the schema.
 */
export const checkBySeal: EventCheck = (draft, format) => {
  const { type } = isRecord(draft) ? draft : NOTHING;
  if (typeof type !== "string") return { is: "unreadable", detail: "an event has no type" };
  if (!isEventType(type)) return { is: "newer", type };
  if (format !== FORMAT) return { is: "newer", type: `format ${String(format)}` };
  return { is: "event", draft: draft as EventDraft }; // sealed by the program that created it
};
