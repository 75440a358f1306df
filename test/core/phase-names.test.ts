import { expect, test } from "vitest";
import { findPhaseKey } from "../../src/core/phase-names.ts";

const KEYS = ["00-quick-scan", "02-impact-analysis", "03-architecture", "04-design", "design", "08-code-review"];

test.each([
  ["a key", "03-architecture", "03-architecture"],
  ["a number", "03", "03-architecture"],
  ["a name without its number", "architecture", "03-architecture"],
  ["a display name", "Impact Analysis", "02-impact-analysis"],
  ["a display name in different case", "code review & qa", "08-code-review"],
  ["an exact key before a name", "design", "design"],
  ["an unknown name without a result", "deploy", undefined],
])("looks up a phase by %s", (_what, wanted, key) => {
  expect(findPhaseKey(KEYS, wanted)).toBe(key);
});

test("returns undefined if two phases have the name", () => {
  expect(findPhaseKey(["02-tracing", "09-tracing"], "tracing")).toBeUndefined();
});
