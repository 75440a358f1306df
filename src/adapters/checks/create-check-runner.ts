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
  /** Where results of tests are kept that can be used again. */
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
      if (found.ok === true) results.write(key, found); // what failed may pass once a service is there
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
