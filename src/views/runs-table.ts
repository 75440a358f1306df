import type { FinishedRun, RunMetrics, Totals } from "../schema/api-history.ts";
import { localTime } from "./local-time.ts";
import { computeTotals } from "./metrics.ts";
import { plainLine } from "./plain-text.ts";
import { money } from "../core/duration.ts";
import { shellWord } from "../core/command-line.ts";

const BAR_WIDTH = 30;
/** Maximum number of bars in the chart, to fit on one screen. */
const MAX_BARS = 20;

type Column = { readonly heading: string; readonly right?: true; readonly cell: (run: FinishedRun) => string };

/** Together at most 80 characters wide. */
const columns: readonly Column[] = [
  { heading: "RUN", cell: ({ id }) => id },
  { heading: "WORKFLOW", cell: ({ workflow }) => short(workflow, 13) },
  { heading: "ENDED", cell: ({ endedAt }) => localTime(short(endedAt, 40)).slice(0, MINUTES_WIDTH) },
  { heading: "HOW", cell: ({ how }) => how },
  { heading: "TIME", right: true, cell: ({ metrics }) => durationText(metrics.minutes) },
];

/** Length of `2026-02-14 11:00`. */
const MINUTES_WIDTH = 16;

/** Formats title and amounts of a run, and shortens the title to fit. Unknown amounts are omitted: they are not zero. */
function detailsLine({ title, item, metrics }: FinishedRun): string {
  const { attempts, tokens, usd, gates, firstTry } = metrics;
  const amounts = [
    ...(item === null ? [] : ["item"]),
    ...(attempts === null ? [] : [attempts === 1 ? "1 attempt" : `${countText(attempts)} attempts`]),
    ...(gates === null || firstTry === null ? [] : [`first try ${firstTryText(metrics)}`]),
    ...(tokens === null ? [] : [`${countText(tokens)} tokens`]),
    ...(usd === null ? [] : [moneyText(usd)]),
  ].map((amount) => ` · ${amount}`);
  const details = amounts.join("");
  return `  ${short(title, Math.max(MIN_TITLE_WIDTH, MAX_WIDTH - 2 - details.length))}${details}`;
}

const MAX_WIDTH = 80; // columns of a terminal
const MIN_TITLE_WIDTH = 12;

/** Formats finished runs, newest last: two lines per run, totals, and a chart of durations. */
export function runsTable(runs: readonly FinishedRun[]): string[] {
  if (runs.length === 0) return ["No run has finished here yet."];
  return [...tableLines(runs), "", totalsLine(computeTotals(runs)), ...chartLines(runs)];
}

function tableLines(runs: readonly FinishedRun[]): string[] {
  const rows = [columns.map(({ heading }) => heading), ...runs.map((run) => columns.map(({ cell }) => cell(run)))];
  const widths = columns.map((_column, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (columns[at]?.right ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return lines.flatMap((line, at) => {
    const run = runs[at - 1];
    return run === undefined ? [line] : [line, detailsLine(run)];
  });
}

function totalsLine(totals: Totals): string {
  const { runs, minutes, attempts, tokens, usd } = totals;
  const partly = (text: string, of: number): string =>
    of === runs || of === 0 ? text : `${text} (known for ${of} of ${runs})`;
  return [
    `${runs} ${runs === 1 ? "run" : "runs"}`,
    `time ${partly(durationText(minutes.sum), minutes.of)}`,
    `attempts ${partly(countText(attempts.sum), attempts.of)}`,
    `first try ${firstTryText({ gates: totals.gates.sum, firstTry: totals.firstTry.sum })}`,
    `tokens ${partly(countText(tokens.sum), tokens.of)}`,
    `cost ${partly(moneyText(usd.sum), usd.of)}`,
  ].join(" · ");
}

/** Draws the durations of the newest runs. Returns an empty list if fewer than two are known. */
function chartLines(runs: readonly FinishedRun[]): string[] {
  const known = runs.slice(-MAX_BARS).filter(({ metrics }) => metrics.minutes !== null);
  const longest = Math.max(0, ...known.map(({ metrics }) => metrics.minutes ?? 0));
  if (known.length < 2 || longest === 0) return [];
  return [
    "",
    "Time per run:",
    ...known.map(({ id, metrics: { minutes } }) =>
      `  ${id}  ${bar((minutes ?? 0) / longest).padEnd(BAR_WIDTH)}  ${durationText(minutes)}`.trimEnd(),
    ),
  ];
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;

/** Draws a bar with a precision of one eighth of a character. */
function bar(share: number): string {
  const eighths = Math.round(share * BAR_WIDTH * 8);
  return "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
}

const short = (text: string | null, most: number): string => (text === null ? UNKNOWN : plainLine(text, most));

const UNKNOWN = "unknown";

/** Formats a duration: `under 1m`, `45m`, `2h 05m`, `3d 4h`. */
export function durationText(minutes: number | null): string {
  if (minutes === null) return UNKNOWN;
  if (minutes < 1) return "under 1m";
  const [hours, rest] = [Math.floor(minutes / 60), Math.round(minutes % 60)];
  if (hours === 0) return `${rest}m`;
  if (hours < 24) return `${hours}h ${String(rest).padStart(2, "0")}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

function countText(count: number | null): string {
  if (count === null) return UNKNOWN;
  if (count < 10_000) return String(count);
  return count < 10_000_000 ? `${Math.round(count / 1000)}k` : `${Math.round(count / 1_000_000)}M`;
}

const moneyText = (usd: number | null): string => (usd === null ? UNKNOWN : money(usd));

function firstTryText({ gates, firstTry }: Pick<RunMetrics, "gates" | "firstTry">): string {
  return gates === null || firstTry === null ? UNKNOWN : `${firstTry} of ${gates}`;
}

/** A working tree, or the analysis of an item in it. */
export type TreeRow = {
  readonly path: string;
  readonly item: string | null;
  readonly isHere: boolean;
  /** Newest run, if any. */
  readonly run: {
    readonly id: string;
    readonly workflow: string;
    readonly title: string;
    readonly phase: string | null;
    readonly status: string;
    readonly isOpen: boolean;
  } | null;
  /** Code of the problem that prevents reading the journal. */
  readonly problem: string | null;
};

/** Formats working trees: the open run of each, with the command to display it. */
export function treesTable(rows: readonly TreeRow[]): string[] {
  return rows.flatMap((row) => [
    `${plainLine(row.path)}${row.item === null ? "" : `, item ${row.item}`}${row.isHere ? " (here)" : ""}`,
    `  ${describeState(row)}`,
    ...(row.run?.isOpen === true || row.problem !== null ? [`  ${resumeCommand(row)}`] : []),
  ]);
}

function describeState({ run, problem }: TreeRow): string {
  if (problem !== null) return `cannot be read: ${problem}`;
  if (run === null) return "no run";
  if (!run.isOpen) return `no open run; the last was ${run.id}, ${run.status}`;
  const phase = run.phase === null ? "" : ` · ${run.phase}`;
  return `${run.status}${phase} · ${run.id} · ${run.workflow}: ${plainLine(run.title, 60)}`;
}

/** Returns the command to display this run from the current directory. */
function resumeCommand({ path, item, isHere }: Pick<TreeRow, "path" | "item" | "isHere">): string {
  const where = isHere ? "" : ` -C ${shellWord(path)}`;
  return `isdlc${where} status${item === null ? "" : ` --item ${item}`}`;
}
