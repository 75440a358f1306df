import { expect, test } from "vitest";
import { decidesTests, standsInForTool } from "../../src/core/test-files.ts";

test.each([
  ["pytest.py", true],
  ["pytest/__init__.py", true],
  ["_pytest/config.py", true],
  ["sitecustomize.py", true],
  ["node_modules/.bin/vitest", true],
  ["packages/a/node_modules/.bin/vitest", true],
  ["src/pytest.py", false],
  ["pytest.ini", false],
  ["my_pytest.py", false],
  ["node_modules/vitest/index.js", false],
])("%s is taken for a tool that runs the tests: %s", (path, isTaken) => {
  expect(standsInForTool(path)).toBe(isTaken);
});

test.each([
  ["package.json", "manifest"],
  ["packages/a/pnpm-lock.yaml", "manifest"],
  ["vitest.config.ts", "runner"],
  ["Makefile", "runner"],
  ["tests/conftest.py", "runner"],
  ["node_modules/vitest/index.js", "runner"],
  ["src/index.ts", null],
])("%s decides how tests are run: %s", (path, how) => {
  expect(decidesTests(path)).toBe(how);
});
