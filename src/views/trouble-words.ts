import { OWN_LINES, TESTS_CHANGED, TESTS_NOT_STARTED, TESTS_SANDBOXED, type WaitOption } from "../core/run.ts";

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
      short: "run the phase again and tell the agent why",
      effect: "Runs the phase again and tells the agent why.",
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
      short: "run the phase again and tell the agent why",
      effect: "Runs the phase again and tells the agent why.",
    },
    skip: {
      short: "continue without a code change (recorded)",
      effect: "Goes on without a change of code. That is recorded.",
    },
  },
  [OWN_LINES]: {
    retry: {
      label: "Look again",
      short: "after you committed or removed your changes",
      effect: "Looks at the files again, after you committed your own lines or took them out.",
    },
    accept: {
      label: "Commit together",
      short: "your changes become part of the agent's commit",
      effect: "Commits these files as they are, with your own lines in them.",
    },
  },
};
