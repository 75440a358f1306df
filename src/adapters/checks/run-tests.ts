import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import type { TestRequest } from "../../ports/check-runner.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { CheckResult, FailingTest } from "../../schema/facts.ts";
import { type AgentProcessEnd, startAgentProcess } from "../process/start-agent-process.ts";
import type { TestFolder } from "../sandbox/test-sandbox.ts";
import { countTests } from "./reports/count-tests.ts";
import { projectFiles } from "./detectors/project-files.ts";
import { failingTests, couldNotStart } from "./reports/failing-tests.ts";
import { sandboxLimits, writtenEntries } from "./reports/sandbox-limits.ts";
import { missingDependencies } from "./reports/missing-dependencies.ts";
import { completeCopy, removeFromCopy } from "./test-copy.ts";
import { testSurroundings, testEnvironment } from "./test-surroundings.ts";
import { createOutputTail } from "../process/line-splitter.ts";
import { startFoundProgram } from "../process/find-program.ts";
import type { Environment, Sandbox } from "../process/child-environment.ts";
import { plainText } from "../../core/plain-text.ts";

/** Sandbox in which tests find a copy instead of the working tree. */
export type TestsInSandbox = {
  readonly offline: boolean;
  around(command: readonly string[], folder: TestFolder): Sandbox;
};

export type TestRun = TestRequest & {
  readonly root: string;
  readonly env: Environment;
  readonly redact: (text: string) => string;
  /** Milliseconds. */
  readonly timeLimit: number;
  readonly variables: readonly string[];
  readonly sandbox: TestsInSandbox | null;
  readonly workspace: Pick<Workspace, "copy" | "writeInto" | "ignored"> | undefined;
};

const TAIL_BYTES = 256 * 1024;

/**
 * Runs the tests and leaves no process behind. Test code belongs to the agent: it gets an agent's markers, to never
 * pass for a user. Rejects with the signal's reason if aborted.
 */
export async function runTests(run: TestRun, signal: AbortSignal): Promise<CheckResult> {
  const { sandbox, workspace } = run;
  if (sandbox !== null && workspace !== undefined) return inCopy(run, { sandbox, workspace }, signal);
  if (run.earlier !== undefined) return { name: "tests", ok: null, detail: "Not measured: there is no sandbox." };
  return toCheckResult(run, await start(run, { cwd: run.root, ranAs: "you" }, signal), signal);
}

type Isolation = { readonly sandbox: TestsInSandbox; readonly workspace: NonNullable<TestRun["workspace"]> };

/** Dependencies written by the tests of a working tree, by its path. */
const writtenBy = new Map<string, Set<string>>();

/** Runs tests a second time, with a copy of dependencies, if they failed because they write into these. */
async function inCopy(run: TestRun, isolation: Isolation, signal: AbortSignal): Promise<CheckResult> {
  const written = writtenBy.get(run.root) ?? new Set();
  writtenBy.set(run.root, written);
  const { result, missed } = await onceInCopy(run, { ...isolation, written }, signal);
  if (missed.length === 0) return result;
  for (const entry of missed) written.add(entry);
  return (await onceInCopy(run, { ...isolation, written }, signal)).result;
}

type CopyAttempt = Isolation & { readonly written: ReadonlySet<string> };
type TestAttempt = { readonly result: CheckResult; readonly missed: readonly string[] };

async function onceInCopy(
  run: TestRun,
  { sandbox, workspace, written }: CopyAttempt,
  signal: AbortSignal,
): Promise<TestAttempt> {
  const { root, tree, earlier } = run;
  const copy = await workspace.copy(tree);
  try {
    if (earlier !== undefined) {
      for (const path of [...earlier.paths, ...(earlier.without ?? [])]) await removeFromCopy(copy.dir, path);
      await workspace.writeInto(copy.dir, earlier.tree, earlier.paths);
    }
    const surroundings = testSurroundings(root, await workspace.ignored());
    const folder = await completeCopy({ root, copy: copy.dir, surroundings, written });
    const place = { cwd: copy.dir, ranAs: "sandbox", around: sandbox.around(run.command.argv, folder) } as const;
    const ended = await start(run, place, signal);
    const result = toCheckResult(run, ended, signal);
    const missed = result.ok === true ? [] : writtenEntries(plainOutput(ended.output), folder.readOnly);
    return { result, missed: missed.filter((entry) => !written.has(entry)) };
  } finally {
    await copy.dispose();
  }
}

type TestLocation = { readonly cwd: string; readonly ranAs: "sandbox" | "you"; readonly around?: Sandbox };
type TestProcessResult = {
  readonly end: AgentProcessEnd;
  readonly output: string;
  readonly ranAs: TestLocation["ranAs"];
};

async function start(
  run: TestRun,
  { cwd, ranAs, around }: TestLocation,
  signal: AbortSignal,
): Promise<TestProcessResult> {
  const tail = createOutputTail(TAIL_BYTES);
  const offline = run.sandbox?.offline ?? false;
  const caches = join(around === undefined ? tmpdir() : "/tmp", `isdlc-python-${process.pid}`);
  const isOwn = run.command.argv[0]?.includes("/") === true; // a program of the project, such as ./gradlew
  const end = await (isOwn ? startAgentProcess : startFoundProgram)(
    {
      argv: run.command.argv,
      cwd,
      env: testEnvironment(run.env, { variables: run.variables, offline, caches }),
      nonce: randomUUID(),
      stdin: "",
      silenceSeconds: Infinity,
      onLine: ({ text }) => tail.push(Buffer.from(`${text}\n`)),
      onStderr: (chunk) => tail.push(chunk),
      sandbox: around,
    },
    AbortSignal.any([signal, AbortSignal.timeout(run.timeLimit)]),
  );
  if (around === undefined) await rm(caches, { recursive: true, force: true });
  return { end, output: tail.text(), ranAs };
}

