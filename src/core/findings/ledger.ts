import type { Issue } from "../../schema/agent.ts";
import { likeness, type ComparedText } from "./likeness.ts";
import { isSameFile, normalised, parseLocation } from "./location.ts";
import { parseWording } from "./wording.ts";
import type { PhaseOutput } from "../../schema/facts.ts";

/** One verdict. */
export type Iteration = {
  readonly issues: readonly Issue[];
  readonly approved: boolean;
  /** Files changed by the revision before this verdict; null or absent if unknown. */
  readonly changed?: readonly string[] | null;
};

/**
 * `caused`: new, in a file changed by the last revision. `returned`: resolved before and reported again. Each finding
 * open before an iteration becomes `recurring` or `resolved` in it; all others are new to it.
 */
export type FindingState = "new" | "caused" | "recurring" | "returned" | "resolved";

/** One finding of the reviewers, in its latest wording. */
export type Finding = {
  /**
   * `F1`, `F2`, … by iteration of first mention. Within an iteration: blockers first, then by location and
   * description.
   */
  readonly id: string;
  readonly severity: Issue["severity"];
  readonly description: string;
  readonly location: string | null;
  readonly file: string | null;
  readonly line: number | null;
  /** State after the last iteration. */
  readonly state: FindingState;
  /** Iterations with this finding, counted from 1. */
  readonly said: readonly number[];
};

/** State of one finding in one iteration. A resolved finding is listed only in the iteration that left it out. */
export type Mention = Pick<Finding, "id" | "severity" | "state">;

export type Ledger = { readonly findings: readonly Finding[]; readonly iterations: readonly (readonly Mention[])[] };

/** Issues tracked per verdict, blockers first. No user or agent works through a longer list. */
export const MAX_ISSUES = 200;
/** Findings compared with a new verdict: the most recently reported ones. */
const MAX_COMPARED = 500;

/**
 * Tracks findings from verdict to verdict, although lines move and wording changes. The order of issues has no effect.
 */
export function buildLedger(iterations: readonly Iteration[]): Ledger {
  let tracked: readonly TrackedFinding[] = [];
  const mentions: (readonly Mention[])[] = [];
  for (const [index, iteration] of iterations.entries()) {
    tracked = afterIteration(tracked, iteration, index + 1);
    mentions.push(tracked.filter((one) => isMentioned(one, index + 1)).map(({ finding }) => toMention(finding)));
  }
  return { findings: tracked.map(({ finding }) => finding), iterations: mentions };
}

export const isOpen = ({ state }: Pick<Finding, "state">): boolean => state !== "resolved";

/** Compares by severity, blockers first, then by id. */
export const bySeverity = (one: Finding, other: Finding): number =>
  RANK[one.severity] - RANK[other.severity] || findingNumber(one) - findingNumber(other);

type ComparedIssue = ComparedText & { readonly issue: Issue };

type TrackedFinding = {
  readonly finding: Finding;
  /** First and latest wording, because wording drifts. */
  readonly first: ComparedText;
  readonly last: ComparedText;
  /** Iteration that left the finding out; null while it is open. */
  readonly leftOut: number | null;
};

const RANK = { blocker: 0, warning: 1, note: 2 } as const;

function afterIteration(
  tracked: readonly TrackedFinding[],
  iteration: Iteration,
  number: number,
): readonly TrackedFinding[] {
  const issues = distinct(iteration.issues);
  const matches = matched(tracked, issues);
  const known = tracked.map((one) => {
    const read = matches.get(one);
    return read === undefined ? leftOut(one, number) : saidAgain(one, read, number);
  });
  const found = new Set(matches.values());
  const changed = number === 1 ? [] : (iteration.changed ?? []).map(normalised);
  const added = issues
    .filter((read) => !found.has(read))
    .map((read, index) => saidFirst(read, { id: `F${tracked.length + index + 1}`, number, changed }));
  return [...known, ...added];
}

