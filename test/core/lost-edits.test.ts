import { expect, test } from "vitest";
import { lostLines } from "../../src/core/changes/lost-edits.ts";

const patch = (...lines: string[]): string =>
  ["diff --git a/x b/x", "--- a/x", "+++ b/x", "@@ -1 +1 @@", ...lines, ""].join("\n");

const EDIT = patch(" same", "-old", "+new", "+more");

const rows: readonly { what: string; since: string; later: string[]; lost: number }[] = [
  { what: "an unchanged file", since: "", later: [], lost: 0 },
  { what: "changes to other lines", since: patch("+another", "-same"), later: [], lost: 0 },
  { what: "one added line removed", since: patch("-more"), later: [], lost: 1 },
  { what: "the whole edit undone", since: patch("-new", "-more", "+old"), later: [], lost: 3 },
  { what: "a deleted file", since: patch("-same", "-new", "-more"), later: [], lost: 2 },
  { what: "a moved line", since: patch("-more", " same", "+more"), later: [], lost: 0 },
  { what: "an indented line", since: patch("-more", "+    more"), later: [], lost: 0 },
  { what: "a line removed again by the user", since: patch("-more"), later: [patch("-more")], lost: 0 },
  { what: "a line restored by the user", since: patch("+old"), later: [patch("+old")], lost: 0 },
];

test.each(rows)("counts lost lines of a user's edit: $what", ({ since, later, lost }) => {
  expect(lostLines({ edit: EDIT, since, later })).toEqual({ lost, lines: 3 });
});

test("treats a line that starts like a header as content", () => {
  expect(lostLines({ edit: patch("+++ counter"), since: patch("-++ counter"), later: [] }).lost).toBe(1);
});
