import * as z from "zod/mini";
import { larger } from "../../core/execution-watch.ts";
import { Usage } from "../../schema/agent.ts";
import { type FileSystem, readSmall } from "../file-system/file-system.ts";

const Told = z.object({ usage: Usage });

/** Returns the usage reported in the transcript of an execution; null if there is none or the file is missing. */
export function toldUsage(files: FileSystem, transcript: string): Usage | null {
  return readLines(files, transcript).reduce<Usage | null>((sum, line) => larger(sum, usageIn(line)), null);
}

function readLines(files: FileSystem, transcript: string): readonly string[] {
  try {
    return readSmall(files, transcript, MAX_BYTES)?.toString("utf8").split("\n") ?? [];
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

const MAX_BYTES = 16 * 1024 * 1024;
