import * as z from "zod/mini";
import { larger } from "../../core/execution-watch.ts";
import { Usage } from "../../schema/agent.ts";
import { type FileSystem, readSmall } from "../files/file-system.ts";
import { relative } from "node:path";

const Told = z.object({ usage: Usage });

/** Returns the usage reported in the transcript of an execution; null if there is none or the file is missing. */
export function toldUsage(files: FileSystem, transcript: string): Usage | null {
  return readLines(files, transcript).reduce<Usage | null>((sum, line) => larger(sum, usageIn(line)), null);
}

function readLines(files: FileSystem, transcript: string): readonly string[] {
  try {
    return readSmall(files, transcript, MAX_USAGE_BYTES)?.toString("utf8").split("\n") ?? [];
  } catch {
    return []; // a link, or larger than any transcript
  }
}

/** Ignores a torn last line. */
function usageIn(line: string): Usage | null {
  try {
    const read = z.safeParse(Told, JSON.parse(line));
    return read.success ? read.data.usage : null;
  } catch {
    return null;
  }
}

const MAX_USAGE_BYTES = 16 * 1024 * 1024;

const MAX_PROGRESS_LENGTH = 200;

/** Returns one line without control characters, or nothing for an empty text. */
export function shorten(text: string): string[] {
  const line = text
    .slice(0, 4 * MAX_PROGRESS_LENGTH)
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ")
    .trim();
  if (line === "") return [];
  return [line.length > MAX_PROGRESS_LENGTH ? `${line.slice(0, MAX_PROGRESS_LENGTH - 1)}…` : line];
}

/** Shortens paths under the working directory to relative ones. */
export function inside(text: string, cwd: string): string {
  return text.startsWith(`${cwd}/`) ? relative(cwd, text) : text;
}
