import { formatCount } from "../core/count-of.ts";
import { OWN_LINES, TESTS_CHANGED, TESTS_NOT_STARTED, TESTS_SANDBOXED, type Wait } from "../core/run.ts";
import type { Step } from "../schema/event.ts";
import { attemptParts } from "../schema/ids.ts";
import { plainLine, plainText } from "./plain-text.ts";

type Escalation = Extract<Wait, { kind: "escalation" }>;

/** Describes a failed step, with its details. */
export function troubleLines(wait: Escalation): string[] {
  const { id, reason, detail } = wait;
  const phase = attemptParts(id)?.phase ?? null;
  const where = phase === null ? "" : `Phase ${plainLine(phase)}: `;
  const said = `${where}${whatFailed(wait)}`;
  const shown = reason === TESTS_CHANGED ? wholeLines(detail) : detailLines(detail);
  return [`${said.charAt(0).toUpperCase()}${said.slice(1)}:`, ...shown];
}

/** Names the failure and its reason, starting in lower case. */
export function whatFailed(wait: Escalation): string {
  const { from, reason } = wait;
  return REASONS[reason]?.(wait) ?? `${TROUBLE[from]} (${plainLine(reason).replaceAll("_", " ")})`;
}

function stillFailing({ checks = [], failures = 1 }: Escalation): string {
  const isTests = checks.length > 0 && checks.every((name) => name === "tests");
  return `${isTests ? "tests" : "checks"} still fail after ${formatCount(failures, "attempt")}; stopped`;
}

/** Reasons with a more specific text than the failed step. */
const REASONS: Readonly<Record<string, ((wait: Escalation) => string) | undefined>> = {
  [TESTS_CHANGED]: () => "the way tests are run has changed",
  [TESTS_NOT_STARTED]: () => "the tests could not be started: no test ran",
  [TESTS_SANDBOXED]: () => "the tests fail only where their sandbox limits them",
  baseline_not_started: () => "the tests could not be started before the work: no test ran",
  tests_red: () => "the tests already fail on the current code",
  not_installed: () => "the tests cannot run yet, as something they need is not installed",
  [OWN_LINES]: () => "your uncommitted changes overlap with the agent's in these files",
  no_change: () => "the agent changed no code, although this phase has to",
  circuit_breaker: stillFailing,
  max_iterations: stillFailing,
};

const TROUBLE: { readonly [S in Step]: string } = {
  prepare: "the run could not be prepared",
  baseline: "the tests could not run on the current code",
  enter: "the phase could not be started",
  produce: "the agent did not finish its work",
  check: "the checks of the agent's work do not pass",
  review: "the reviewer failed",
  complete: "what the agent made could not be recorded",
  recheck: "what was accepted could not be checked again",
  commit: "what was accepted could not be committed",
  measure: "the size of the work could not be measured",
  refine: "the agent's task list is invalid",
  rewind: "going back to an earlier phase did not work",
  finish: "the work could not be finished",
};

/** Keeps all lines, because the user decides about all of them. */
const wholeLines = (detail: string): string[] =>
  plainText(detail)
    .split("\n")
    .map((line) => `  ${line}`);

const detailLines = (detail: string): string[] =>
  detail
    .split("\n")
    .slice(-20)
    .map((line) => `  ${plainLine(line)}`);
