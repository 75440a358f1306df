import { expect, test } from "vitest";
import { lostLines } from "../../src/core/lost-edits.ts";

const patch = (...lines: string[]): string =>
  ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", ...lines, ""].join("\n");

const EDIT = patch(" same", "-old", "+new", "+more");

const rows: readonly (readonly [what: string, since: string, later: string[], lost: number])[] = [
  ["an unchanged file", "", [], 0],
  ["other lines that changed", patch("+another", "-same"), [], 0],
  ["one of the added lines removed", patch("-more"), [], 1],
  ["the whole edit undone", patch("-new", "-more", "+old"), [], 3],
  ["a deleted file", patch("-same", "-new", "-more"), [], 2],
  ["a line that was moved", patch("-more", " same", "+more"), [], 0],
  ["a line that was indented", patch("-more", "+    more"), [], 0],
  ["a line that the user removed again", patch("-more"), [patch("-more")], 0],
  ["a line that the user brought back", patch("+old"), [patch("+old")], 0],
];

test.each(rows)("counts lost lines of a user's edit: %s", (_what, since, later, lost) => {
  expect(lostLines({ edit: EDIT, since, later })).toEqual({ lost, lines: 3 });
});

test("takes a line that starts like a header for a line of the file", () => {
  expect(lostLines({ edit: patch("+++ counter"), since: patch("-++ counter"), later: [] }).lost).toBe(1);
});
