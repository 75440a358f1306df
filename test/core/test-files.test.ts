import { expect, test } from "vitest";
import { decidesTests, standsInForTool } from "../../src/core/changes/acting-files.ts";

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
])("decides if %s replaces a test tool: %s", (path, isTaken) => {
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
])("classifies %s as test configuration: %s", (path, how) => {
  expect(decidesTests(path)).toBe(how);
});
