import { actingFiles } from "../core/changes/acting-files.ts";
import { attentionFor, attentionText } from "../core/changes/attention.ts";
import type { RevertedFiles } from "../core/command.ts";
import { UNSEEN } from "../core/failure-digest.ts";
import { listWaitOptions } from "../core/next.ts";
import {
  type ActiveRun,
  currentPhase,
  isRedoing,
  type PhaseRecord,
  redoLimit,
  type Wait,
  type WaitOption,
} from "../core/run.ts";
import type { PhaseOutput } from "../schema/facts.ts";
import type { Supervision } from "../schema/plan.ts";
import { gateMenuLine } from "./answer-options.ts";
import { artifactRows } from "./artifact-rows.ts";
import { gateFacts } from "./gate-facts.ts";
import { plainLine } from "./plain-text.ts";
import { leadingNumber, reviewsFolder, summaryFileName, buildSummaryData } from "./summary.ts";
import { wrapLines } from "./wrap-lines.ts";
import { formatCount } from "../core/duration.ts";
import { actingLine, entries } from "./change-facts.ts";
import { testNotes } from "./tests-in-full.ts";
import { type ShownChanges, shownFiles } from "./changes-text.ts";

type BannerGate = Extract<Wait, { kind: "gate" }>;

const RULE = "-".repeat(44);

/** Prompt after Redo. */
export const redoPrompt = `What additional guidance should this phase consider?
(Describe what to change or focus on)
> `;

/** Shown under the summary while a gate is paused. */
export const reviewInstructions = `Review the artifacts listed above. Edit any files as needed.
When ready, say 'continue' to advance to the next phase.`;

/** Formats the banner of an open gate. Returns null if no gate is open. */
export function gateBanner(run: ActiveRun, { changes = null, columns = WIDEST }: Screen = {}): string | null {
  const phase = currentPhase(run);
  if (run.wait?.kind !== "gate" || phase === undefined) return null;
  const data = buildSummaryData(run, phase.rule.key);
  const minutes = data.duration?.minutes;
  const artifacts = formatCount(artifactRows(data).length, "file");
  const lines = [
    RULE,
    `PHASE ${numbered(phase)}COMPLETE: ${phaseName(phase)}${formatPosition(run, phase)}`,
    "",
    summaryLine(run, phase),
    `Artifacts: ${artifacts} created/modified`,
    `Duration: ${minutes === undefined ? "N/A" : `${minutes}m`}`,
    "",
    ...testSetupLines(phase),
    ...actingLines(phase.made, changes),
    ...listNotices(run, phase, run.wait),
    ...gateFacts(run, phase, changes),
    `To read: ${attentionText(attentionFor(phase.made))}`,
    "",
    ...listWaitOptions(run, run.wait).map((option) => `${gateMenuLine(option, run)}${redosLeft(run, phase, option)}`),
    "",
    PROMPT,
    RULE,
  ];
  return wrapLines(lines.join("\n"), columns);
}

/** Changes that the gate would accept, and the width of the terminal in columns. */
export type Screen = { readonly changes?: ShownChanges | null; readonly columns?: number };

/** Default if the width is unknown: no line is wrapped. */
const WIDEST = Number.POSITIVE_INFINITY;

const PROMPT = "Your choice: _";

/** Formats the banner without its prompt, for unattended calls. */
export const gateNotice = (run: ActiveRun, screen: Screen = {}): string | null =>
  gateBanner(run, screen)?.replace(`${PROMPT}\n`, "") ?? null;

