/**
 * Part of `.isdlc/active` that a hook needs. The file is in the working tree: its content must never lift a
 * refusal that applies in every state.
 */
export type Marker = {
  readonly run: string;
  readonly phase: string;
  readonly item: string;
  readonly writes: "item" | "tests" | "tree" | "nothing";
  readonly wait: string | null;
  readonly session: string | null;
  readonly outputs: readonly string[];
  readonly later: readonly string[];
};

const WRITES = ["item", "tests", "tree", "nothing"] as const;
/** Folder under `.isdlc/work`, or folder in the working tree, with plain names only. */
const ITEM = /^(?:\.isdlc\/work\/|(?=[A-Za-z0-9]))(?:[A-Za-z0-9][A-Za-z0-9._-]*\/)*[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Returns null for anything but the marker of a run. Null also means that a run is open: nothing may be written. */
export function parseMarker(text: string): Marker | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { run, phase, item, writes, wait, session, outputs, later } = value as Record<string, unknown>; // an object, checked above
  const known = WRITES.find((one) => one === writes);
  if (typeof run !== "string" || typeof item !== "string" || !ITEM.test(item) || known === undefined) return null;
  return {
    run,
    phase: textOr(phase, "the current phase"),
    item,
    writes: known,
    wait: typeof wait === "string" ? wait : null,
    session: typeof session === "string" ? session : null,
    outputs: texts(outputs),
    later: texts(later),
  };
}

const textOr = (value: unknown, other: string): string => (typeof value === "string" ? value : other);

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
