import { lstatSync, readlinkSync, type Stats, statSync } from "node:fs";
import { objectId } from "../objects/git-objects.ts";
import { type IndexEntry, readFromIndex } from "../objects/git-index.ts";
import { encodePath, inTree } from "../process/git-path.ts";
import type { IndexEnvironment } from "./temporary-index.ts";
import { readBounded } from "../../files/file-system.ts";

/** Git itself compares a larger file. */
const MAX_COMPARED_FILE_BYTES = 16 * 1024 * 1024;

/**
 * Returns the files that may differ from the index, regardless of the times recorded there. Reads each file: it counts
 * as the same only if its bytes match the entry, and if a later change will be visible.
 */
export function differingFrom(
  { GIT_INDEX_FILE: file = "" }: IndexEnvironment,
  top: string,
  paths: readonly string[],
): readonly string[] {
  if (paths.length === 0) return [];
  const now = seconds(Date.now());
  const written = seconds(statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  const names = new Set(paths.map(encodeName));
  const entries = readFromIndex(file, ({ name, stage }) => stage === 0 && names.has(name))?.entries ?? [];
  const known = new Map(entries.map((entry) => [entry.name, entry]));
  return paths.filter((path) => {
    const entry = known.get(encodeName(path));
    return entry === undefined || !isSame(inTree(top, path), entry, { now, written });
  });
}

const encodeName = (path: string): string => encodePath(path).toString("latin1");
const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

type Moment = { readonly now: number; readonly written: number };

function isSame(file: Buffer, entry: IndexEntry, moment: Moment): boolean {
  try {
    const stats = lstatSync(file);
    if (fileMode(stats) !== entry.mode || stats.size > MAX_COMPARED_FILE_BYTES || !willShow(stats, moment))
      return false;
    const content = stats.isSymbolicLink()
      ? readlinkSync(file, { encoding: "buffer" })
      : readBounded(file, MAX_COMPARED_FILE_BYTES);
    return objectId({ type: "blob", content }, entry.id.length) === entry.id;
  } catch {
    return false; // deleted in the meantime, no permission
  }
}

function fileMode(stats: Stats): string | null {
  if (stats.isSymbolicLink()) return "120000";
  if (!stats.isFile()) return null;
  return (stats.mode & 0o100) === 0 ? "100644" : "100755";
}

/**
 * Returns true if git will see later changes of the file. Git compares whole seconds: a file looks unchanged if it is
 * written again in the second of its last change and set to its old time. If it was last written no earlier than the
 * index, git reads it each time.
 */
const willShow = ({ ctimeMs, mtimeMs }: Stats, { now, written }: Moment): boolean =>
  seconds(ctimeMs) < now || seconds(mtimeMs) >= written;
