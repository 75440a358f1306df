import { addUsage } from "../core/budget.ts";
import { minutesBetween, money } from "../core/duration.ts";
import { isRecord, ownValue } from "../core/own-value.ts";
import type { EndedRun, PhaseRecord } from "../core/run.ts";
import type { Usage } from "../schema/agent.ts";
import type { FinishedRun, RunMetrics, Totals } from "../schema/api-history.ts";

/** Accepted at the first try: one attempt, no failed check, and nothing sent back by the reviewer. */
const isFirstTry = ({ attempts, checkFailures, iterations }: PhaseRecord): boolean =>
  attempts <= 1 && checkFailures === 0 && iterations.length <= 1;

/** Computes the metrics of an ended run from its journal. */
export function computeMetrics(run: EndedRun): RunMetrics & { readonly gates: number; readonly firstTry: number } {
  const left = run.how === "cancelled" ? run.cancelledAt : null;
  const passed = run.phases.filter(({ status, rule }) => status === "completed" && rule.key !== left);
  return {
    minutes: minutesBetween(run.run.startedAt, run.endedAt),
    attempts: sum(run.phases.map(({ attempts }) => attempts)),
    redos: sum(run.phases.map(({ redos }) => redos)),
    gates: passed.length,
    firstTry: passed.filter(isFirstTry).length,
    ...sumUsage(run.phases),
  };
}

/** Sums tokens and cost. A sum is null unless every execution of every phase reported its value. */
function sumUsage(phases: readonly Pick<PhaseRecord, "usage" | "executions" | "missingUsage" | "missingCost">[]): {
  readonly tokens: number | null;
  readonly usd: number | null;
} {
  const worked = phases.filter(({ executions }) => executions > 0);
  return {
    tokens: sumOrNull(worked.map(({ usage, missingUsage }) => (missingUsage > 0 ? null : sumTokens(usage)))),
    usd: sumOrNull(worked.map(({ usage, missingCost }) => (missingCost > 0 ? null : usage.usd))),
  };
}

const sumTokens = ({ input, output }: Usage): number | null =>
  input === null || output === null ? null : input + output;

function sumOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : sum(known);
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Reads a run from its history entry. Anyone may have written the entry: invalid values count as unknown. */
export function finishedRun(id: string, entry: unknown, item: string | null = null): FinishedRun {
  const metrics = ownValue(entry, "metrics");
  const number = (name: string): number | null => amount(ownValue(metrics, name));
  const how = ownValue(entry, "id") === id ? howItEnded(entry) : "unreadable";
  return {
    id,
    item,
    workflow: words(ownValue(entry, "type")),
    title: words(ownValue(entry, "description")),
    endedAt: words(ownValue(entry, how === "cancelled" ? "cancelled_at" : "completed_at")),
    how,
    metrics: {
      minutes: number("total_duration_minutes"),
      attempts: number("attempts_total"),
      redos: number("redos_total"),
      gates: both(number("gates_passed_first_try"), number("gates_required_iteration")),
      firstTry: number("gates_passed_first_try"),
      tokens: number("tokens_total"),
      usd: number("cost_usd"),
    },
  };
}

const both = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

function howItEnded(entry: unknown): FinishedRun["how"] {
  if (ownValue(entry, "status") === "cancelled") return "cancelled";
  if (typeof ownValue(entry, "merged_commit") === "string") return "merged";
  return isRecord(ownValue(entry, "git_branch")) ? "kept" : "finished";
}

const words = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** Larger numbers were not measured by isdlc and would make sums meaningless. */
const MAX_METRIC = 1e12;
const amount = (value: unknown): number | null =>
  typeof value === "number" && value >= 0 && value <= MAX_METRIC ? value : null;

/** Sums the known values of all runs, each with the number of runs that have it. */
export function computeTotals(runs: readonly FinishedRun[]): Totals {
  const over = (name: keyof RunMetrics): { sum: number | null; of: number } => {
    const known = runs.map(({ metrics }) => metrics[name]).filter((value) => value !== null);
    return { sum: known.length === 0 ? null : sum(known), of: known.length };
  };
  return {
    runs: runs.length,
    minutes: over("minutes"),
    attempts: over("attempts"),
    redos: over("redos"),
    gates: over("gates"),
    firstTry: over("firstTry"),
    tokens: over("tokens"),
    usd: over("usd"),
  };
}

type MissingUsage = Pick<PhaseRecord, "missingUsage" | "missingCost">;

/** Formats tokens and cost. Unknown values are omitted, never shown as zero. */
export function tokens(
  { input, output, usd }: Usage,
  more: MissingUsage = { missingUsage: 0, missingCost: 0 },
): string {
  const least = (count: number): string => (count > 0 ? "at least " : "");
  const used = compact((input ?? 0) + (output ?? 0));
  return [
    input === null && output === null ? "" : `${least(more.missingUsage)}${used} tokens`,
    usd === null ? "" : `${least(more.missingCost)}${money(usd)}${more.missingCost > 0 ? " (partly unknown)" : ""}`,
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** Formats the usage of all phases so far. Empty if only one phase had an agent, or no agent reported any. */
export function runUsage(phases: readonly PhaseRecord[]): string {
  const worked = phases.filter(({ executions }) => executions > 0);
  const usage = worked.reduce<Usage | undefined>((total, phase) => addUsage(total, phase.usage), undefined);
  if (worked.length < 2 || usage === undefined) return "";
  return tokens(usage, {
    missingUsage: sum(worked.map(({ missingUsage }) => missingUsage)),
    missingCost: sum(worked.map(({ missingCost }) => missingCost)),
  });
}

const compact = (count: number): string => (count < 10_000 ? String(count) : `${Math.round(count / 1000)}k`);
