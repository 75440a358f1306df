import { isFailure } from "../core/baseline.ts";
import type { RunEvent } from "../schema/event.ts";
import type { CheckResult } from "../schema/facts.ts";
import { attemptPhase, namePlanned, type NamePhase } from "./phase-names.ts";
import { plainLine } from "./plain-text.ts";
import { formatCount } from "../core/duration.ts";
import { NO_VERDICT } from "../core/findings/ledger.ts";
import { type AttemptId, attemptParts } from "../schema/ids.ts";

/** One event, short enough for one line of a screen. */
export type WorkLine = { readonly mark: "begun" | "good" | "bad"; readonly text: string };

/** Lists the progress after an event number: started phases, their outputs, verdicts and commits. */
export function workLines(events: readonly RunEvent[], after: number): WorkLine[] {
  return events.flatMap((event, index) => (event.seq > after ? toWorkLines(event, events.slice(0, index)) : []));
}

type EventOfType<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type Tellers = {
  readonly [T in RunEvent["type"]]?: (event: EventOfType<T>, before: readonly RunEvent[]) => WorkLine[];
};

const tellers: Tellers = {
  "baseline.measured": ({ result }) => [
    result.ok === false || result.notStarted === true
      ? bad(`on the current code, ${failedText(result)}`)
      : good(`on the current code: ${result.ok === null ? "tests not run" : result.detail}`),
  ],
  "attempt.started": ({ phase, attempt }, before) => [
    { mark: "begun", text: `${namePlanned(before)(phase)}${attempt > 1 ? `, attempt ${attempt}` : ""}` },
  ],
  "checks.passed": ({ results }, before) => [good(passedText(results, before))],
  "checks.recorded": ({ results }, before) => {
    const failed = results.filter(isFailure);
    return failed.length === 0 ? [good(passedText(results, before))] : failed.map((result) => bad(failedText(result)));
  },
  "checks.failed": ({ results }) => results.filter(isFailure).map((result) => bad(failedText(result))),
  "verdict.given": (verdict) => [verdictLine(verdict)],
  "tasks.refined": ({ tasks }) => [good(`split into ${formatCount(tasks, "task")}`)],
  "phase.committed": ({ commit }) => (commit === null ? [] : [good(`committed ${commit.slice(0, 7)}`)]),
};

function toWorkLines(event: RunEvent, before: readonly RunEvent[]): WorkLine[] {
  const tell = tellers[event.type] as ((event: RunEvent, before: readonly RunEvent[]) => WorkLine[]) | undefined; // keyed by the event's type
  return (tell?.(event, before) ?? []).map(({ mark, text }) => ({ mark, text: plainLine(text) }));
}

const good = (text: string): WorkLine => ({ mark: "good", text });
const bad = (text: string): WorkLine => ({ mark: "bad", text });

/** Lists files, then tests, then the agent's message: narrow screens cut the message. */
function passedText(results: readonly CheckResult[], before: readonly RunEvent[]): string {
  const draft = before.findLast((event) => event.type === "draft.produced");
  const tests = results.find(({ name }) => name === "tests");
  const measured =
    tests === undefined ? "" : tests.ok === null ? "tests not run" : (tests.detail.split("\n", 1)[0] ?? "");
  const files = filesText([...dueFiles(before), ...(draft?.artifacts ?? [])]);
  return [files, measured, withoutMarks(draft?.summary ?? "")].filter((part) => part !== "").join(" · ");
}

/** Removes Markdown marks, which are noise on a single line. */
const withoutMarks = (text: string): string =>
  text.replaceAll(/^\s*(?:#{1,6}|[-*>]|[0-9]+\.)\s+/gm, "").replaceAll(/\*\*|`/g, "");

/** Returns the required outputs of the current phase. They exist once the checks passed. */
function dueFiles(before: readonly RunEvent[]): readonly string[] {
  const started = before.find((event) => event.type === "run.started");
  const attempt = before.findLast((event) => event.type === "attempt.started");
  return started?.plan.find(({ key }) => key === attempt?.phase)?.outputs ?? [];
}

const MAX_NAMED = 3;

function filesText(paths: readonly string[]): string {
  const names = [...new Set(paths.map((path) => path.slice(path.lastIndexOf("/") + 1)))];
  if (names.length === 0) return "";
  const left = names.length - MAX_NAMED;
  return `made ${names.slice(0, MAX_NAMED).join(", ")}${left > 0 ? ` and ${left} more` : ""}`;
}

/** Joins the first line (command or file, with the reason) and the tests named by the runner. */
function failedText({ name, detail, failing = [] }: CheckResult): string {
  const named = failing.slice(0, MAX_NAMED).map((test) => test.name);
  const left = failing.length - named.length;
  return [`${name}: ${detail.split("\n", 1)[0] ?? ""}`, ...named, ...(left > 0 ? [`${left} more`] : [])].join(" · ");
}

function verdictLine({ approved, issues, summary }: EventOfType<"verdict.given">): WorkLine {
  if (approved) return good(`reviewer approves: ${summary}`);
  if (summary === NO_VERDICT) return bad("reviewer failed: asked twice, and gave no verdict that could be read");
  return bad(refusedText(issues.map(({ description }) => description)));
}

function refusedText([first = "no reason given", ...others]: readonly string[]): string {
  return `reviewer: ${others.length === 0 ? "" : `${others.length + 1} findings, first: `}${first}`;
}

/** Text of each step, followed by the name of the phase. */
const DOING: Readonly<Record<string, string>> = {
  prepare: "Preparing",
  baseline: "Running baseline tests",
  enter: "Starting",
  produce: "Running",
  check: "Testing",
  review: "Reviewing",
  complete: "Recording",
  recheck: "Rechecking",
  commit: "Committing",
  measure: "Measuring",
  refine: "Refining the tasks of",
  rewind: "Going back to",
  finish: "Finishing",
};

/** Formats a step: `Running Plan (attempt 3)`. In the journal, this attempt is `plan#3`. */
export function stepText(step: string, attempt: AttemptId | null, name: NamePhase): string {
  const number = (attempt === null ? null : attemptParts(attempt))?.number ?? 1;
  const again = number === 1 ? "" : ` (attempt ${number})`;
  return `${DOING[step] ?? step} ${attemptPhase(attempt, name)}`.trimEnd() + again;
}
