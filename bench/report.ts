import { least, mean, median, type Samples } from "./measure.ts";

/** One statistic of one line: a ratio to the base, or an absolute number. */
export type Figure = { readonly name: string; readonly value: number };

export type ReportLine = {
  readonly what: string;
  readonly base: string;
  readonly figures: readonly Figure[];
  /** Null for values without a goal, which are only reported. */
  readonly goal: number | null;
  readonly unit: string;
};

export type Verdict = "pass" | "falls short" | "reported";

/** Reports a goal as missed only if all figures miss it: noise on a shared machine only increases times. */
export function verdictOf({ figures, goal }: ReportLine): Verdict {
  if (goal === null) return "reported";
  return figures.some(({ value }) => value <= goal) ? "pass" : "falls short";
}

type SamplePair = { readonly of: Samples; readonly to: Samples };

/** Minimum wall time and median CPU time, each relative to the base. */
export const ratios = ({ of, to }: SamplePair): readonly Figure[] => [
  { name: "min wall", value: least(of.wall) / least(to.wall) },
  ...(of.cpu.length > 0 && to.cpu.length > 0 ? [{ name: "p50 CPU", value: median(of.cpu) / median(to.cpu) }] : []),
];

/** Uses the mean CPU time, for coarse counters whose mean is correct. */
export const averagedRatios = ({ of, to }: SamplePair): readonly Figure[] => [
  { name: "min wall", value: least(of.wall) / least(to.wall) },
  ...(of.cpu.length > 0 && to.cpu.length > 0 ? [{ name: "mean CPU", value: mean(of.cpu) / mean(to.cpu) }] : []),
];

/** Minimum and median wall time, for work that mostly waits. */
export const wallRatios = ({ of, to }: SamplePair): readonly Figure[] => [
  { name: "min", value: least(of.wall) / least(to.wall) },
  { name: "p50", value: median(of.wall) / median(to.wall) },
];

export const milliseconds = (value: number): string =>
  value < 1 ? `${(value * 1000).toFixed(value < 0.1 ? 1 : 0)} us` : `${value.toFixed(1)} ms`;

export function tableText(lines: readonly ReportLine[]): string {
  const rows = lines.map((line) => [
    line.what,
    line.base,
    line.figures.map(({ name, value }) => `${number(value)}${line.unit} ${name}`.trim()).join(", "),
    line.goal === null ? "" : `<= ${line.goal}${line.unit}`,
    verdictOf(line),
  ]);
  const table = [["what", "against", "measured", "goal", ""], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function number(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
