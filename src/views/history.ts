import { isFailure } from "../core/baseline.ts";
import { budgetText, spentText } from "../core/budget.ts";
import { withBringers } from "../core/brought-answers.ts";
import { type EndedRun, chosenFinish, mergedAs, type PhaseRecord } from "../core/run.ts";
import { writesCode } from "../core/changes/unmentioned.ts";
import type { RunEvent } from "../schema/event.ts";
import type { Person, Initiator } from "../schema/people.ts";
import { localTime } from "./local-time.ts";
import { computeMetrics, runUsage, tokens } from "./metrics.ts";
import { hadNothingToMerge, nothingToMerge } from "./finish-lines.ts";
import { attemptText, namePlanned, type NamePhase, runPhases } from "./phase-names.ts";
import { plainLine } from "./plain-text.ts";
import { pullRequestCommands } from "./pull-request.ts";
import { durationText } from "./runs-table.ts";
import { formatCount } from "../core/duration.ts";
import { shellWord } from "../core/command-line.ts";
import { isBookkeeping } from "../core/items/item-meta.ts";
import { checkOutcome } from "./tests-in-full.ts";

/** Formats one line per event. `name` is required for events without the first one, which has the names of all phases. */
export function historyLines(events: readonly RunEvent[], name: NamePhase = namePlanned(events)): string[] {
  return withBringers(events).map(
    (event) => `${String(event.seq).padStart(4)}  ${localTime(event.at, "seconds")}  ${sentence(event, name)}`,
  );
}

type Sentences = {
  readonly [T in RunEvent["type"]]?: (event: Extract<RunEvent, { type: T }>, name: NamePhase) => string;
};

const sentences: Sentences = {
  "run.started": (e) => `${e.workflow} started by ${who(e.by)}: ${plainLine(e.title)}`,
  "run.broughtIn": (e) =>
    `brought to the team by ${plainLine(e.by)}: events ${e.from} to ${e.to} are unverified, the team's policy applies`,
  "decision.signed": (e) => `the next decision is signed with passkey ${plainLine(e.signature.passkey, 16)}`,
  "passkey.removed": (e) => `passkey ${plainLine(e.passkey, 16)} removed by ${who(e.by)}: ${plainLine(e.reason, 200)}`,
  "baseline.measured": (e) => `tests before the run: ${checkOutcome(e.result)}`,
  "baseline.settled": (e) =>
    e.how === "passed"
      ? "continues from there"
      : `continues ${e.how === "known" ? "knowing that tests fail" : "without tests"}, by ${e.by === "engine" ? "the options given" : who(e.by)}`,
  "attempt.started": (e, name) => `${name(e.phase)} #${e.attempt} begins (${e.brief.why})`,
  "execution.started": (e, name) =>
    `${attemptText(e.claim.execution, name)} runs (${e.role}${e.prompt === undefined ? "" : `, prompt of ${e.prompt} characters`})`,
  "execution.ended": (e, name) =>
    `${attemptText(e.execution, name)} ended: ${e.how}${e.reason === null ? "" : ` (${plainLine(e.reason, 120)})`}`,
  "draft.produced": (e) =>
    e.adopted === true ? "existing work taken as it is" : `produced: ${plainLine(e.summary, 120)}`,
  "checks.recorded": (e) => `checks of existing work: ${e.results.some(isFailure) ? "failed" : "nothing failed"}`,
  "checks.failed": (e) =>
    `checks failed: ${e.results
      .filter(isFailure)
      .map((r) => r.name)
      .join(", ")}`,
  "verdict.given": (e) =>
    `reviewer: ${e.approved ? "approved" : `not approved, ${formatCount(e.concerns.length, "concern")}`}${e.stopped === undefined ? "" : `; stopped: ${plainLine(e.stopped, 120)}`}`,
  "budget.spent": (e) =>
    e.unknown === true
      ? "the amount spent is unknown: an agent reported an impossible usage"
      : `the budget ${e.ahead === undefined ? "is spent" : "would be exceeded"}: ${spentText(e.spent, e.partial)} of ${budgetText(e.budget)}`,
  "budget.raised": (e) => `budget raised to ${budgetText(e.budget)} by ${who(e.by)}`,
  "writes.takenOut": (e) => `${formatCount(e.paths.length, "file")} reverted by ${who(e.by)}`,
  "gate.opened": (e) => `gate opened${e.failures.length > 0 ? " (a check failed after edits)" : ""}`,
  "gate.answered": (e) => `${e.choice} by ${who(e.by)}${e.guidance === null ? "" : `: ${plainLine(e.guidance, 200)}`}`,
  "questions.answered": (e) => `questions answered by ${who(e.by)}`,
  "supervision.loosened": (e) => `supervision loosened by ${who(e.by)}`,
  "sizing.decided": (e) =>
    `sized ${e.effective} (${e.sizing.recommended} recommended) by ${typeof e.by === "string" ? e.by : who(e.by)}`,
  "tasks.refined": (e) => (e.artifact === null ? "no tasks refined" : `${formatCount(e.tasks, "task")} refined`),
  "phase.restarted": (e) => `phase restarted by ${who(e.by)}`,
  "phase.skipped": (e) => `phase skipped by ${who(e.by)}`,
  "run.wentBack": (e, name) => `back to ${name(e.to)}, by ${who(e.by)}`,
  "run.rewound": (e) =>
    e.kept === null
      ? "the tree was left as it is"
      : `${e.restored.length === 0 ? "nothing more" : formatCount(e.restored.length, "file")} restored; later work is saved under ${e.kept}`,
  "step.escalated": (e) => `${e.from} escalated: ${e.reason}`,
  "lines.included": (e) =>
    `own lines in ${e.paths.map((path) => plainLine(path)).join(", ")} committed with the agent's, by ${who(e.by)}`,
  "step.retried": (e) => `${e.from} retried by ${who(e.by)}${e.limits === undefined ? "" : ", with other limits"}`,
  "step.skipped": (e) => `${e.from} skipped by ${who(e.by)}`,
  "phase.rechecked": (e) =>
    e.edited === null || e.edited.length === 0
      ? "looked at again: as it was shown"
      : `looked at again: ${e.edited.map(({ path }) => plainLine(path)).join(", ")} changed`,
  "finish.asked": (e) =>
    `asked how it ends${e.moved === undefined ? "" : `, once more: ${plainLine(e.moved.join("; "))}`}`,
  "phase.committed": (e) => (e.commit === null ? "nothing committed" : `committed ${e.commit.slice(0, 12)}`),
  "finish.chosen": (e) => `ends with ${e.how}, chosen by ${e.by === "engine" ? "the options given" : who(e.by)}`,
  "run.finished": (e) => `finished${e.merged === null ? "" : `, merged as ${e.merged.slice(0, 12)}`}`,
  "run.cancelled": (e) => `cancelled by ${who(e.by)}: ${plainLine(e.reason)}`,
};

