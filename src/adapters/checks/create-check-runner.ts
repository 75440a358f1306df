import type { CheckRunner } from "../../ports/check-runner.ts";
import type { Environment } from "../process/agent-environment.ts";
import { checkArtifacts } from "./check-artifacts.ts";
import { detectTests } from "./detect-tests.ts";
import { runTests } from "./run-tests.ts";

export type CheckRunnerOptions = {
  /** The person's environment; variables of git and of ours do not reach the tests. */
  readonly env: Environment;
  readonly redact: (text: string) => string;
  /** Milliseconds that the tests may take. */
  readonly timeLimit?: number;
};

const TWENTY_MINUTES = 20 * 60_000;

export function createCheckRunner(cwd: string, options: CheckRunnerOptions): CheckRunner {
  const { env, redact, timeLimit = TWENTY_MINUTES } = options;
  return {
    artifacts: (paths) => checkArtifacts(cwd, paths),
    detectTests: () => Promise.resolve(detectTests(cwd)),
    runTests: (command, signal) => runTests({ cwd, env, redact, timeLimit, command }, signal),
  };
}
