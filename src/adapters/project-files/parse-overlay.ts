import * as z from "zod/mini";
import { ProblemError } from "../../core/problem.ts";
import { Overlay, OverlayInsertion, OverlayPhase, OverlayReplacement, RuleChanges } from "../../schema/overlay.ts";
import { PersonaAddition, WorkflowOverlay } from "../../schema/overlay.ts";

type Issue = z.core.$ZodIssue;
type Wrong = { readonly detail: string; readonly valid: readonly string[] };

/** @throws ProblemError `OVERLAY_INVALID`, with the place in the file and what would be valid there. */
export function parseOverlay(text: string, file: string): Overlay {
  const value = parseJson(text, file);
  const reserved = reservedKey(value, []);
  if (reserved !== null) throw invalid(file, reserved, { detail: "this name is reserved", valid: [] });
  const parsed = z.safeParse(Overlay, value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue === undefined) throw parsed.error;
  throw invalid(file, describePlace(issue.path), wrongWith(issue, valueAt(value, issue.path)));
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid(file, "", { detail: "it is not JSON", valid: [] });
  }
}

const RESERVED = new Set(["__proto__", "constructor", "prototype"]);

/** Returns the place of the first key with a special meaning in JavaScript, or null. */
function reservedKey(value: unknown, path: readonly string[]): string | null {
  if (typeof value !== "object" || value === null) return null;
  for (const [key, inner] of Object.entries(value)) {
    const here = [...path, key];
    const found = RESERVED.has(key) ? describePlace(here) : reservedKey(inner, here);
    if (found !== null) return found;
  }
  return null;
}

function wrongWith(issue: Issue, value: unknown): Wrong {
  switch (issue.code) {
    case "unrecognized_keys":
      return { detail: `there is no ${quoted(issue.keys)} here`, valid: keysAt(issue.path) };
    case "invalid_value":
      return { detail: `${shown(value)} is not one of those allowed`, valid: issue.values.map(String) };
    case "invalid_type":
      return { detail: `${shown(value)} is not of type ${issue.expected}`, valid: [] };
    case "too_big":
      return { detail: `more than ${issue.maximum} is too much`, valid: [] };
    case "too_small":
      return { detail: `${shown(value)} is too little`, valid: [] };
    case "invalid_key":
      return { detail: "this is not usable as a name", valid: ["letters", "digits", "hyphens"] };
    case "invalid_union":
      return { detail: `${shown(value)} is not a prompt`, valid: ["a text", '{"append": "a text"}'] };
    case "custom":
    case "invalid_element":
    case "invalid_format":
    case "not_multiple_of":
      return refused(issue.path, value);
    default:
      return issue satisfies never;
  }
}

/** Describes the violation of a custom rule: a pattern, a length, or one of two keys. */
function refused(path: readonly PropertyKey[], value: unknown): Wrong {
  const names = path.filter((part) => typeof part === "string");
  const last = names.at(-1);
  if (last === "insert")
    return { detail: "a new phase has its place before or after one other", valid: ["before", "after"] };
  if (last === "articles") return { detail: `${shown(value)} is not an article`, valid: ["I", "II", "…", "XXXIX"] };
  if (last === "inputs" || last === "outputs")
    return { detail: `${shown(value)} is not a document name`, valid: ["names like report.md"] };
  return { detail: `${shown(value)} is not usable as a name`, valid: ["letters", "digits", "hyphens"] };
}

/** Returns the valid keys of the object at this place. */
function keysAt(path: readonly PropertyKey[]): string[] {
  const [area, , part, ...rest] = path;
  if (area === undefined) return Object.keys(Overlay.shape);
  if (area === "personas") return Object.keys(PersonaAddition.shape);
  if (part === undefined) return Object.keys(WorkflowOverlay.shape);
  if (rest.at(-1) === "checks") return ["limit", "breaker"];
  if (part === "rules") return Object.keys(RuleChanges.shape);
  if (rest.length === 2) return Object.keys(OverlayPhase.shape);
  return Object.keys(part === "insert" ? OverlayInsertion.shape : OverlayReplacement.shape);
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null
        ? (Object.getOwnPropertyDescriptor(inner, key)?.value as unknown)
        : undefined,
    value,
  );
}

function describePlace(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (place, part) =>
      typeof part === "number" ? `${place}[${part}]` : place === "" ? String(part) : `${place}.${String(part)}`,
    "",
  );
}

const SHOWN_LENGTH = 60;

function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}…` : text;
}

const quoted = (names: readonly string[]): string => names.map((name) => JSON.stringify(name)).join(", ");

function invalid(file: string, place: string, wrong: Wrong): ProblemError {
  return new ProblemError({ code: "OVERLAY_INVALID", file, place, ...wrong });
}
