import { createHash } from "node:crypto";
import type { CheckRunner, FoundTests, TestRequest } from "../../ports/check-runner.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { CheckResult, TestCounts } from "../../schema/facts.ts";
import { detectTests } from "./detect-tests.ts";
import { runTests, type TestsInSandbox } from "./run-tests.ts";
import { changedParts, surroundingsDigests, surroundingsFacts } from "./surroundings-digests.ts";
import { testSurroundings } from "./test-surroundings.ts";
import { findProgram } from "../process/find-program.ts";
import { type ProjectFiles, projectFiles } from "./detectors/project-files.ts";
import { missingDependencies } from "./reports/missing-dependencies.ts";
import { testCommandText } from "../../core/test-command.ts";
import type { Environment } from "../process/child-environment.ts";
import { constants, type Stats } from "node:fs";
import { lstat, open, realpath } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";

export type CheckRunnerOptions = {
  /** The user's environment. Tests get a part of it. */
  readonly env: Environment;
  readonly redact: (text: string) => string;
  /** Time limit of the tests in milliseconds. */
  readonly timeLimit?: number;
  /** Variables that the user passes to the tests. */
  readonly variables?: readonly string[];
  /** Null to run the tests in the working tree itself, with the rights of the user. */
  readonly sandbox?: TestsInSandbox | null;
  readonly workspace?: Pick<Workspace, "copy" | "writeInto" | "ignored">;
  /** Store for digests of the ignored inputs, out of reach of agents. */
  readonly memory?: SurroundingsMemory;
  /** Store for reusable test results. */
  readonly results?: ResultMemory;
};

export type ResultMemory = {
  read(key: string): CheckResult | null;
  write(key: string, result: CheckResult): void;
};

export type SurroundingsMemory = {
  read(): Readonly<Record<string, string>> | null;
  write(digests: Readonly<Record<string, string>>): void;
};

const TWENTY_MINUTES = 20 * 60_000;

export function createCheckRunner(root: string, options: CheckRunnerOptions): CheckRunner {
  const {
    env,
    redact,
    timeLimit = TWENTY_MINUTES,
    variables = [],
    sandbox = null,
    workspace,
    memory,
    results,
  } = options;
  const surroundings = async () => testSurroundings(root, (await workspace?.ignored()) ?? []);
  return {
    artifacts: (paths) => checkArtifacts(root, paths),
    detectTests: (chosen = null) => Promise.resolve(withAvailability(root, env, detectTests(root, chosen))),
    async runTests(request, signal) {
      const settings = { root, env, redact, timeLimit, variables, sandbox, workspace };
      const run = () => runInTurn(request, (one) => runTests({ ...settings, ...one }, signal));
      if (results === undefined || request.reuses !== true || request.tree === null) return run();
      const { tree, command } = request;
      const key = hashParts([
        tree,
        command.digest,
        sandbox !== null,
        variables,
        surroundingsFacts(root, await surroundings()),
      ]);
      const known = results.read(key);
      if (known !== null) return known;
      const found = await run();
      if (found.ok === true) results.write(key, found); // failed tests may pass once a service is available
      return found;
    },
    async rememberSurroundings() {
      if (memory?.read() === null) memory.write(surroundingsDigests(root, await surroundings()));
    },
    async changedSurroundings() {
      const before = memory?.read() ?? null;
      return before === null ? null : changedParts(root, await surroundings(), before);
    },
  };
}

const hashParts = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex");

/** Adds the reason why the command cannot run on this machine, found without running anything. */
function withAvailability(root: string, env: Environment, found: FoundTests | null): FoundTests | null {
  if (found === null) return null;
  const files = projectFiles(root);
  const { argv, more = [] } = found.command;
  const unavailable = [argv, ...more].map((words) => unavailableReason(files, env, words)).find((one) => one !== null);
  return unavailable === undefined ? found : { ...found, unavailable };
}