function toCheckResult(run: TestRun, ended: TestProcessResult, signal: AbortSignal): CheckResult {
  signal.throwIfAborted();
  const { end, output, ranAs } = ended;
  const counts = countTests(plainOutput(output));
  const about = { name: "tests", ranAs, ...(counts === null ? {} : { counts }) };
  const reason = describeFailure(end, run);
  if (reason === null) return { ...about, ok: true, detail: `${run.command.argv.join(" ")} passed` };
  const failing = failingTests(plainOutput(run.redact(output)));
  const failed = { ...about, ...failureFacts(run, ended, { hasRun: counts !== null || failing.length > 0 }) };
  const lines = failing.length === 0 ? usefulLines(output, run.redact) : failing.map(failingLine);
  const failures = failing.length === 0 ? [lines.join("\n")] : failing.map(({ message }) => message ?? "");
  const limits = ranAs === "you" || failed.notStarted === true ? [] : findSandboxLimits(run, failures);
  const told = [
    ...limits.map((limit) => `The sandbox of the tests does not allow ${limit}`),
    ...(failed.missing === undefined ? [] : [`Not installed: ${failed.missing}`]),
    reason,
  ];
  return {
    ...failed,
    ...(limits.length === 0 ? {} : { sandboxLimits: limits }),
    ...(failing.length === 0 ? {} : { failing: [...failing] }),
    detail: [...told, ...lines].join("\n"),
  };
}

/** Returns the missing dependency, and if the tests started at all. */
function failureFacts(
  { root, command }: TestRun,
  { end, output }: TestProcessResult,
  { hasRun }: { readonly hasRun: boolean },
): Pick<CheckResult, "ok" | "notStarted" | "missing"> {
  const plain = plainOutput(output);
  const missing = missingDependencies(projectFiles(root), { argv: command.argv, output: plain });
  const notStarted = !hasRun && (missing !== null || couldNotStart({ end, output: plain }));
  const state = notStarted ? ({ ok: null, notStarted } as const) : { ok: false };
  return { ...state, ...(missing === null ? {} : { missing }) };
}

function findSandboxLimits({ root, env, sandbox }: TestRun, failures: readonly string[]): string[] {
  return sandboxLimits(failures, { root, home: env["HOME"] ?? homedir(), offline: sandbox?.offline ?? false });
}

const failingLine = ({ name, message }: FailingTest): string => `✗ ${name}${message === null ? "" : `: ${message}`}`;

function describeFailure(end: AgentProcessEnd, { command, timeLimit }: TestRun): string | null {
  const name = command.argv.join(" ");
  switch (end.ended) {
    case "notStarted":
      return `${name} could not be started: ${end.stderrTail}`;
    case "aborted":
      return `${name} did not end within ${Math.round(timeLimit / 60_000)} minutes and was stopped`;
    case "flooded":
      return `${name} wrote too much output and was stopped`;
    case "silent":
    case "exit":
      if (end.exitCode === 0) return null;
      return end.signal === null
        ? `${name} ended with exit code ${end.exitCode}`
        : `${name} was ended by ${end.signal}`;
    default:
      return end.ended satisfies never;
  }
}

const MAX_OUTPUT_LINES = 60;
const MAX_OUTPUT_LINE_LENGTH = 400;
/** Lines that package managers add to a failed script. */
const NOISE =
  /^(?:npm (?:ERR!|error|notice|warn)\b|> \S+@\S+ \w+|ELIFECYCLE\b|error Command failed\b|info Visit https:\/\/yarnpkg)/i;

/** Start of a line that names a failed test. Long reports name it far from their end. */
const FAILED = /^\s*(?:not ok\b|✖|✗|✘|×|FAIL(?:ED|URE)?\b|--- FAIL|E\s{2,}|AssertionError|Error:)/;
const MAX_FAILED_LINES = 20;

/**
 * Returns the last lines of a test output, and earlier lines that name failed tests, as plain text. Secrets are
 * removed after escape sequences, which could split a secret, and before lines are cut, which could leave half of one.
 */
export function usefulLines(output: string, redact: (text: string) => string): string[] {
  const lines = redact(plainOutput(output))
    .split("\n")
    .map((line) => printable(line).trimEnd())
    .filter((line) => line.trim() !== "" && !NOISE.test(line.trim()));
  const earlier = lines.slice(0, -MAX_OUTPUT_LINES).filter((line) => FAILED.test(line));
  return [...earlier.slice(0, MAX_FAILED_LINES), ...lines.slice(-MAX_OUTPUT_LINES)].map(shortened);
}

/** Removes the colors that tools add for a terminal. */
const plainOutput = (output: string): string => output.replaceAll(STYLES, "");

// oxlint-disable-next-line no-control-regex -- matches the escape character
const STYLES = /\u001b\[[0-9;]*[A-Za-z]/g;

const shortened = (line: string): string =>
  line.length > MAX_OUTPUT_LINE_LENGTH ? `${line.slice(0, MAX_OUTPUT_LINE_LENGTH)} […]` : line;

/** Returns the last state of a progress line, which overwrites itself after each carriage return. */
const printable = (line: string): string => plainText(line.replace(/\r+$/, "").split("\r").at(-1) ?? "");
