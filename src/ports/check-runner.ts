import type { CheckResult, TestCommand } from "../schema/facts.ts";

/** What code verifies about a draft. */
export interface CheckRunner {
  /** Every named file exists inside the tree and is not empty. */
  artifacts(paths: readonly string[]): Promise<CheckResult>;
  /** The project's way of running its tests as it is now; null where none was found. */
  detectTests(): Promise<TestCommand | null>;
  runTests(command: TestCommand, signal: AbortSignal): Promise<CheckResult>;
}