/** Sorts issues independently of their order in the verdict and removes repetitions at one place. */
function distinct(issues: readonly Issue[]): readonly ComparedIssue[] {
  const sorted = [...issues].sort(
    (one, other) =>
      RANK[one.severity] - RANK[other.severity] ||
      compareText(one.location ?? "", other.location ?? "") ||
      compareText(one.description, other.description),
  );
  const seen = new Map<string, ComparedIssue>();
  for (const issue of sorted) {
    if (seen.size === MAX_ISSUES) break;
    const place = parseLocation(issue.location);
    const { description, location } = issue;
    const wording = parseWording({ description, location, file: place.file });
    const key = JSON.stringify([place.file ?? location, place.line, issue.description.trim()]);
    if (!seen.has(key)) seen.set(key, { issue, place, wording });
  }
  return [...seen.values()];
}

type FindingMatch = {
  readonly one: TrackedFinding;
  readonly read: ComparedIssue;
  readonly score: number;
  readonly moved: number;
  readonly rank: number;
};

/** Pairs the most similar first, each finding and each issue once. */
function matched(
  tracked: readonly TrackedFinding[],
  issues: readonly ComparedIssue[],
): ReadonlyMap<TrackedFinding, ComparedIssue> {
  const pairs: FindingMatch[] = [];
  for (const [rank, one] of lastSaid(tracked).entries())
    for (const read of issues) {
      const score = Math.max(likeness(one.last, read), one.last === one.first ? 0 : likeness(one.first, read));
      if (score > 0) pairs.push({ one, read, score, moved: distance(one.last, read), rank });
    }
  pairs.sort((a, b) => b.score - a.score || a.moved - b.moved || a.rank - b.rank);
  const matches = new Map<TrackedFinding, ComparedIssue>();
  const taken = new Set<ComparedIssue>();
  for (const { one, read } of pairs) {
    if (matches.has(one) || taken.has(read)) continue;
    matches.set(one, read);
    taken.add(read);
  }
  return matches;
}

/** Puts recently reported findings first, to prefer an open finding to a resolved one with the same text. */
function lastSaid(tracked: readonly TrackedFinding[]): readonly TrackedFinding[] {
  const iteration = ({ finding }: TrackedFinding): number => finding.said.at(-1) ?? 0;
  return [...tracked].sort((one, other) => iteration(other) - iteration(one)).slice(0, MAX_COMPARED);
}

const distance = (one: ComparedText, other: ComparedText): number =>
  one.place.line === null || other.place.line === null ? FAR : Math.abs(one.place.line - other.place.line);

/** In lines; farther apart than any two lines of a file. */
const FAR = 10_000_000;

function saidFirst(
  read: ComparedIssue,
  at: { id: string; number: number; changed: readonly string[] },
): TrackedFinding {
  const { file } = read.place;
  const caused = file !== null && at.changed.some((path) => isSameFile(path, file));
  const finding = {
    id: at.id,
    ...read.issue,
    ...read.place,
    state: caused ? "caused" : "new",
    said: [at.number],
  } as const;
  return { finding, first: read, last: read, leftOut: null };
}

function saidAgain({ finding, first, leftOut }: TrackedFinding, read: ComparedIssue, number: number): TrackedFinding {
  const state = leftOut === null ? "recurring" : "returned";
  const said = [...finding.said, number];
  return { finding: { ...finding, ...read.issue, ...read.place, state, said }, first, last: read, leftOut: null };
}

const leftOut = (one: TrackedFinding, number: number): TrackedFinding =>
  one.leftOut === null ? { ...one, finding: { ...one.finding, state: "resolved" }, leftOut: number } : one;

const isMentioned = ({ leftOut }: TrackedFinding, number: number): boolean => leftOut === null || leftOut === number;

const toMention = ({ id, severity, state }: Finding): Mention => ({ id, severity, state });

const findingNumber = ({ id }: Finding): number => Number(id.slice(1));

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Recorded instead of a verdict if the reviewer failed. */
export const NO_VERDICT = "No verdict: two answers of the reviewer could not be read.";

/** True if the output was not reviewed because its reviewer failed. */
export const isUnjudged = ({ approved, concerns }: Pick<PhaseOutput, "approved" | "concerns">): boolean =>
  !approved && concerns.some((concern) => concern.startsWith(NO_VERDICT));
