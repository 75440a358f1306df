import { expect, test } from "vitest";
import { type BacklogVersions, mergeBacklog } from "../../src/core/items/merge-backlog.ts";

const lines = (...items: string[]): string => ["# Backlog", "", "## Open", "", ...items, ""].join("\n");
const one = (mark: string): string => `- 1.1 [${mark}] One`;
const two = (mark: string): string => `- 1.2 [${mark}] Two`;
const [mine, yours] = ["- 2.1 [ ] Ours", "- 3.1 [ ] Theirs"] as const;

const rows: readonly (BacklogVersions & { readonly what: string; readonly merged: string | null })[] = [
  {
    what: "different marks on both sides",
    base: lines(one(" "), two(" ")),
    ours: lines(one("x"), two(" ")),
    theirs: lines(one(" "), two("A")),
    merged: lines(one("x"), two("A")),
  },
  {
    what: "the further mark of one item",
    base: lines(one(" ")),
    ours: lines(one("x")),
    theirs: lines(one("A")),
    merged: lines(one("x")),
  },
  {
    what: "a new item on each side",
    base: lines(one(" ")),
    ours: lines(one(" "), mine),
    theirs: lines(one(" "), yours),
    merged: lines(one(" "), mine, yours),
  },
  {
    what: "the same item on both sides",
    base: lines(one(" ")),
    ours: lines(one(" "), two(" ")),
    theirs: lines(one(" "), two("x")),
    merged: lines(one(" "), two("x")),
  },
  {
    what: "a removed item and a marked one",
    base: lines(one(" "), two(" ")),
    ours: lines(two(" ")),
    theirs: lines(one(" "), two("x")),
    merged: lines(two("x")),
  },
  {
    what: "a backlog created on both sides",
    base: null,
    ours: lines(one("x"), mine),
    theirs: lines(one(" "), yours),
    merged: lines(one("x"), mine, yours),
  },
  {
    what: "differently created backlogs, without a merge",
    base: null,
    ours: lines(mine),
    theirs: `# Ours\n${lines(yours)}`,
    merged: null,
  },
  {
    what: "other text on one side",
    base: lines(one(" ")),
    ours: lines(one("x")),
    theirs: `${lines(one(" "))}\nNotes\n`,
    merged: `${lines(one("x"))}\nNotes\n`,
  },
  {
    what: "other text on both sides, without a merge",
    base: lines(one(" ")),
    ours: `${lines(one(" "))}Ours\n`,
    theirs: `${lines(one(" "))}Theirs\n`,
    merged: null,
  },
];

test.each(rows)("handles $what", ({ merged, ...versions }) => {
  expect(mergeBacklog(versions)).toBe(merged);
});
