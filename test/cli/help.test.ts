import { describe, expect, test } from "vitest";
import { verbs } from "../../src/surfaces/cli/grammar/catalog.ts";
import { helpLines, helpTopics, overview } from "../../src/surfaces/cli/grammar/help.ts";

/** Leaves one row for the prompt and one for the command. */
const MAX_OVERVIEW_LINES = 22;
const MAX_COLUMNS = 80;

describe("help", () => {
  test("lists each command under exactly one topic", () => {
    const listed = helpTopics.flatMap((topic) => topic.verbs);
    expect(listed.toSorted()).toEqual(verbs.map(({ name }) => name).toSorted());
  });

  test("shows an overview that fits 24 lines", () => {
    expect(helpLines(undefined, false)).toBe(overview);
    expect(overview.length).toBeLessThanOrEqual(MAX_OVERVIEW_LINES);
  });

  test("describes each command of the overview as in the catalog", () => {
    const rows = overview.flatMap((line) => /^ {2}(\S+).*? {2,}(\S.*)$/.exec(line)?.slice(1, 3) ?? []);
    expect(rows.length).toBeGreaterThan(20);
    for (let index = 0; index < rows.length; index += 2) {
      const name = rows[index] === "isdlc" ? "do" : rows[index];
      expect(verbs.find((verb) => verb.name === name)?.summary, name).toBe(rows[index + 1]);
    }
  });

  test("fits 80 columns for every command and topic", () => {
    const words = [...verbs.map(({ name }) => name), ...helpTopics.map(({ name }) => name), undefined];
    const lines = words.flatMap((word) => helpLines(word, true));
    expect(lines.length).toBeGreaterThan(verbs.length * 3);
    expect(lines.filter((line) => line.length > MAX_COLUMNS)).toEqual([]);
  });

  test("shows topic and command if both have the same name", () => {
    const lines = helpLines("team", false).join("\n");
    expect(lines).toContain("Work in a team:");
    expect(lines).toContain("Usage: isdlc team token");
  });
});
