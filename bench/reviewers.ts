import type { Iteration } from "../src/core/findings/ledger.ts";
import { afterVerdict } from "../src/core/findings/loop-policy.ts";
import {
  KINDS,
  type Kind,
  VERDICT_LIMITS,
  type Loop,
  type LoopPolicy,
  type Mode,
  playLoop,
} from "../test/findings/simulated-reviewer.ts";
import { mean } from "./measure.ts";
import type { ReportLine } from "./report.ts";

const RUNS = 1000;
const FIXED_LIMIT = 3;
const MODES = Object.keys(VERDICT_LIMITS) as Mode[];

/** Results of 1,000 review loops of one kind in one mode. */
export type Tally = {
  readonly kind: Kind;
  readonly mode: Mode;
  /** Mean verdicts per loop: with the tested policy, with only the mode's limit, and with a limit of 3 in each mode. */
  readonly verdicts: number;
  readonly limitAlone: number;
  readonly fixed: number;
  readonly approved: number;
  readonly stops: Readonly<Record<string, number>>;
  /** Share of loops stopped early that would have been approved within the limit. */
  readonly cutShort: number;
  /** Violated guarantees; normally empty. */
  readonly broken: readonly string[];
};

/** Measures the length of review loops. They are simulated: the numbers are the same on every machine. */
export function measureReviewers(): readonly ReportLine[] {
  const tallies = simulateReviewers(afterVerdict, RUNS);
  const broken = tallies.flatMap((tally) => tally.broken);
  if (broken.length > 0) throw new Error(`${broken.length} loops broke a promise: ${broken[0]}`);
  return [
    ...KINDS.map((kind) => kindLine(tallies, kind)),
    overallLine(tallies),
    ...tallies.map(modeLine),
    cutShortLine(tallies),
  ];
}

export function simulateReviewers(policy: LoopPolicy, runs: number): readonly Tally[] {
  const seeds = Array.from({ length: runs }, (_, index) => index + 1);
  return KINDS.flatMap((kind) => {
    const unhindered = seeds.map((seed) => playLoop(limitAlone, { kind, seed, limit: VERDICT_LIMITS.full }));
    return MODES.map((mode) => runSeries(policy, { kind, mode, seeds, unhindered }));
  });
}

export const meanOf = (tallies: readonly Tally[], figure: (tally: Tally) => number): number =>
  mean(tallies.map(figure));

/** Ends a loop only if it is approved or at the limit. */
const limitAlone: LoopPolicy = ({ iterations, limit }) => {
  const approved = iterations.slice(-1).some(isClean);
  const over = approved || iterations.length >= limit;
  const stopped = approved ? "approved" : over ? "limit" : null;
  return { leadsTo: over ? "complete" : "produce", stopped, why: null, open: [] };
};

type Series = {
  readonly kind: Kind;
  readonly mode: Mode;
  readonly seeds: readonly number[];
  /** The same simulated loops with only the longest limit. */
  readonly unhindered: readonly Loop[];
};

function runSeries(policy: LoopPolicy, { kind, mode, seeds, unhindered }: Series): Tally {
  const limit = VERDICT_LIMITS[mode];
  const loops = seeds.map((seed) => playLoop(policy, { kind, seed, limit }));
  const stops = loops.map(({ end }) => end.stopped ?? "none");
  const partOf = (isCounted: (loop: Loop, index: number) => boolean): number =>
    loops.filter(isCounted).length / loops.length;
  const under = (most: number): number => mean(unhindered.map(({ iterations }) => Math.min(iterations.length, most)));
  return {
    kind,
    mode,
    verdicts: mean(loops.map(({ iterations }) => iterations.length)),
    limitAlone: under(limit),
    fixed: under(FIXED_LIMIT),
    approved: partOf(({ end }) => end.stopped === "approved"),
    stops: Object.fromEntries([...new Set(stops)].map((stop) => [stop, stops.filter((one) => one === stop).length])),
    cutShort: partOf(({ end }, index) => end.stopped !== "approved" && isApprovedWithin(unhindered[index], limit)),
    broken: loops.flatMap((loop, index) =>
      brokenBy(loop, limit).map((what) => `${kind}, ${mode}, seed ${seeds[index]}: ${what}`),
    ),
  };
}

const isApprovedWithin = (loop: Loop | undefined, limit: number): boolean =>
  loop?.end.stopped === "approved" && loop.iterations.length <= limit;

function brokenBy({ iterations, end, endless }: Loop, limit: number): string[] {
  const last = iterations.at(-1);
  const blockers = last?.issues.filter(({ severity }) => severity === "blocker") ?? [];
  const told = end.open.filter(({ severity }) => severity === "blocker");
  const isCalledApproved = end.stopped === "approved";
  const promises: readonly (readonly [string, boolean])[] = [
    ["it did not end", !endless],
    ["it went past its limit", iterations.length <= limit],
    ["a blocker was called approved", !isCalledApproved || blockers.length === 0],
    ["it was called approved though the reviewer did not", !isCalledApproved || last?.approved === true],
    ["approved work continued", !iterations.slice(0, -1).some(isClean)],
    ["approved work was not labelled as approved", isCalledApproved || last === undefined || !isClean(last)],
    ["a blocker was not told", told.length === blockers.length],
  ];
  return promises.filter(([, kept]) => !kept).map(([what]) => what);
}

const isClean = ({ approved, issues }: Iteration): boolean =>
  approved && issues.every(({ severity }) => severity !== "blocker");

const percent = (part: number): number => Math.round(part * 1000) / 10;
const rounded = (value: number): number => Math.round(value * 100) / 100;

function kindLine(tallies: readonly Tally[], kind: Kind): ReportLine {
  const own = tallies.filter((tally) => tally.kind === kind);
  return againstFixed(`reviewer loops, ${kind}: verdicts, all modes`, own);
}

const overallLine = (tallies: readonly Tally[]): ReportLine =>
  againstFixed("reviewer loops, all kinds: verdicts, all modes", tallies);

function againstFixed(what: string, tallies: readonly Tally[]): ReportLine {
  const fixed = rounded(meanOf(tallies, (tally) => tally.fixed));
  const value = meanOf(tallies, (tally) => tally.verdicts);
  return {
    what,
    base: `a limit of ${FIXED_LIMIT} in every mode: ${fixed}`,
    figures: [{ name: "mean", value }],
    goal: fixed,
    unit: "",
  };
}

function modeLine({ kind, mode, verdicts, limitAlone, approved, stops }: Tally): ReportLine {
  const early = (["recurring", "flipping", "causing"] as const).reduce((sum, stop) => sum + (stops[stop] ?? 0), 0);
  return {
    what: `reviewer loops, ${kind}, ${mode}`,
    base: `the limit of ${VERDICT_LIMITS[mode]} alone: ${rounded(limitAlone)}`,
    figures: [
      { name: "verdicts", value: verdicts },
      { name: "% approved", value: percent(approved) },
      { name: "% stopped early", value: percent(early / RUNS) },
    ],
    goal: null,
    unit: "",
  };
}

function cutShortLine(tallies: readonly Tally[]): ReportLine {
  const full = tallies.filter(({ kind, mode }) => kind === "converging" && mode === "full");
  return {
    what: "converging loops stopped that would have been approved, full",
    base: "the limit alone",
    figures: [{ name: "", value: percent(meanOf(full, (tally) => tally.cutShort)) }],
    goal: 1,
    unit: "%",
  };
}
