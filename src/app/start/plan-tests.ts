import type { TrustStore } from "../../ports/trust-store.ts";
import type { TestCommand } from "../../schema/facts.ts";
import { plainLine } from "../../views/plain-text.ts";
import type { Choices } from "./choices.ts";

export type TestsPlan = {
  /** Null to go without. Nothing is run before a person trusted it. */
  readonly tests: TestCommand | null;
  /** Digest to be trusted once the run is opened; null where nothing new is. */
  readonly trusts: string | null;
};

/** The test command of this project, once a person trusts it. */
export function planTests(choices: Choices, found: TestCommand | null, trust: TrustStore): TestsPlan {
  if (found === null) return { tests: null, trusts: null };
  const isTrusted = trust.trusts(found.digest);
  const about = aboutTests(found);
  const instead = "To work without running tests: --tests without.";
  const choice = { id: "tests", kind: "trust", options: ["trust", "without"], about, instead } as const;
  const decided = isTrusted ? choices.wished(choice) : choices.settle(choice, "trust");
  if (decided === "without") return { tests: null, trusts: null };
  return { tests: found, trusts: isTrusted ? null : found.digest };
}

export const aboutTests = (found: TestCommand): string[] => [
  `Tests would be run with: ${plainLine(found.argv.join(" "))} (${plainLine(found.source)})`,
  "This runs code of the project. You are asked once, and again when the way of running them changes.",
];
