import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { failingTests } from "../../src/adapters/checks/reports/failing-tests.ts";
import { cpuFor } from "../support/cpu-time.ts";

const RECORDED = join(import.meta.dirname, "recorded");
const recorded = (name: string): string => readFileSync(join(RECORDED, name), "utf8");

/** Recorded outputs of real runners. Two tests fail in each, three with pytest. */
const expected: readonly (readonly [file: string, tests: readonly (readonly [string, string | null])[]])[] = [
  [
    "node-spec.txt",
    [
      ["rounds half a cent up", "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal: 1.004 !== 1.01"],
      ["inner fails", "Error: boom second line"],
    ],
  ],
  [
    "node-tap.txt",
    [
      ["rounds half a cent up", "Expected values to be strictly equal: 1.004 !== 1.01"],
      ["inner fails", "boom second line"],
    ],
  ],
  [
    "node-junit.txt",
    [
      ["rounds half a cent up", "Expected values to be strictly equal:1.004 !== 1.01"],
      ["inner fails", "boomsecond line"],
    ],
  ],
  [
    "vitest.txt",
    [
      ["b.test.mjs > cart > applies the cap", "AssertionError: expected { a: 1 } to deeply equal { a: 2 }"],
      ["b.test.mjs > cart > throws", "Error: no rate for EUR"],
    ],
  ],
  [
    "jest.txt",
    [
      ["cart › applies the cap", "expect(received).toBe(expected) // Object.is equality Expected: 2 Received: 1"],
      ["cart › rates › throws", "no rate for EUR"],
    ],
  ],
  [
    "mocha.txt",
    [
      ["cart > applies the cap", "AssertionError [ERR_ASSERTION]: 1 == 2"],
      ["cart > rates > throws", "Error: no rate for EUR"],
    ],
  ],
  [
    "pytest.txt",
    [
      ["test_p.py::test_cap", "AssertionError: cap"],
      ["test_p.py::test_many[2]", "assert 2 == 1"],
      ["test_p.py::TestCart::test_rate", "ValueError: no rate for EUR"],
    ],
  ],
  [
    "cargo.txt",
    [
      ["tests::caps", "assertion `left == right` failed: cap"],
      ["tests::rates", "no rate for EUR"],
    ],
  ],
  [
    "go.txt",
    [
      ["TestCap", "got 1, want 2"],
      ["TestCart/rate", "no rate for EUR"],
    ],
  ],
];

describe("failing tests of a recorded run", () => {
  test("cover all recorded outputs", () => {
    expect(expected.map(([file]) => file).toSorted()).toEqual(readdirSync(RECORDED).toSorted());
  });

  test.for(expected)("are listed with their reason: %s", ([file, tests]) => {
    const found = failingTests(recorded(file)).map(({ name, message }) => [name, message]);
    expect(found).toEqual(tests);
  });

  test.for(expected)("are listed in colored output: %s", ([file, tests]) => {
    const coloured = recorded(file).replaceAll(/(FAIL|not ok|✖|●)/g, "\u001b[31m$1\u001b[39m");
    expect(failingTests(coloured)).toHaveLength(tests.length);
  });

  test("finds no tests in output without a known runner", () => {
    expect(failingTests("make: *** [test] Error 1\nSegmentation fault\n")).toEqual([]);
  });

  test("reads hostile output of one megabyte in linear time", () => {
    for (const part of ["not ok 1 - a\n", "  ● a\n\n", " FAIL  a > b\n", "<testcase ", "  1) a\n", "    "]) {
      const output = part.repeat(Math.ceil(1_000_000 / part.length));
      expect(
        cpuFor(() => failingTests(output)),
        JSON.stringify(part),
      ).toBeLessThan(5_000);
    }
  });
});