function unavailableReason(files: ProjectFiles, env: Environment, argv: readonly string[]): string | null {
  const [program = ""] = argv;
  const isOwn = program.includes("/") && !program.startsWith("/");
  if (isOwn) return files.exists(program) ? null : `${program} is missing`;
  if (!findProgram(program, env).ok) return `${program} is not installed`;
  return missingDependencies(files, { argv, output: "" }) ?? missingEnvironment(files, env, program);
}

/** `uv run` would create the environment and download packages, which tests in a sandbox may not. */
function missingEnvironment(files: ProjectFiles, env: Environment, program: string): string | null {
  const isElsewhere = env["UV_PROJECT_ENVIRONMENT"] !== undefined || env["VIRTUAL_ENV"] !== undefined;
  if (program !== "uv" || !files.exists("uv.lock") || isElsewhere || files.exists(".venv")) return null;
  return "the dependencies are not installed: run uv sync";
}

type RunOne = (request: TestRequest) => Promise<CheckResult>;

/** Runs the commands of a request one after another. Stops at the first that does not pass, and adds up the counts. */
async function runInTurn(request: TestRequest, runOne: RunOne): Promise<CheckResult> {
  const { more = [], ...first } = request.command;
  const counted: TestCounts[] = [];
  let last = await runOne({ ...request, command: first });
  for (const argv of more) {
    if (last.ok !== true) break;
    if (last.counts !== undefined) counted.push(last.counts);
    last = await runOne({ ...request, command: { ...first, argv } });
  }
  if (more.length === 0) return last;
  const all = last.counts === undefined ? counted : [...counted, last.counts];
  const detail = last.ok === true ? `${testCommandText(request.command)} passed` : last.detail;
  return { ...last, detail, ...(all.length === 0 ? {} : { counts: all.reduce(added) }) };
}

const added = (one: TestCounts, other: TestCounts): TestCounts => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  skipped: one.skipped + other.skipped,
});

const MAX_ARTIFACT_MEGABYTES = 5;
/** Spaces of all kinds, and invisible characters. */
const NOTHING_BUT_BLANKS = /^[\s\p{Cc}\p{Cf}]*$/u;

/**
 * Checks each file: it must be a plain file inside the working tree, not blank and not too large. The detail lists all
 * others.
 */
async function checkArtifacts(cwd: string, paths: readonly string[]): Promise<CheckResult> {
  const root = await realpath(cwd);
  const faults: string[] = [];
  for (const path of paths) {
    const fault = await findFault(root, path);
    if (fault !== null) faults.push(`${path} ${fault}`);
  }
  const detail = faults.length > 0 ? faults.join("\n") : `${paths.length} of ${paths.length} present`;
  return { name: "artifacts", ok: faults.length === 0, detail };
}

async function findFault(root: string, path: string): Promise<string | null> {
  if (isAbsolute(path) || path.includes("\0") || path.split(/[/\\]/).includes(".."))
    return "is not a path inside the tree";
  try {
    const real = await realpath(join(root, path));
    if (!real.startsWith(root.endsWith(sep) ? root : root + sep)) return "leads out of the tree";
    return faultOfFacts(await lstat(real)) ?? (await faultOfContent(real));
  } catch (error) {
    return faultOfFailure(error);
  }
}

function faultOfFacts(facts: Stats): string | null {
  if (!facts.isFile()) return "is not a plain file";
  if (facts.size === 0) return "is empty";
  return facts.size > MAX_ARTIFACT_MEGABYTES * 1024 * 1024 ? `is larger than ${MAX_ARTIFACT_MEGABYTES} MB` : null;
}

/**
 * Opens without waiting and without following links: since its check, the file may have been replaced by a link or a
 * pipe.
 */
async function faultOfContent(real: string): Promise<string | null> {
  const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW || 0) | (constants.O_NONBLOCK || 0));
  try {
    const fault = faultOfFacts(await handle.stat());
    if (fault !== null) return fault;
    const { size } = await handle.stat();
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0); // not more, if it grows
    return NOTHING_BUT_BLANKS.test(buffer.toString("utf8", 0, bytesRead)) ? "is blank" : null;
  } finally {
    await handle.close();
  }
}

function faultOfFailure(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return code === "ENOENT" || code === "ENOTDIR" ? "is missing" : `cannot be read (${code})`;
}
