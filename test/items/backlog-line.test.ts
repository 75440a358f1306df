import { describe, expect, test } from "vitest";
import { MARKER_REGEX, parseBacklogLine, readBacklogItem } from "../../src/core/items/backlog-line.ts";
import { backlogItems } from "../../src/core/items/backlog-text.ts";
import { cpuFor } from "../support/cpu-time.ts";

describe("parseBacklogLine", () => {
  test.each([
    ["- 16.2 [A] Title", { prefix: "- ", itemNumber: "16.2", marker: "A", description: "Title" }],
    ["  -  1.10  [ ]  Two words\r", { prefix: "  -  ", itemNumber: "1.10", marker: " ", description: "Two words" }],
    ["- 3.4 [x] Done", { prefix: "- ", itemNumber: "3.4", marker: "x", description: "Done" }],
    ["- 3.5 [~] Begun", { prefix: "- ", itemNumber: "3.5", marker: "~", description: "Begun" }],
    [
      "- [x] #16 Title [github: GH-16] -> [requirements](docs/requirements/title/)",
      {
        prefix: "- ",
        itemNumber: "#16",
        marker: "x",
        description: "Title [github: GH-16] -> [requirements](docs/requirements/title/)",
      },
    ],
    ["- [~] Title → [requirements](docs/requirements/title)", { itemNumber: null, marker: "~" }],
  ])("reads %j [VERBS-MARKERS]", (line, entry) => {
    expect(parseBacklogLine(line)).toMatchObject(entry);
  });

  test.each([
    "",
    "# Backlog",
    "- plain",
    "- [ ] buy milk",
    "- 16.2 Title",
    "- 16 [A] Title",
    "- 16.2 [B] Title",
    "- 16.2 [X] Title",
    "- 16.2 [A]",
    "16.2 [A] x",
    null,
    5,
  ])("rejects %j", (line) => {
    expect(parseBacklogLine(line)).toBeNull();
  });

  test("separates title, reference and folder", () => {
    expect(
      readBacklogItem("- [x] #16 A b [github: GH-16] -> [requirements](docs/requirements/a-b/spec.md)"),
    ).toMatchObject({
      title: "A b",
      reference: "GH-16",
      folder: "a-b",
    });
  });
});

test("reads hostile lines in linear time", () => {
  const n = 100_000;
  const lines = [
    "a".repeat(n),
    "(".repeat(n),
    " ".repeat(n),
    `- 1.1 [A] ${" ".repeat(n)}\n`,
    `- ${"1".repeat(n)}`,
    `- 1.1 [A] ${"->[".repeat(n)}`,
    `- [ ] ${"[github:".repeat(n)}`,
    `- 1.1 [A]${"\t".repeat(n)}\u2028`,
  ];
  const used = cpuFor(() => {
    for (const line of lines) {
      MARKER_REGEX.test(line);
      parseBacklogLine(line);
      parseBacklogLine(line.slice(0, 9_999));
      backlogItems(line);
    }
  });
  expect(used).toBeLessThan(50 * lines.length);
});
