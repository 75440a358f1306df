import { expect, test } from "vitest";
import { couldNotStart } from "../../src/adapters/checks/reports/failing-tests.ts";

const ended = (exitCode: number) =>
  ({ ended: "exit", exitCode, signal: null, stderrTail: "", ms: 1 }) as unknown as Parameters<
    typeof couldNotStart
  >[0]["end"];

test.each([
  ["sh: 1: no-such-runner: not found", 127, true],
  ["sh: ./run: Permission denied", 126, true],
  ['npm error Missing script: "test"', 1, true],
  ["npm ERR! code ENOENT", 254, true],
  ["bwrap: Can't mkdir /x: Read-only file system", 1, true],
  ["failed to load config from /x/vitest.config.ts", 1, true],
  ["ERROR: usage: pytest [options]", 4, true],
  ["AssertionError: expected 1 to be 2", 1, false],
  ["a failed test that prints bwrap: within a line", 1, false],
  ["", 1, false],
  ["sh: 1: optional-helper: not found", 0, false],
])("distinguishes tests that failed to start from failed ones: %s (exit code %d)", (output, exitCode, expected) => {
  expect(couldNotStart({ end: ended(exitCode), output })).toBe(expected);
});
