import { describe, expect, test } from "vitest";
import { usefulLines } from "../../src/adapters/checks/run-tests.ts";

const same = (text: string): string => text;
const long = Array.from({ length: 200 }, (_, index) => `ok ${index}`).join("\n");

describe("what an agent is told about failed tests", () => {
  test.for([
    "not ok 3 - adds",
    "✖ adds (1ms)",
    " × adds",
    "FAIL test/a.test.ts",
    "--- FAIL: TestAdd",
    "FAILED test_a.py::add",
  ])("the line %j is kept although the report goes on for long", (line) => {
    const told = usefulLines(`${line}\n${long}`, same);
    expect(told[0]).toBe(line.trimEnd());
    expect(told).toHaveLength(61);
  });

  test("a flood of failures is kept within bounds", () => {
    const flood = Array.from({ length: 500 }, (_, index) => `not ok ${index}`).join("\n");
    expect(usefulLines(flood, same)).toHaveLength(80);
  });
});
