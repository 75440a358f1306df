import { expect, test } from "vitest";
import { isWithin } from "../../src/adapters/sandbox/bounds.ts";

test.each([
  ["the folder itself", "/srv/app", "/srv/app", true],
  ["a file in it", "/srv/app/a/b", "/srv/app", true],
  ["a folder whose name only begins like it", "/srv/app-secrets", "/srv/app", false],
  ["the folder above", "/srv", "/srv/app", false],
  ["everything, for the root", "/etc", "/", true],
])("tells whether a path is within a folder: %s", (...[, path, folder, expected]) => {
  expect(isWithin(path, folder)).toBe(expected);
});
