import { expect, test } from "vitest";
import { type BacklogVersions, mergeBacklog } from "../../src/core/items/merge-backlog.ts";

const lines = (...items: string[]): string => ["# Backlog", "", "## Open", "", ...items, ""].join("\n");
const one = (mark: string): string => `- 1.1 [${mark}] One`;
const two = (mark: string): string => `- 1.2 [${mark}] Two`;
const [mine, yours] = ["- 2.1 [ ] Ours", "- 3.1 [ ] Theirs"] as const;

const rows: readonly (BacklogVersions & { readonly what: string; readonly merged: string | null })[] = [
  {
    what: "marks on both sides",
    base: lines(one(" "), two(" ")),
    ours: lines(one("x"), two(" ")),
    theirs: lines(one(" "), two("A")),
    merged: lines(one("x"), two("A")),
  },
  {
    what: "the mark that is further on",
    base: lines(one(" ")),
    ours: lines(one("x")),
    theirs: lines(one("A")),
    merged: lines(one("x")),
  },
  {
    what: "an item on each side",
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
    what: "one taken out, the other marked",
    base: lines(one(" "), two(" ")),
    ours: lines(two(" ")),
    theirs: lines(one(" "), two("x")),
    merged: lines(two("x")),
  },
  {
    what: "a backlog that both sides began",
    base: null,
    ours: lines(one("x"), mine),
    theirs: lines(one(" "), yours),
    merged: lines(one("x"), mine, yours),
  },
  {
    what: "two backlogs that begin differently, which is for a person",
    base: null,
    ours: lines(mine),
    theirs: `# Ours\n${lines(yours)}`,
    merged: null,
  },
  {
    what: "other words on one side",
    base: lines(one(" ")),
    ours: lines(one("x")),
    theirs: `${lines(one(" "))}\nNotes\n`,
    merged: `${lines(one("x"))}\nNotes\n`,
  },
  {
    what: "other words on both sides, which is for a person",
    base: lines(one(" ")),
    ours: `${lines(one(" "))}Ours\n`,
    theirs: `${lines(one(" "))}Theirs\n`,
    merged: null,
  },
];

test.each(rows)("$what", ({ merged, ...versions }) => {
  expect(mergeBacklog(versions)).toBe(merged);
});
