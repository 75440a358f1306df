import { watch } from "node:fs";
import { join } from "node:path";
import { OWN } from "../../core/own-folder.ts";
import { type FileSystem, folderExists, OPEN, openPlain, readRange } from "./file-system.ts";
import { ownValue } from "../../core/own-value.ts";
import type { RunId } from "../../schema/ids.ts";
import { plainText } from "../../core/plain-text.ts";
import type { ActivityView } from "../../schema/api-status.ts";

type TranscriptFolder = { readonly own: string; readonly files: FileSystem };

/** Maximum number of bytes shown of a transcript, counted from its end. */
const MAX_TRANSCRIPT_READ_BYTES = 256 * 1024;
const MAX_EXECUTIONS = 20;
const NAME = /^[a-z0-9][a-z0-9#.@-]{0,120}\.log$/;

const transcriptFolder = ({ own }: TranscriptFolder, run: RunId): string => join(own, OWN.runs, run);

/** Reads agent output of a run, newest execution last. */
export function readActivity(place: TranscriptFolder, run: RunId): ActivityView {
  const folder = transcriptFolder(place, run);
  if (!folderExists(place.files, folder)) return { executions: [] };
  const names = place.files
    .readdirSync(folder)
    .filter((name) => NAME.test(name))
    .map((name) => ({ name, changed: place.files.lstatSync(join(folder, name)).mtimeMs }))
    .toSorted((one, other) => one.changed - other.changed)
    .slice(-MAX_EXECUTIONS);
  return { executions: names.map(({ name }) => readExecution(place, folder, name)) };
}

function readExecution({ files }: TranscriptFolder, folder: string, name: string): ActivityView["executions"][number] {
  const found = readEnd(files, join(folder, name), 0);
  return { name: name.slice(0, -".log".length), lines: linesIn(found.text), isCut: found.isCut };
}

type TranscriptText = { readonly text: string; readonly size: number; readonly isCut: boolean };

/** Reads a file from an offset. If that is too much, reads only its end. */
function readEnd(files: FileSystem, path: string, from: number): TranscriptText {
  const fd = openPlain(files, path, OPEN.read);
  if (fd === null) return { text: "", size: from, isCut: false };
  try {
    const { size } = files.fstatSync(fd);
    const start = Math.max(from, size - MAX_TRANSCRIPT_READ_BYTES);
    const text = readRange(files, fd, { from: start, to: size }).toString("utf8");
    return { text: start > from ? text.slice(text.indexOf("\n") + 1) : text, size, isCut: start > from };
  } finally {
    files.closeSync(fd);
  }
}

const linesIn = (text: string): string[] => text.split("\n").flatMap(saidIn);

/** Converts a line of a transcript to plain text. Returns an empty list if it has nothing to show. */
function saidIn(line: string): string[] {
  try {
    const event: unknown = JSON.parse(line);
    const isEnd = ownValue(event, "type") === "end";
    const told = isEnd ? endText(event) : ownValue(event, "text");
    return typeof told === "string" && told !== "" ? [plainText(told).slice(0, 4000)] : [];
  } catch {
    return line.startsWith("[cut:") ? [line] : [];
  }
}

function endText(event: unknown): unknown {
  if (ownValue(event, "how") === "failed") return `Failed: ${String(ownValue(event, "detail"))}`;
  const verdict = ownValue(event, "verdict");
  if (verdict === undefined) return ownValue(ownValue(event, "result"), "summary");
  const word = ownValue(verdict, "approved") === true ? "Approved" : "Not approved";
  return `${word}: ${String(ownValue(verdict, "summary"))}`;
}

export type TranscriptLines = { readonly execution: string; readonly lines: readonly string[] };

const TRANSCRIPT_POLL_INTERVAL_MS = 250; // milliseconds; for file systems without change events

export type TranscriptFollower = {
  readonly tell: (said: TranscriptLines) => void;
  readonly signal: AbortSignal;
  /** True to include existing output. */
  readonly fromStart?: boolean;
};

/** Reports new agent output until the signal is aborted. Returns a function to check for output immediately. */
export function followActivity(
  place: TranscriptFolder,
  run: RunId,
  { tell, signal, fromStart = false }: TranscriptFollower,
): () => void {
  const folder = transcriptFolder(place, run);
  const read = new Map<string, { size: number; rest: string }>();
  const look = (isFirst: boolean): void => {
    if (!folderExists(place.files, folder)) return;
    for (const name of place.files.readdirSync(folder).filter((one) => NAME.test(one))) {
      const before = read.get(name) ?? { size: 0, rest: "" };
      const { text, size } = readEnd(place.files, join(folder, name), before.size);
      if (size === before.size) continue;
      const whole = before.rest + text;
      const end = whole.lastIndexOf("\n") + 1;
      read.set(name, { size, rest: whole.slice(end) });
      const lines = linesIn(whole.slice(0, end));
      if ((fromStart || !isFirst) && lines.length > 0) tell({ execution: name.slice(0, -".log".length), lines });
    }
  };
  look(true);
  const timer = setInterval(() => look(false), TRANSCRIPT_POLL_INTERVAL_MS);
  const watcher = watching(folder, () => look(false));
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    watcher?.close();
    look(false);
  });
  return () => look(false);
}

function watching(folder: string, onChange: () => void): { close(): void } | null {
  try {
    const watcher = watch(folder, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return null; // folder missing, or too many watches: polling is enough
  }
}
