import type { TrustStore } from "../../ports/trust-store.ts";
import type { TestCommand } from "../../schema/facts.ts";
import { plainLine } from "../../views/plain-text.ts";
import { ask } from "./terminal/ask.ts";
import { ChoiceNeeded } from "./grammar/choice.ts";
import { flag, type Invocation, text } from "./grammar/verb.ts";

/** The test command of this project once a person trusted it; null to go without. Nothing is run before. */
export async function resolveTests(
  invocation: Invocation,
  found: TestCommand | null,
  memory: TrustStore,
): Promise<TestCommand | null> {
  const wish = text(invocation.values, "tests");
  if (found === null || wish === "without") return null;
  if (memory.trusts(found.digest)) return found;
  const about = aboutTests(found);
  const trusted = wish === "trust" || flag(invocation.values, "yes") || (await ask(invocation.io, "Trust it?", about));
  if (!trusted) {
    const instead = "To work without running tests: --tests without.";
    throw new ChoiceNeeded({ kind: "trust", options: ["trust", "without"], flag: "--tests", about, instead });
  }
  memory.trust(found.digest);
  return found;
}

export const aboutTests = (found: TestCommand): string[] => [
  `Tests would be run with: ${plainLine(found.argv.join(" "))} (${plainLine(found.source)})`,
  "This runs code of the project. You are asked once, and again when the way of running them changes.",
];
