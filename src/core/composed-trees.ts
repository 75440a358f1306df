import { isRecord } from "./own-value.ts";

const KEYS: ReadonlySet<string> = new Set(["commitTree", "plainTree", "wholeTree"]);

/** Returns the trees of composed commits named anywhere in a command or state. No snapshot contains them. */
export function composedTrees(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(composedTrees);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, found]) =>
    KEYS.has(key) && typeof found === "string" ? found : composedTrees(found),
  );
}
