import { constants } from "node:fs";
import { ownValue } from "../../core/own-value.ts";
import { isRunId, type RunId } from "../../schema/ids.ts";
import { OPEN, openPlain, readRange, writeAll, type FileSystem } from "../file-system/file-system.ts";
import { sha256 } from "../file-system/node-crypto.ts";

/** The newest head of one run. Counts only together with the list of the same generation. */
export type AnchorHead = {
  readonly generation: string;
  readonly run: RunId;
  readonly seq: number;
  readonly hash: string;
};

const LENGTH = 256; // bytes, always all of them: the file never changes its size
const TRIES = 5;

/**
 * Writes over the one block of the file. Replacing the file instead would cost as much as the journal's own sync, for
 * every decision; what is lost by a torn write is one head, and the list still has an earlier one.
 */
export function writeAnchorHead(files: FileSystem, file: string, head: AnchorHead): void {
  const text = JSON.stringify(head);
  const fd = openPlain(files, file, OPEN.change | constants.O_CREAT);
  if (fd === null) return;
  try {
    const bytes = Buffer.from(`${checksum(text)} ${text}`.padEnd(LENGTH - 1) + "\n");
    writeAll(files, fd, { bytes, position: 0 });
  } finally {
    files.closeSync(fd);
  }
}

/** Null where there is none, or none that is whole. */
export function readAnchorHead(files: FileSystem, file: string): AnchorHead | null {
  const fd = openPlain(files, file, OPEN.read);
  if (fd === null) return null;
  try {
    // Read without a lock: what is being written just now may look torn once.
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const text = readRange(files, fd, { from: 0, to: LENGTH }).toString("utf8").trimEnd();
      const content = text.slice(text.indexOf(" ") + 1);
      if (text.startsWith(`${checksum(content)} `)) return parseAnchorHead(JSON.parse(content));
    }
    return null;
  } finally {
    files.closeSync(fd);
  }
}

function parseAnchorHead(value: unknown): AnchorHead | null {
  const generation = ownValue(value, "generation");
  const run = ownValue(value, "run");
  const seq = ownValue(value, "seq");
  const hash = ownValue(value, "hash");
  const isPlace = typeof generation === "string" && isRunId(run);
  const isHead = typeof seq === "number" && Number.isSafeInteger(seq) && seq > 0 && isHash(hash);
  return isPlace && isHead ? { generation, run, seq, hash } : null;
}

const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value);

function checksum(text: string): string {
  return sha256(text).slice(0, 32);
}
