import type { FileChange } from "../../../schema/facts.ts";
import { decodePath, splitFields } from "./git-path.ts";

const CHANGES: ReadonlyMap<string, FileChange["change"]> = new Map([
  ["A", "added"],
  ["D", "deleted"],
  ["T", "typechange"],
]);

/** Parses the output of `-z --name-status --no-renames`: alternating letters and paths. */
export function parseNameStatus(output: Buffer): FileChange[] {
  const fields = splitFields(output);
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [letter, path] = [fields[at], fields[at + 1]];
    if (letter === undefined || path === undefined) continue;
    changes.push({ path: decodePath(path), change: CHANGES.get(letter.toString("latin1").charAt(0)) ?? "modified" });
  }
  return changes;
}
