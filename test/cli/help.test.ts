import { expect, test } from "vitest";
import { verbs } from "../../src/apps/cli/grammar/catalog.ts";
import { helpGroups } from "../../src/apps/cli/grammar/help-groups.ts";
import { overview } from "../../src/apps/cli/grammar/help.ts";

test("help lists every verb once, under a heading", () => {
  const listed = helpGroups.flatMap((group) => group.verbs);
  const names = verbs.map(({ name }) => name).filter((name) => name !== "do");
  expect(listed.toSorted()).toEqual(names.toSorted());
});

test("help fits a terminal of 100 columns", () => {
  expect(overview().length).toBeGreaterThan(verbs.length);
  expect(overview().filter((line) => line.length > 100)).toEqual([]);
});
