import type { PhaseView, RunRow, WaitKind } from "../../src/schema/api.ts";
import type { CommentPlace } from "../../src/schema/comments.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats an age in one unit: `just now`, `5 min`, `3 h`, `2 d`. */
export function formatAge(from: string, now: number = Date.now()): string {
  const passed = now - Date.parse(from);
  if (Number.isNaN(passed)) return "";
  if (passed < MINUTE) return "just now";
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  return passed < DAY ? `${Math.floor(passed / HOUR)} h` : `${Math.floor(passed / DAY)} d`;
}

export function formatDuration(milliseconds: number): string {
  const exact = Math.max(0, milliseconds) / 1000; // clocks of two machines may differ
  if (exact < 9.95) return `${Number(exact.toFixed(1))} s`;
  const seconds = Math.round(exact);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

export function readingText({ lines, minutes }: { lines: number | null; minutes: number | null }): string {
  if (lines === null || minutes === null) return "";
  if (lines === 0) return "nothing new to read";
  return `${lines} ${lines === 1 ? "line" : "lines"}, ${minutes <= 1 ? "under a minute" : `about ${minutes} min`}`;
}

export function usageText({ input, output, usd }: RunRow["usage"]): string {
  const tokens = input === null && output === null ? null : (input ?? 0) + (output ?? 0);
  return [tokens === null ? "" : `${compact(tokens)} tokens`, usd === null ? "" : `$${usd.toFixed(2)}`]
    .filter((part) => part !== "")
    .join(" · ");
}

const compact = (count: number): string => {
  if (count < 1000) return String(count);
  return count < 1_000_000
    ? `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`
    : `${(count / 1_000_000).toFixed(1)}M`;
};

export const WAIT_WORDS: { readonly [K in WaitKind]: string } = {
  gate: "Review",
  questions: "Questions",
  escalation: "Blocked",
  sizing: "Sizing",
  budget: "Budget",
  finish: "Finish",
};

export const STATUS_WORDS: { readonly [K in RunRow["status"]]: string } = {
  running: "Running",
  interrupted: "Interrupted",
  waiting: "Waiting for you",
  completed: "Completed",
  cancelled: "Cancelled",
};

export const dateText = (at: string): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** Formats `src/cart.ts:12` or `src/cart.ts:12-15`. */
export const placeText = ({ path, line, endLine }: CommentPlace): string =>
  `${path}:${line}${endLine === undefined ? "" : `-${endLine}`}`;

type NamedPhases = readonly Pick<PhaseView, "key" | "name">[];

/** Replaces keys of phases in names of attempts and executions: `05-test-strategy#1` becomes `Test Strategy #1`. */
export const withPhaseNames = (text: string, phases: NamedPhases): string =>
  phases.reduce((named, { key, name }) => named.replaceAll(`${key}#`, `${name} #`), text);

export const plural = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