/** Describes an event in one sentence. */
export function sentence(event: RunEvent, name: NamePhase): string {
  const tell = sentences[event.type] as ((event: RunEvent, name: NamePhase) => string) | undefined; // keyed by the event's type
  return tell?.(event, name) ?? event.type.replace(".", " ");
}

export function who(person: Person | Initiator): string {
  const suspicious =
    "suspicious" in person && person.suspicious !== undefined ? ` [suspicious: ${person.suspicious}]` : "";
  const brought =
    "broughtBy" in person && person.broughtBy !== undefined ? `, brought by ${plainLine(person.broughtBy)}` : "";
  return `${plainLine(person.name)} (${person.channel}${brought})${suspicious}`;
}

/** Summarizes an ended run: decisions and their users, open concerns, unseen changes, usage, and the branch. */
export function closingReport(run: EndedRun): string[] {
  const name = runPhases(run);
  const decided = run.answers.map(
    ({ phase, choice, by, guidance }) =>
      `  ${name(phase)}: ${choice} by ${who(by)}${guidance === null ? "" : ` – "${plainLine(guidance, 120)}"`}`,
  );
  const concerns = run.phases.flatMap(({ rule, made }) =>
    (made?.concerns ?? []).map((text) => `  ${plainLine(rule.name)}: ${plainLine(text)}`),
  );
  const outside = run.phases.flatMap(({ rule, made }) =>
    (made?.unexpected ?? []).map((path) => `  ${plainLine(rule.name)}: ${plainLine(path)}`),
  );
  const merged = mergedAs(run);
  const notices = firstNotices(run).map(({ phase, text }) => `  ${phase}: ${plainLine(text)}`);
  const skipped = run.phases
    .filter(({ status }) => status === "skipped")
    .map(({ rule }) => `  ${plainLine(rule.name)}`);
  return [
    ...heading(run),
    tookLine(run),
    ...(decided.length === 0 ? ["Gate decisions: none"] : ["Gate decisions:", ...decided]),
    ...block("Concerns left open", concerns),
    ...block("Written where the phase may not", outside),
    ...block("About the repository", notices),
    ...block("Accepted without human review", unshown(run)),
    ...block("Skipped", skipped),
    ...block("Usage", usedLines(run)),
    ...(merged === null
      ? keptBranch(run)
      : [`Merged into ${run.run.git?.base ?? "the base branch"} as ${merged.slice(0, 12)}.`]),
  ];
}

