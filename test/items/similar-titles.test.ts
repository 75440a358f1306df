import { expect, test } from "vitest";
import { areSimilarTitles, haveSameWords } from "../../src/core/items/similar-titles.ts";

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
  ["Gift cards for loyal customers", "Gift cards for new customers", false],
  ["Login page", "login", false],
])("compares the words of %j and %j: the same is %s", (title, request, expected) => {
  expect(haveSameWords(title, request)).toBe(expected);
});
