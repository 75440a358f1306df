import type { FoundTests } from "../../ports/check-runner.ts";
import type { TrustStore } from "../../ports/trust-store.ts";
import type { TestCommand } from "../../schema/facts.ts";
import { testsInFull } from "../../views/tests-in-full.ts";
import type { Choices } from "./choices.ts";

export type TestsPlan = {
  /** Null to go without. Nothing is run before a person trusted it. */
  readonly tests: TestCommand | null;
  /** Digest to be trusted once the run is opened; null where nothing new is. */
  readonly trusts: string | null;
};

/** The test command of this project, once a person trusts it. */
export function planTests(choices: Choices, found: FoundTests | null, trust: TrustStore): TestsPlan {
  if (found === null) return { tests: null, trusts: null };
  const { command } = found;
  const isTrusted = trust.trusts(command.digest);
  const about = aboutTests(found);
  const instead = "To work without running tests: --tests without.";
  const choice = { id: "tests", kind: "trust", options: ["trust", "without"], about, instead } as const;
  const decided = isTrusted ? choices.wished(choice) : choices.resolve(choice, "trust");
  if (decided === "without") return { tests: null, trusts: null };
  return { tests: command, trusts: isTrusted ? null : command.digest };
}

export const aboutTests = (found: FoundTests): string[] => [
  ...testsInFull(found),
  "This runs code of the project. You are asked once, and again when the way of running them changes.",
];