/** Returns each notice once, with the first phase that showed it. */
function firstNotices({ phases }: EndedRun): { phase: string; text: string }[] {
  const all = phases.flatMap(({ rule, made }) =>
    (made?.notices ?? []).map((text) => ({ phase: plainLine(rule.name), text })),
  );
  return all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at);
}

/** Lists the changes of phases after the last accepted gate, which were not shown to a user. */
function unshown({ phases }: EndedRun): string[] {
  const seen = phases.findLastIndex(({ acceptedTree }) => acceptedTree !== null);
  return phases.slice(seen + 1).flatMap(({ rule, made }) => {
    const files = changedWork(made);
    return files.length === 0 ? [] : [`  ${plainLine(rule.name)}: ${listed(files).join(", ")}`];
  });
}

/**
 * Returns the headline. A run of one phase belongs to a larger task: its headline names the phase and its artifacts,
 * unless it was cancelled, merged, or a review only.
 */
function heading(ended: EndedRun): string[] {
  const { how, run, phases } = ended;
  const title = plainLine(run.title);
  const [only, ...others] = phases;
  if (how !== "finished") return [`Cancelled: ${title}`];
  if (only === undefined || others.length > 0 || mergedAs(ended) !== null) return [`Finished: ${title}`];
  if (only.rule.judged === true)
    return [`${only.rule.name}: ${only.made?.approved === true ? "approved" : "not approved"} (${title})`];
  const files = writesCode(only) ? changedWork(only.made) : (only.made?.artifacts ?? []);
  return [`${only.rule.name} ${approvalText(only)}: ${title}`, ...listed(files).map((path) => `  ${path}`)];
}

/** A phase can be completed without approval: at its limit of reviews, or by the user. */
function approvalText({ made, iterations }: PhaseRecord): string {
  if (made === null || iterations.length === 0) return "completed";
  return made.approved ? "completed and approved by the reviewer" : "completed, not approved by the reviewer";
}

/** Returns the files changed by a phase, without isdlc's own records. */
const changedWork = (made: PhaseRecord["made"]): string[] =>
  (made?.changed ?? []).map(({ path }) => path).filter((path) => !isBookkeeping(path));

const MAX_LISTED_FILES = 20;

const listed = (files: readonly string[]): string[] => [
  ...files.slice(0, MAX_LISTED_FILES).map((path) => plainLine(path)),
  ...(files.length > MAX_LISTED_FILES ? [`… and ${files.length - MAX_LISTED_FILES} more`] : []),
];

/** Lists usage by phase, or one line if no agent reported any. */
function usedLines(run: EndedRun): string[] {
  const worked = run.phases.filter(({ executions }) => executions > 0);
  const lines = worked.map(({ rule, usage, ...phase }) => ({ name: plainLine(rule.name), used: tokens(usage, phase) }));
  if (lines.every(({ used }) => used === "")) return worked.length === 0 ? [] : ["  not reported by the agent"];
  const total = runUsage(run.phases);
  return [
    ...lines.map(({ name, used }) => `  ${name}: ${used === "" ? "unknown" : used}`),
    ...(total === "" ? [] : [`  whole run: ${total}`]),
    ...repeatedInputLine(run),
  ];
}

/** Sums the input of all executions except the first of each phase: revisions, redos and retries read it again. */
function repeatedInputLine({ phases }: EndedRun): string[] {
  const repeatedInput = phases.reduce((sum, phase) => sum + phase.repeatedInput, 0);
  return repeatedInput === 0
    ? []
    : [`  of which resent context: ${tokens({ input: repeatedInput, output: null, usd: null })}`];
}

function tookLine(run: EndedRun): string {
  const { minutes, attempts, redos, gates, firstTry } = computeMetrics(run);
  return [
    `Took ${durationText(minutes)}`,
    formatCount(attempts ?? 0, "attempt"),
    formatCount(redos ?? 0, "redo"),
    `${firstTry} of ${formatCount(gates, "phase")} accepted at the first try`,
  ].join(" · ");
}

const block = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines];

function keptBranch(ended: EndedRun): string[] {
  const branch = ended.run.git?.branch ?? null;
  const finish = chosenFinish(ended);
  if (branch === null || finish === "discard") return [];
  if (hadNothingToMerge(ended)) return [`Nothing was merged: ${nothingToMerge(ended.run)}`];
  if (finish !== "pr") return [`The branch ${branch} is kept.`];
  const commands = pullRequestCommands(ended, "gh") ?? [];
  return [
    `The branch ${branch} is ready for a pull request:`,
    ...commands.map((argv) => `  ${argv.map(shellWord).join(" ")}`),
  ];
}
