import { describe, expect, test } from "vitest";
import { usefulLines } from "../../src/adapters/checks/run-tests.ts";

const same = (text: string): string => text;
const long = Array.from({ length: 200 }, (_, index) => `ok ${index}`).join("\n");

describe("report of failed tests for an agent", () => {
  test.for([
    "not ok 3 - adds",
    "✖ adds (1ms)",
    " × adds",
    "FAIL test/a.test.ts",
    "--- FAIL: TestAdd",
    "FAILED test_a.py::add",
  ])("keeps the line %j of a long report", (line) => {
    const told = usefulLines(`${line}\n${long}`, same);
    expect(told[0]).toBe(line.trimEnd());
    expect(told).toHaveLength(61);
  });

  test("limits the number of failures", () => {
    const flood = Array.from({ length: 500 }, (_, index) => `not ok ${index}`).join("\n");
    expect(usefulLines(flood, same)).toHaveLength(80);
  });
});
