import { ProblemError } from "../../core/problem.ts";
import { parseTestCommand, type ParsedTestCommand } from "../../core/test-command.ts";
import type { ChosenTests, FoundTests } from "../../ports/check-runner.ts";
import type { TestCommand } from "../../schema/facts.ts";
import { plainLine } from "../../views/plain-text.ts";
import { testsInFull } from "../../views/tests-in-full.ts";
import type { Project } from "../project/project.ts";
import type { RunRequest } from "./run-request.ts";
import type { PlanningContext } from "./planning.ts";
import { shellWord } from "../../core/command-line.ts";

export type TestsPlan = {
  /** Null to run without tests. No command runs before a user trusted it. */
  readonly tests: TestCommand | null;
  /** Digest to trust when the run is opened; null if nothing new is trusted. */
  readonly trusts: string | null;
};

export const NO_TESTS: TestsPlan = { tests: null, trusts: null };

/**
 * Plans the test command: the one named for the run, else the user's setting, else the detected one. It is used only
 * once trusted.
 */
export async function planTests({ project, request, choices }: PlanningContext): Promise<TestsPlan> {
  const said = request.decisions.tests;
  if (isWithoutTests(request)) return NO_TESTS;
  const named = said === undefined || ANSWERS.has(said) ? null : namedTests(said);
  const found = await findTests(project, named);
  if (found === null) return NO_TESTS;
  const { command, unavailable } = found;
  if (unavailable !== undefined && said === undefined) {
    const about = cannotRun(found);
    choices.resolve({ id: "tests", kind: "unavailable", options: ["retry", "without"], about, instead }, "without");
    return NO_TESTS;
  }
  if (project.trust.trusts(command.digest)) return { tests: command, trusts: null };
  if (said === undefined) {
    const about = aboutTests(found);
    choices.resolve({ id: "tests", kind: "trust", options: ["trust", "without"], about, instead }, "trust");
  }
  return { tests: command, trusts: command.digest };
}

/** True if the user chose to run no tests. */
export const isWithoutTests = ({ decisions: { tests } }: Pick<RunRequest, "decisions">): boolean =>
  tests === "without" || tests === "none";

const instead = "To choose in advance: --tests trust, --tests none or --tests '<command>'.";

/** Answers that contain no command. */
const ANSWERS: ReadonlySet<string> = new Set(["trust", "retry"]);

function namedTests(said: string): ChosenTests {
  const parsed = parseTestCommand(said);
  if (!parsed.ok) throw invalidTestCommand(said, parsed, (text) => `--tests ${text}`);
  return parsed.commands;
}

/** Finds the effective test command: the named one, else the user's setting, else the detected one. */
export function findTests(
  { checks, settings }: Pick<Project, "checks" | "settings">,
  named: ChosenTests | null = null,
): Promise<FoundTests | null> {
  const { tests } = settings.read().settings;
  const set = tests === undefined ? null : parseTestCommand(tests);
  return checks.detectTests(named ?? (set?.ok === true ? set.commands : null));
}

export function invalidTestCommand(
  said: string,
  { detail, shell }: Extract<ParsedTestCommand, { ok: false }>,
  usage: (text: string) => string,
): ProblemError {
  const told = `The test command "${plainLine(said, MAX_COMMAND_LENGTH)}" cannot be used: ${detail}.`;
  const through = shellWord(`sh -c ${shellWord(said)}`);
  return new ProblemError({ code: "USAGE", detail: told, usage: usage(shell === null ? '"<command>"' : through) });
}

const MAX_COMMAND_LENGTH = 200;

export const cannotRun = ({ command, unavailable = "" }: FoundTests): string[] => [
  `The tests cannot run: ${plainLine(unavailable)}.`,
  ...testsInFull({ command, definition: [] }),
];

export const aboutTests = (found: FoundTests): string[] => [
  ...testsInFull(found),
  "This runs project code on your machine. The question comes again only if the command or its configuration changes.",
];
