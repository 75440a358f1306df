import {
  OWN_LINES,
  TESTS_CHANGED,
  TESTS_NOT_STARTED,
  TESTS_SANDBOXED,
  type Wait,
  type WaitOption,
} from "../core/run.ts";
import type { Step } from "../schema/event.ts";
import { attemptPhase, type NamePhase } from "./phase-names.ts";
import { plainLine, plainText } from "./plain-text.ts";
import { formatCount } from "../core/duration.ts";

type Escalation = Extract<Wait, { kind: "escalation" }>;

/** Describes a failed step, with its details. */
export function troubleLines(wait: Escalation, name: NamePhase): string[] {
  const { id, reason, detail } = wait;
  const phase = attemptPhase(id, name);
  const where = phase === "" ? "" : `Phase ${phase}: `;
  const said = `${where}${whatFailed(wait)}`;
  const shown = reason === TESTS_CHANGED ? wholeLines(detail) : detailLines(detail);
  return [
    `${said.charAt(0).toUpperCase()}${said.slice(1)}:`,
    ...shown,
    ...(wait.from === "baseline" ? [OTHER_COMMAND] : []),
  ];
}

const OTHER_COMMAND =
  "To choose another command: isdlc cancel --reason tests, then start again with --tests '<command>'.";

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
  [TESTS_SANDBOXED]: () => "the tests fail only because their sandbox limits them",
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
  complete: "the agent's output could not be recorded",
  recheck: "the accepted work could not be checked again",
  commit: "the accepted work could not be committed",
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

/** Texts of options that differ from the usual ones. */
type Otherwise = {
  readonly [O in WaitOption]?: { readonly label?: string; readonly short: string; readonly effect: string };
};

/** Tests that fail before the first change. */
const BEFORE_THE_WORK: Otherwise = {
  accept: {
    label: "Continue anyway",
    short: "known failures are ignored; only new ones count",
    effect: "Continues knowing that these tests fail: only new failures count.",
  },
  retry: {
    label: "Run the tests again",
    short: "after fixing them, or if they are flaky",
    effect: "Runs the tests again, once you fixed them.",
  },
  skip: {
    label: "Skip tests",
    short: "run no tests in this run (recorded)",
    effect: "Runs no tests in this run. That is recorded.",
  },
};

/** Tests that could not start before the work. */
const NOT_STARTED = {
  retry: {
    label: "Try again",
    short: "fix it yourself, then choose this to run the tests",
    effect: "Runs the tests again, once you fixed what keeps them from starting.",
  },
  accept: {
    label: "Continue anyway",
    short: "without a result from before the work; later failures all count",
    effect: "Continues without a test result from before the work: every later failure counts.",
  },
  skip: {
    label: "Skip tests",
    short: "run no tests in this run (recorded)",
    effect: "Runs no tests in this run. That is recorded.",
  },
} as const satisfies Otherwise;

const WITHOUT_TESTS = {
  label: "Without tests",
  short: "run none in the rest of this run; recorded",
  effect: "Runs no tests in the rest of this run. That is recorded, and shown at the gate.",
} as const;

/** Option texts after a failed step, by its reason. */
export const troubleWords: Readonly<Record<string, Otherwise | undefined>> = {
  [TESTS_CHANGED]: {
    retry: {
      short: "run the phase again and give the agent the reason",
      effect: "Runs the phase again and gives the agent the reason.",
    },
  },
  tests_red: BEFORE_THE_WORK,
  not_installed: NOT_STARTED,
  baseline_not_started: NOT_STARTED,
  [TESTS_NOT_STARTED]: { retry: NOT_STARTED.retry, accept: WITHOUT_TESTS },
  [TESTS_SANDBOXED]: {
    retry: {
      label: "Test again",
      short: "after you allowed it; with guidance, the agent works again instead",
      effect: "Runs the tests again, once you allowed what they need. With guidance, the agent works again instead.",
    },
    accept: WITHOUT_TESTS,
  },
  no_change: {
    retry: {
      short: "run the phase again and give the agent the reason",
      effect: "Runs the phase again and gives the agent the reason.",
    },
    skip: {
      short: "continue without a code change (recorded)",
      effect: "Continues without a code change. This is recorded.",
    },
  },
  [OWN_LINES]: {
    retry: {
      label: "Look again",
      short: "after you committed or removed your changes",
      effect: "Scans the files again, after you committed or removed your uncommitted changes.",
    },
    accept: {
      label: "Commit together",
      short: "your changes become part of the agent's commit",
      effect: "Commits these files as they are, with your own lines in them.",
    },
  },
};
