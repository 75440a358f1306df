import { exactMinutesBetween } from "../../core/duration.ts";
import { buildLedger } from "../../core/findings/ledger.ts";
import { type EndedRun, mergedAs } from "../../core/run.ts";
import type { ChartsView } from "../../schema/api-project.ts";
import type { RunEvent } from "../../schema/event.ts";
import { computeMetrics } from "../metrics.ts";
import { plainText } from "../plain-text.ts";
import { buildTimeline } from "./timeline.ts";

type PhaseName = { readonly phase: string; readonly name: string };

/** Values of one ended run for the charts. They never change. */
export type RunFigures = {
  readonly run: ChartsView["runs"][number];
  readonly phases: readonly (PhaseName & { readonly minutes: number | null; readonly isRedone: boolean })[];
  readonly gates: readonly (PhaseName & { readonly minutes: number })[];
  readonly findings: readonly { readonly reviewer: string; readonly severity: "blocker" | "warning" | "note" }[];
};

export function readFigures(run: EndedRun, events: readonly RunEvent[]): RunFigures {
  const names = new Map(run.phases.map(({ rule }) => [rule.key, rule.name]));
  const { usd, tokens, redos } = computeMetrics(run);
  const { run: id, title, workflow } = run.run;
  const minutes = exactMinutesBetween(run.run.startedAt, run.endedAt);
  const how = run.how === "cancelled" ? "cancelled" : mergedAs(run) === null ? "kept" : "merged";
  return {
    run: { id, title: plainText(title), workflow, endedAt: run.endedAt, how, minutes, usd, tokens, redos },
    phases: run.phases
      .filter(({ status }) => status === "completed")
      .map(({ rule, startedAt, completedAt, redos: sentBack }) => ({
        phase: rule.key,
        name: rule.name,
        minutes: exactMinutesBetween(startedAt, completedAt),
        isRedone: sentBack > 0,
      })),
    gates: buildTimeline(events).flatMap(({ kind, name, phase, from, to }) => {
      const took = kind === "wait" && name === "gate" && to !== null ? exactMinutesBetween(from, to) : null;
      return took === null || phase === null ? [] : [{ phase, name: names.get(phase) ?? phase, minutes: took }];
    }),
    findings: run.phases.flatMap(({ rule, iterations }) =>
      buildLedger(iterations).findings.map(({ severity }) => ({ reviewer: rule.reviewer ?? "reviewer", severity })),
    ),
  };
}

/** Combines the values of many runs, in the given order. */
export function toCharts(figures: readonly RunFigures[]): ChartsView {
  const phases = figures.flatMap((one) => one.phases);
  const gates = figures.flatMap((one) => one.gates);
  const findings = figures.flatMap((one) => one.findings);
  return {
    runs: figures.map(({ run }) => run),
    leadTime: byPhase(phases).flatMap(({ phase, name, own }) => {
      const known = own.flatMap(({ minutes }) => (minutes === null ? [] : [minutes]));
      return known.length === 0 ? [] : [{ phase, name, ...spread(known), runs: known.length }];
    }),
    redoRate: byPhase(phases).map(({ phase, name, own }) => ({
      phase,
      name,
      redone: own.filter(({ isRedone }) => isRedone).length,
      completed: own.length,
    })),
    findings: [...new Set(findings.map(({ reviewer }) => reviewer))].map((reviewer) => {
      const count = (severity: string): number =>
        findings.filter((one) => one.reviewer === reviewer && one.severity === severity).length;
      return { reviewer, blocker: count("blocker"), warning: count("warning"), note: count("note") };
    }),
    gates: byPhase(gates).map(({ phase, name, own }) => ({
      phase,
      name,
      ...spread(own.map(({ minutes }) => minutes)),
      answers: own.length,
    })),
  };
}

type Group<T> = PhaseName & { readonly own: readonly T[] };

/** Groups values by phase, in order of first occurrence. */
function byPhase<T extends PhaseName>(all: readonly T[]): Group<T>[] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(one.phase, [...(groups.get(one.phase) ?? []), one]);
  return [...groups].map(([phase, own]) => ({ phase, name: own[0]?.name ?? phase, own }));
}

function spread(values: readonly number[]): { median: number; slowest: number } {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
  return { median, slowest: sorted.at(-1) ?? 0 };
}
