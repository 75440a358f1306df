import type { Head, Seal } from "../../ports/journal.ts";
import type { RunId } from "../../schema/ids.ts";
import type { FileSystem } from "../files/file-system.ts";
import type { Anchors } from "../files/anchors.ts";
import { advance, emptyCursor, toHead, type Cursor } from "./fold.ts";
import { journalSize, openJournal, readJournal } from "./journal-location.ts";
import { readStartTime } from "./read-run.ts";
import { readBody, readLine } from "./record.ts";
import { checkBySchema } from "./schema-check.ts";

export type VerifyLocation = {
  /** `.isdlc/journal`. */
  readonly directory: string;
  readonly files: FileSystem;
  readonly seal: Seal;
  readonly anchors: Anchors;
};

export type Finding = {
  readonly is: "damaged" | "forged" | "newer" | "torn" | "missing" | "otherHead" | "elsewhere";
  /** Counted from 1. 0 for the whole file. */
  readonly line: number;
  readonly detail: string;
};

export type JournalVerification = {
  /** Null if the journal is missing. */
  readonly file: string | null;
  readonly findings: readonly Finding[];
  /** End of the valid part. */
  readonly head: Head;
  readonly lines: number;
  /** Bytes of the valid part, and of the whole file. */
  readonly sound: number;
  readonly size: number;
  /** True if the run is open at the end of the valid part. */
  readonly open: boolean;
};

/** Verifies the whole journal of a run: chain, key and anchor. Returns findings and changes nothing. */
export function verifyJournal(place: VerifyLocation, run: RunId): JournalVerification {
  const anchor = place.anchors.read(run);
  const journal = openJournal(place, run, "read");
  if (journal === null) return result(emptyCursor(run), { file: null, size: 0, findings: missing(anchor, 0) });
  try {
    const size = journalSize(place.files, journal);
    const bytes = readJournal(place.files, journal, { from: 0, to: size });
    const { cursor, finding, meetsAnchor } = walk(bytes, { seal: place.seal, anchor, run });
    const findings = finding === null ? [] : [finding];
    if (journal.unpacked === null) findings.push({ is: "damaged", line: 0, detail: "it cannot be unpacked" });
    if (anchor !== null && cursor.seq < anchor.seq) findings.push(...missing(anchor, cursor.lines));
    else if (!meetsAnchor)
      findings.push({ is: "otherHead", line: 0, detail: "it is not the journal that was acknowledged here" });
    const begun = readStartTime(cursor.state);
    if (anchor === null && begun !== null && begun !== place.anchors.tree)
      findings.push({ is: "elsewhere", line: 1, detail: `it was started in ${begun} and is not registered here` });
    return result(cursor, { file: journal.file, size, findings });
  } finally {
    place.files.closeSync(journal.fd);
  }
}

type WalkResult = { readonly cursor: Cursor; readonly finding: Finding | null; readonly meetsAnchor: boolean };

function walk(bytes: Buffer, by: { seal: Seal; anchor: Head | null; run: RunId }): WalkResult {
  let cursor = emptyCursor(by.run);
  let meetsAnchor = by.anchor === null;
  for (let at = 0; at < bytes.length; at = cursor.size) {
    const end = bytes.indexOf("\n", at) + 1;
    const line = bytes.subarray(at, end === 0 ? bytes.length : end);
    const step = readRecord(line, cursor, by.seal);
    if ("is" in step) return { cursor, finding: asTorn(step, at + line.length === bytes.length), meetsAnchor };
    cursor = step;
    if (cursor.seq === by.anchor?.seq) meetsAnchor = cursor.hash === by.anchor.hash;
  }
  return { cursor, finding: null, meetsAnchor };
}

function readRecord(line: Buffer, cursor: Cursor, seal: Seal): Cursor | Finding {
  const number = cursor.lines + 1;
  const reading = readLine(line, cursor.hash, seal);
  if (reading.is === "forged") return { is: "forged", line: number, detail: "it was not written with this user's key" };
  if (reading.is === "damaged") return { is: "damaged", line: number, detail: reading.detail };
  const body = readBody(reading.body, cursor.seq + 1, checkBySchema);
  if (body.is === "newer") return { is: "newer", line: number, detail: `it holds "${body.type.slice(0, 100)}"` };
  if (body.is === "unreadable") return { is: "damaged", line: number, detail: body.detail };
  return advance(cursor, body.events, { bytes: line, hash: reading.hash });
}

/**
 * Treats damage at the very end as torn: it was never acknowledged. If the anchor disagrees, that is a separate
 * finding.
 */
function asTorn(finding: Finding, atEnd: boolean): Finding {
  return finding.is === "damaged" && atEnd ? { ...finding, is: "torn" } : finding;
}

function missing(anchor: Head | null, lines: number): readonly Finding[] {
  if (anchor === null) return [];
  return [{ is: "missing", line: lines + 1, detail: `event ${anchor.seq} was acknowledged and is not there` }];
}

function result(cursor: Cursor, about: Pick<JournalVerification, "file" | "size" | "findings">): JournalVerification {
  return {
    ...about,
    head: toHead(cursor),
    lines: cursor.lines,
    sound: cursor.size,
    open: cursor.state.is === "active",
  };
}