/** Formats the banner for a user who returns to a run. Returns null unless a gate is open or a redo was in progress. */
export function recoveryBanner(run: ActiveRun): string | null {
  const phase = currentPhase(run);
  if (phase === undefined) return null;
  if (run.wait?.kind === "gate") {
    const notices = [...testSetupLines(phase), ...listNotices(run, phase, run.wait)];
    return [
      `A review was in progress for ${bannerTitle(phase)}.`,
      summaryLine(run, phase),
      "",
      ...(notices.length === 0 ? [] : [...notices, ""]),
      "[C] Continue to next phase",
      "[R] Show summary and review again",
      ...listWaitOptions(run, run.wait)
        .filter((option) => RETURNING.has(option))
        .map((option) => `${gateMenuLine(option, run)}${redosLeft(run, phase, option)}`),
    ].join("\n");
  }
  return run.wait === null && isRedoing(run)
    ? `A redo was in progress for Phase ${(numbered(phase) || phaseName(phase)).trim()}. The phase will be re-run.`
    : null;
}

/** Options with the same text in the recovery banner as at the gate. */
const RETURNING: ReadonlySet<string> = new Set(["redo", "back", "loosen", "revert"]);

function bannerTitle(phase: PhaseRecord): string {
  const number = numbered(phase);
  return number === "" ? phaseName(phase) : `Phase ${number}(${phaseName(phase)})`;
}

function numbered({ rule }: PhaseRecord): string {
  const number = leadingNumber(rule.key);
  return number === null ? "" : `${number} `;
}

/** Formats ` (7 of 9)`. Returns an empty string if ascending phase numbers already show the position. */
function formatPosition({ phases }: ActiveRun, phase: PhaseRecord): string {
  const planned = phases.filter(({ dropped }) => !dropped);
  const numbers = planned.flatMap(({ rule }) => leadingNumber(rule.key) ?? []);
  const isInOrder = numbers.every((number, at) => at === 0 || (numbers[at - 1] ?? "") < number);
  return isInOrder ? "" : ` (${planned.indexOf(phase) + 1} of ${planned.length})`;
}

const phaseName = ({ rule }: PhaseRecord): string => plainLine(rule.shortName ?? rule.name);

function summaryLine(run: ActiveRun, phase: PhaseRecord): string {
  const keys = run.phases.map(({ rule }) => rule.key);
  return `Summary: ${reviewsFolder(run)}/${summaryFileName(keys, phase.rule.key)}`;
}

/** Shown before all other warnings: without reliable tests, the other facts prove little. */
const testSetupLines = ({ made }: PhaseRecord): string[] =>
  entries("The way tests are run has changed", made?.testsChanged?.split("\n") ?? []);

/** Lists files that take effect without being called, and deceptive names. */
function actingLines(made: PhaseOutput | null, changes: ShownChanges | null): string[] {
  const recorded = [...(made?.changed ?? []), ...(made?.changedSinceSeen ?? [])];
  const files = actingFiles([...recorded, ...(changes === null ? [] : shownFiles(changes))].map(({ path }) => path));
  return allLines("Read these first: they act by themselves, or their names deceive", files.map(actingLine));
}

/** Returns warnings shown at an earlier gate of the run and accepted by a user. */
function acceptedNotices({ phases, index }: ActiveRun): ReadonlySet<string> {
  const accepted = phases.slice(0, index).filter(({ acceptedTree }) => acceptedTree !== null);
  return new Set(accepted.flatMap(({ made }) => made?.notices ?? []));
}

/** Returns new warnings in full, and the number of repeated ones, which would hide the new ones. */
function newNotices(run: ActiveRun, notices: readonly string[]): string[] {
  const known = acceptedNotices(run);
  const repeated = notices.filter((notice) => known.has(notice)).length;
  const rest = repeated === 0 ? [] : [`${formatCount(repeated, "line")} as at an earlier gate; the summary has all`];
  return [...notices.filter((notice) => !known.has(notice)), ...rest];
}

function listNotices(run: ActiveRun, phase: PhaseRecord, gate: BannerGate): string[] {
  return [
    ...listFailures(gate, phase),
    ...(phase.made === null ? [] : foundIn({ ...phase.made, notices: newNotices(run, phase.made.notices ?? []) })),
    ...redosSpent(run, phase),
    ...(gate.loosened === null ? [] : [loosenedLine(gate.loosened)]),
  ];
}

