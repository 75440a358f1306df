import { actingFiles } from "../core/changes/acting-files.ts";
import { isOpen, buildLedger, isUnjudged } from "../core/findings/ledger.ts";
import { codePhaseBefore } from "../core/next.ts";
import type { ActiveRun, PhaseRecord } from "../core/run.ts";
import { testCommandText } from "../core/test-command.ts";
import type { CheckResult, TestCounts } from "../schema/facts.ts";
import { plainLine } from "./plain-text.ts";
import { formatCount } from "../core/duration.ts";
import { checkOutcome } from "./tests-in-full.ts";
import { entries } from "./change-facts.ts";
import { renderFindings } from "./reviews.ts";
import { runUsage, tokens } from "./metrics.ts";
import { type ShownChanges, shownFiles, sizeText } from "./changes-text.ts";

/** Lists the facts for a gate decision: changed files, tests, review, decisions and cost. */
export function gateFacts(run: ActiveRun, phase: PhaseRecord, changes: ShownChanges | null): string[] {
  return [
    ...(changes === null ? [] : fileLines(changes, phase)),
    ...testLines(phase.made?.checks ?? [], run),
    ...reviewerLines(phase),
    ...reporterLines(phase),
    ...codeEvidence(run),
    ...entries("Decisions", phase.made?.decisions ?? []),
    `Usage: ${tokens(phase.usage, phase) || withoutUsage(phase)}`,
    ...totalUsage(run),
  ];
}

const withoutUsage = ({ executions, rule }: PhaseRecord): string =>
  rule.adopts === true && executions === 0 ? "no agent worked" : "not reported by the agent";

/** At the last gate, the approver decides about the whole run. */
function totalUsage({ phases, index }: ActiveRun): string[] {
  const total = index === phases.length - 1 ? runUsage(phases) : "";
  return total === "" ? [] : [`Usage of the whole run: ${total}`];
}

/** Names the workers that reported the results. A team server cannot verify them. */
function reporterLines({ made }: PhaseRecord): string[] {
  const workers = named(made?.reportedBy);
  const checkers = named(made?.checkedBy);
  return [
    ...(workers.length === 0 ? [] : [`Checks and review: reported by ${workers.join(", ")}, not verified`]),
    ...(checkers.length === 0 ? [] : [`Checks: run by ${checkers.join(" and again by ")}, with the same result`]),
  ];
}

const named = (workers: readonly string[] = []): readonly string[] => workers.map((name) => plainLine(name, 60));

/** Repeats tests and review of the earlier phase whose code is accepted at this gate. */
function codeEvidence(run: ActiveRun): string[] {
  const phase = codePhaseBefore(run);
  if (phase === null) return [];
  const lines = [...testLines(phase.made?.checks ?? [], run), ...reviewerLines(phase)];
  return lines.map((line) => line.replace(/^(Tests|Reviewer):/, `$1 (${plainLine(phase.rule.name)}):`));
}

function fileLines(changes: ShownChanges, { made }: PhaseRecord): string[] {
  const files = actingFirst(shownFiles(changes));
  if (files.length === 0 && made !== null && made.changed === null) return ["Files: unknown, git diff unavailable"];
  if (files.length === 0) return [`Files: none changed ${plainLine(changes.base)}`];
  const sizes = files.map((file) => `${plainLine(file.path, 150)}  ${file.isBinary ? "binary" : sizeText([file])}`);
  return entries(`Files ${plainLine(changes.base)} (${formatCount(files.length, "file")}, ${sizeText(files)})`, sizes);
}

function actingFirst<T extends { readonly path: string }>(files: readonly T[]): T[] {
  const acting = new Set(actingFiles(files.map(({ path }) => path)).map(({ path }) => path));
  return [...files.filter(({ path }) => acting.has(path)), ...files.filter(({ path }) => !acting.has(path))];
}

function testLines(checks: readonly CheckResult[], run: ActiveRun): string[] {
  const tests = checks.find(({ name }) => name === "tests");
  if (tests === undefined) return [];
  const { counts, ranAs } = tests;
  const outcome = describeOutcome(tests, run);
  const told = counts === undefined ? outcome : `${outcome}, ${countsText(counts)}`;
  const ran = run.tests === null ? "" : `${plainLine(testCommandText(run.tests), 120)}: `;
  const where = ranAs === undefined ? "" : RAN[ranAs];
  return [`Tests: ${ran}${told}${beforeText(run)}${where}`, ...failingLines(tests)];
}

const RAN = { sandbox: ", in a sandbox", you: ", as you, without a sandbox" } as const;

function beforeText({ baseline }: ActiveRun): string {
  const before = baseline?.result.counts;
  return before === undefined ? "" : ` (before the run: ${countsText(before)})`;
}

function failingLines({ against, failing = [] }: CheckResult): string[] {
  const names = failing.map(({ name }) => name);
  if (against === undefined) return entries("Failing tests", names);
  return [
    ...entries("Newly failing", against.added),
    ...entries("Failing since before the run", against.still),
    ...entries("Fixed since the run started", against.fixed),
  ];
}

/** Describes the test result, in capitals if tests failed or could not be started. */
function describeOutcome(check: CheckResult, { run }: ActiveRun): string {
  if (check.ok === null && run.options.tests === "none") return "not run, as you chose";
  const outcome = checkOutcome(check);
  return outcome === "failed" || check.notStarted === true ? outcome.toUpperCase() : outcome;
}

const countsText = ({ passed, failed }: TestCounts): string => `${passed} passed, ${failed} failed`;

function reviewerLines({ iterations, made, rule }: PhaseRecord): string[] {
  if (rule.reviewer === null || made === null) return [];
  if (isUnjudged(made)) return ["Reviewer: failed; this was not reviewed"];
  const ledger = buildLedger(iterations);
  const open = ledger.findings.filter(isOpen);
  const verdict = made.approved ? "approved" : "did not approve";
  const after = iterations.length === 0 ? "" : ` after ${formatCount(iterations.length, "review")}`;
  const findings = open.length === 0 ? "no open findings" : formatCount(open.length, "open finding");
  return [
    `Reviewer: ${verdict}${after}, ${findings}`,
    ...renderFindings({ ...ledger, findings: open })
      .slice(0, MAX_FINDINGS)
      .map((line) => `  - ${line}`),
    ...(open.length > MAX_FINDINGS ? [`  … and ${open.length - MAX_FINDINGS} more`] : []),
  ];
}

const MAX_FINDINGS = 10;
