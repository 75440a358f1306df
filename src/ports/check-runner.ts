import type { CheckResult, TestCommand } from "../schema/facts.ts";
import type { TreeId } from "../schema/ids.ts";

/** Tests to be run. */
export type TestRequest = {
  readonly command: TestCommand;
  /** The snapshot they are run on; null for the tree as it is, where there are no snapshots. */
  readonly tree: TreeId | null;
  /** True where what the same command found on the same tree before is as good. */
  readonly reuses?: boolean;
  /** Files that are taken from an earlier snapshot, and those that are left out because it has none of them. */
  readonly earlier?: {
    readonly tree: TreeId;
    readonly paths: readonly string[];
    readonly without?: readonly string[];
  };
};

/** The way of running tests, with everything in the project that decides what it runs, by name and in full. */
export type FoundTests = {
  readonly command: TestCommand;
  readonly definition: readonly { readonly name: string; readonly text: string }[];
  /** Why the command cannot run on this machine: a program or the dependencies are not installed. */
  readonly unavailable?: string;
};

/** Commands that a user typed, to be run one after the other. */
export type ChosenTests = readonly (readonly string[])[];

/** What code verifies about a draft. */
export interface CheckRunner {
  /** Every named file exists inside the tree and is not empty. */
  artifacts(paths: readonly string[]): Promise<CheckResult>;
  /** The test command as the project defines it now, or the commands a user chose; null if there is none. */
  detectTests(chosen?: ChosenTests | null): Promise<FoundTests | null>;
  /** Where it can be done in a copy of the tree and in a sandbox; nothing of the tests is alive when it resolves. */
  runTests(request: TestRequest, signal: AbortSignal): Promise<CheckResult>;
  /** Remembers what git ignores and tests read, before an agent writes there; the first time counts. */
  rememberSurroundings(): Promise<void>;
  /** What of it has changed since then; null where it was not remembered. */
  changedSurroundings(): Promise<readonly string[] | null>;
}
