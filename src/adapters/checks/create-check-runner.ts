import { createHash } from "node:crypto";
import type { CheckRunner } from "../../ports/check-runner.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { CheckResult } from "../../schema/facts.ts";
import type { Environment } from "../process/agent-environment.ts";
import { withAvailability } from "./available-tests.ts";
import { checkArtifacts } from "./check-artifacts.ts";
import { detectTests } from "./detect-tests.ts";
import { runInTurn } from "./run-in-turn.ts";
import { runTests, type TestsInSandbox } from "./run-tests.ts";
import { changedParts, surroundingsDigests, surroundingsFacts } from "./surroundings-digests.ts";
import { testSurroundings } from "./test-surroundings.ts";

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
