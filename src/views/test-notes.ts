import type { CheckResult } from "../schema/facts.ts";

/** Lists notes about tests that ran, whatever their result. */
export const testNotes = (checks: readonly CheckResult[] = []): string[] =>
  checks.flatMap(({ ranAs, notes = [] }) => [...(ranAs === "you" ? [RAN_AS_YOU] : []), ...notes]);

const RAN_AS_YOU = "Tests ran as you: in the working tree, with your rights, and without a sandbox around them.";
