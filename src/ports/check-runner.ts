import type { CheckResult, TestCommand } from "../schema/facts.ts";
import type { TreeId } from "../schema/ids.ts";

/** Request to run tests. */
export type TestRequest = {
  readonly command: TestCommand;
  /** Snapshot to run the tests on. Null: the current working tree, if there are no snapshots. */
  readonly tree: TreeId | null;
  /** True if an earlier result of the same command on the same tree may be reused. */
  readonly reuses?: boolean;
  /** `paths`: files taken from an earlier snapshot. `without`: files removed because it lacks them. */
  readonly earlier?: {
    readonly tree: TreeId;
    readonly paths: readonly string[];
    readonly without?: readonly string[];
  };
};

/** Test setup, with every definition in the project that decides what runs, by name and in full. */
export type FoundTests = {
  readonly command: TestCommand;
  readonly definition: readonly { readonly name: string; readonly text: string }[];
  /** Why the command cannot run on this machine: a program or the dependencies are not installed. */
  readonly unavailable?: string;
};

/** Commands typed by a user, to run one after the other. */
export type ChosenTests = readonly (readonly string[])[];

/** Runs the checks of a draft. */
export interface CheckRunner {
  /** Checks that every file exists inside the working tree and is not empty. */
  artifacts(paths: readonly string[]): Promise<CheckResult>;
  /** Returns the test command as currently defined by the project, or the commands chosen by a user, if any. */
  detectTests(chosen?: ChosenTests | null): Promise<FoundTests | null>;
  /**
   * Runs tests, in a copy of the tree and a sandbox if possible. No process of the tests is alive when the promise
   * resolves.
   */
  runTests(request: TestRequest, signal: AbortSignal): Promise<CheckResult>;
  /** Records digests of the ignored files read by tests, before an agent writes. Only the first call has an effect. */
  rememberSurroundings(): Promise<void>;
  /** Returns which of them changed since then. Null if nothing was recorded. */
  changedSurroundings(): Promise<readonly string[] | null>;
}