function foundIn({ concerns, unexpected, unmentioned = [], notices = [], denied = [], checks }: PhaseOutput): string[] {
  return [
    ...entries("Concerns", concerns),
    ...entries("Unexpected writes", unexpected),
    ...entries("Changed, and not mentioned by the agent", unmentioned),
    ...allLines("About the repository", notices),
    ...entries("Refused to the agent; a rule of yours would allow it", denied.filter(isRule)),
    ...entries(
      "Refused to the agent",
      denied.filter((what) => !isRule(what)),
    ),
    ...entries("About the tests", testNotes(checks)),
  ];
}

/** Matches refused paths that no rule can open to agents: `.git` and `.isdlc`. */
const CLOSED = /(?:^|[/(\s"'])\.(?:git|isdlc)(?:[/)\s"']|$)/i;

/**
 * Returns true if a refusal is written as the Claude Code rule that would allow it: `Bash(npm install)`. Returns false
 * for truncated text, and for paths that stay closed.
 */
const isRule = (refused: string): boolean =>
  /^(?:Bash|Edit|Read|WebFetch)\([^…]+\)$|^(?:WebSearch|mcp__\S+)$/.test(refused) && !CLOSED.test(refused);

/** Explains why the gate is open again. */
function listFailures({ failures }: BannerGate, { rule, redos }: PhaseRecord): string[] {
  const unseen = failures.filter(({ name }) => name === UNSEEN).flatMap(({ detail }) => detail.split("\n"));
  const failed = failures.filter(({ name }) => name !== UNSEEN).map(({ name, detail }) => `${name}: ${detail}`);
  return [
    ...allLines("Changed after the summary; Continue accepts it as it is now", unseen),
    ...entries(
      rule.adopts === true && redos === 0
        ? "Checks fail on this work; Continue accepts it anyway"
        : "Checks fail after the edits; Continue proceeds anyway",
      failed,
    ),
  ];
}

/** Formats ` (2 of 3 left)` if at least one redo was used. */
function redosLeft(run: ActiveRun, { redos }: PhaseRecord, option: WaitOption): string {
  const limit = redoLimit(run);
  return option === "redo" && redos > 0 ? ` (${limit - redos} of ${limit} left)` : "";
}

/** Explains why Redo is no longer offered. */
export const redosSpent = (run: ActiveRun, { redos }: Pick<PhaseRecord, "redos">): string[] =>
  redos < redoLimit(run)
    ? []
    : [`All ${redoLimit(run)} redos of this phase are used up: continue, or review and edit it yourself.`];

/** Lists the artifacts that the review instructions refer to, for screens without the summary. */
export function artifactLines(run: ActiveRun): string[] {
  const phase = currentPhase(run);
  const rows = phase === undefined ? [] : artifactRows(buildSummaryData(run, phase.rule.key));
  if (phase === undefined || rows.length === 0) return [];
  return [
    ...entries(
      "Artifacts",
      rows.map(({ path }) => path),
    ),
    summaryLine(run, phase),
  ];
}

/** Confirms which files were restored, and how to read their previous content. */
export function revertedLines({ paths, kept }: Pick<RevertedFiles, "paths" | "kept">): string[] {
  const from = kept === null ? [] : [`As they were, they are kept: git show ${kept.slice(0, 12)}:<path>`];
  return [...entries("Put back as they were before this phase", paths), ...from];
}

/** Lists all lines, because the user must read them completely. */
function allLines(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  - ${plainLine(line, MAX_SUMMARY_LENGTH)}`)];
}

/** In characters: longer than any path of a file system. */
const MAX_SUMMARY_LENGTH = 5000;

/** Describes the relaxed settings, which take effect only if the user chooses Loosen. */
export function loosenedLine({ enabled, phases }: Supervision): string {
  const what = !enabled
    ? "no review gates"
    : `review gates ${phases === "all" ? "after every phase" : `only after ${phases.join(", ")}`}`;
  return `Supervision was loosened: the settings now say ${what}. It stays as it was unless you choose Loosen.`;
}
