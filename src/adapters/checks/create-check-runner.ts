import type { CheckRunner } from "../../ports/check-runner.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Environment } from "../process/agent-environment.ts";
import { checkArtifacts } from "./check-artifacts.ts";
import { detectTests } from "./detect-tests.ts";
import { runTests, type TestsInSandbox } from "./run-tests.ts";
import { surroundingsDigests, testSurroundings } from "./test-surroundings.ts";

export type CheckRunnerOptions = {
  /** The person's environment, of which tests get a part. */
  readonly env: Environment;
  readonly redact: (text: string) => string;
  /** Milliseconds that the tests may take. */
  readonly timeLimit?: number;
  /** Variables that a person lets through to the tests. */
  readonly variables?: readonly string[];
  /** Null: the tests run in the tree itself, with the rights of the person. */
  readonly sandbox?: TestsInSandbox | null;
  readonly workspace?: Pick<Workspace, "copy" | "writeInto" | "ignored">;
  /** Where digests of the surroundings are kept, out of the reach of agents. */
  readonly memory?: SurroundingsMemory;
};

export type SurroundingsMemory = {
  read(): Readonly<Record<string, string>> | null;
  write(digests: Readonly<Record<string, string>>): void;
};

const TWENTY_MINUTES = 20 * 60_000;

export function createCheckRunner(root: string, options: CheckRunnerOptions): CheckRunner {
  const { env, redact, timeLimit = TWENTY_MINUTES, variables = [], sandbox = null, workspace, memory } = options;
  const digests = async (): Promise<Record<string, string>> =>
    surroundingsDigests(root, testSurroundings(root, (await workspace?.ignored()) ?? []));
  return {
    artifacts: (paths) => checkArtifacts(root, paths),
    detectTests: () => Promise.resolve(detectTests(root)),
    runTests: (request, signal) =>
      runTests({ root, env, redact, timeLimit, variables, sandbox, workspace, ...request }, signal),
    async rememberSurroundings() {
      if (memory?.read() === null) memory.write(await digests());
    },
    async changedSurroundings() {
      const before = memory?.read() ?? null;
      return before === null ? null : differences(before, await digests());
    },
  };
}

function differences(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).sort();
}
