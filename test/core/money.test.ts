import { expect, test } from "vitest";
import { money } from "../../src/core/duration.ts";

test.each([
  [0, "$0.00"],
  [0.0005, "$0.0005"],
  [0.0099, "$0.0099"],
  [0.00996, "$0.01"],
  [0.01, "$0.01"],
  [5, "$5.00"],
  [999.999, "$1,000.00"],
  [1234567.8, "$1,234,567.80"],
])("formats %d dollars as %s", (usd, expected) => {
  expect(money(usd)).toBe(expected);
});
