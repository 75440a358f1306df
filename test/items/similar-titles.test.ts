import { expect, test } from "vitest";
import { areSimilarTitles, hasAllWords } from "../../src/core/items/similar-titles.ts";

test.each<[string, string, boolean]>([
  ["Login page", "Add a page for the login", true],
  ["Login page for admins", "login pages", true],
  ["Login page", "Login form", false],
  ["Login", "login", true],
  ["Export orders as CSV", "CSV export of orders", true],
  ["Export orders as CSV", "Import orders as CSV", true],
  ["Dark mode", "Login page", false],
  ["Add support for users", "Make it work for users", false],
  ["", "", false],
])("compares %j with %j: similar is %s", (one, other, expected) => {
  expect([areSimilarTitles(one, other), areSimilarTitles(other, one)]).toEqual([expected, expected]);
});

test.each<[string, string, boolean]>([
  ["Page for the login", "login page", true],
  ["Login page", "login page for admins", false],
  ["Login page", "login", false],
])("finds in %j all words of %j: %s", (title, request, expected) => {
  expect(hasAllWords(title, request)).toBe(expected);
});
