import { join } from "node:path";
import type { Settings } from "./benches.ts";
import { mean } from "./measure.ts";
import type { ReportLine } from "./report.ts";
import { bootstrapInterval, type Interval } from "./review-order/bootstrap.ts";
import { readCases, type ReviewCase } from "./review-order/read-cases.ts";
import {
  alphabetical,
  codeFirst,
  hidingReasons,
  measured,
  type ReadingCost,
  readingCost,
} from "./review-order/reading-cost.ts";

/** Measures the review order on changes with a known defect; without a list, on the small one of this project. */
export function measureReviewOrder({ root, cases }: Settings): ReportLine[] {
  const all = readCases(cases ?? join(root, "bench", "review-order", "sample-cases.jsonl"));
  const sets = [...new Set(all.map(({ set }) => set))];
  return sets.flatMap((set) =>
    setLines(set, { cases: all.filter((one) => one.set === set), hasGoals: cases !== null }),
  );
}

type CaseSet = { readonly cases: readonly ReviewCase[]; readonly hasGoals: boolean };

function setLines(set: string, { cases, hasGoals }: CaseSet): ReportLine[] {
  const [found, byName, plain] = [measured, alphabetical, codeFirst].map((sort) =>
    cases.map((one) => readingCost(one, sort)),
  ) as [ReadingCost[], ReadingCost[], ReadingCost[]]; // one result per sorter
  const repositories = cases.map(({ repo }) => repo);
  const what = `review order, ${set}: ${cases.length} changes, ${new Set(repositories).size} repositories`;
  const line = (name: string, base: string, { value, goal, unit }: LineValue): ReportLine => ({
    what: `${what}: ${name}`,
    base,
    figures: [{ name: `[${value.low.toFixed(2)}, ${value.high.toFixed(2)}]`, value: value.value }],
    goal: hasGoals ? goal : null,
    unit,
  });
  const ratio = (key: "lines" | "position", base: readonly ReadingCost[]): Interval =>
    bootstrapInterval(repositories, (chosen) => {
      const sum = (costs: readonly ReadingCost[]): number =>
        chosen.reduce((total, at) => total + (costs[at]?.[key] ?? 0), 0);
      return sum(found) / sum(base);
    });
  const percent = (costs: readonly ReadingCost[], isCounted: (cost: ReadingCost) => boolean): Interval =>
    bootstrapInterval(repositories, (chosen) => 100 * mean(chosen.map((at) => Number(counts(costs[at], isCounted)))));
  const late = ({ filesBefore }: ReadingCost): boolean => filesBefore >= 3;
  const last = ({ position }: ReadingCost): boolean => position >= 0.75;
  const hidden = cases.map(hidingReasons).filter((reasons) => reasons.some((reason) => reason !== LOCK_FILE));
  return [
    line("lines to the defective line", "alphabetical", { value: ratio("lines", byName), goal: 0.7, unit: "x" }),
    line("lines to the defective line", "code first", { value: ratio("lines", plain), goal: 0.97, unit: "x" }),
    line("position of the defective file", "alphabetical", { value: ratio("position", byName), goal: 0.45, unit: "x" }),
    line("position of the defective file", "code first", { value: ratio("position", plain), goal: 0.75, unit: "x" }),
    line("not among the first three files", "-", { value: percent(found, late), goal: 25, unit: "%" }),
    line("  the same, alphabetical", "-", { value: percent(byName, late), goal: null, unit: "%" }),
    line("in the last quarter", "-", { value: percent(found, last), goal: 4, unit: "%" }),
    line("  the same, alphabetical", "-", { value: percent(byName, last), goal: null, unit: "%" }),
    {
      what: `${what}: defects only in folded files that are no lock files`,
      base: "-",
      figures: [{ name: "", value: hidden.length }],
      goal: 0,
      unit: "",
    },
  ];
}

type LineValue = { readonly value: Interval; readonly goal: number | null; readonly unit: string };

const counts = (cost: ReadingCost | undefined, isCounted: (cost: ReadingCost) => boolean): boolean =>
  cost !== undefined && isCounted(cost);

/** Reason for folding a file in which a reader cannot find a defect: its cause is in a dependency. */
const LOCK_FILE = "a lock file";
