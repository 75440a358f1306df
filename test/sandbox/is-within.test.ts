import { expect, test } from "vitest";
import { isWithin } from "../../src/adapters/sandbox/bounds.ts";

test.each([
  ["the folder itself", "/srv/app", "/srv/app", true],
  ["a file in it", "/srv/app/a/b", "/srv/app", true],
  ["a folder with a similar start", "/srv/app-secrets", "/srv/app", false],
  ["the parent folder", "/srv", "/srv/app", false],
  ["any path in the root", "/etc", "/", true],
])("decides if a path is in a folder: %s", (...[, path, folder, expected]) => {
  expect(isWithin(path, folder)).toBe(expected);
});
