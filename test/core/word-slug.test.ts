import { expect, test } from "vitest";
import { toSlug, wordSlug } from "../../src/core/plan.ts";
import { featureSlug } from "../../src/core/spec/spec-meta.ts";

test.each([
  [
    "Add a pendingCount getter to the limit function so callers see it",
    "add-a-pendingcount-getter-to-the-limit-function-so",
  ],
  ["Add a login", "add-a-login"],
  ["Größe der Überschrift ändern", "grosse-der-uberschrift-andern"],
  ["x".repeat(60), "x".repeat(50)],
  [`ab ${"x".repeat(60)}`, `ab-${"x".repeat(47)}`],
  ["!!!", "untitled-item"],
])("cuts %j after a word", (title, slug) => {
  expect(wordSlug(title)).toBe(slug);
});

test("cuts the folder of a feature after a word", () => {
  expect(featureSlug("Export invoices as machine readable files")).toBe("export-invoices-as-machine");
});

test("returns the published slug if no cut is needed", () => {
  expect(wordSlug("Fix the total of a cart")).toBe(toSlug("Fix the total of a cart"));
});
