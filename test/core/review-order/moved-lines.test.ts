import { describe, expect, test } from "vitest";
import { changedRows } from "../../../src/core/review-order/changed-rows.ts";
import { type ChangedRows, findMoves } from "../../../src/core/review-order/moved-lines.ts";

const body = (count: number, name = "step"): string[] => Array.from({ length: count }, (_, at) => `  ${name}(${at});`);
const numbered = (lines: readonly string[], first = 1) => lines.map((text, at) => ({ number: first + at, text }));
const rows = (path: string, changed: { added?: readonly string[]; removed?: readonly string[] }): ChangedRows => ({
  path,
  added: numbered(changed.added ?? []),
  removed: numbered(changed.removed ?? [], 101),
});

describe("moved blocks", () => {
  test("are found between files, with their lines", () => {
    const lines = body(12);
    expect(findMoves([rows("a.ts", { removed: lines }), rows("b.ts", { added: lines })])).toEqual([
      { from: { path: "a.ts", first: 101, last: 112 }, to: { path: "b.ts", first: 1, last: 12 }, same: 12, edited: 0 },
    ]);
  });

  test("are found with edited, left out and reindented lines", () => {
    const lines = body(20);
    const edited = lines.flatMap((line, at) => (at === 6 ? ["    changed();"] : at === 12 ? [] : [`  ${line}`]));
    expect(findMoves([rows("a.ts", { removed: lines }), rows("b.ts", { added: edited })])).toMatchObject([
      { same: 18, edited: 3 },
    ]);
  });

  test("are not blocks of fewer than ten lines, other code, or braces alone", () => {
    const pairs = [
      [body(9), body(9)],
      [body(20), body(20, "other")],
      [Array.from({ length: 30 }, () => "}"), Array.from({ length: 30 }, () => "}")],
    ] as const;
    for (const [removed, added] of pairs)
      expect(findMoves([rows("a.ts", { removed }), rows("b.ts", { added })])).toEqual([]);
  });

  test("use each removed line once", () => {
    const lines = body(12);
    const moves = findMoves([rows("a.ts", { removed: lines }), rows("b.ts", { added: [...lines, ...lines] })]);
    expect(moves).toHaveLength(1);
  });

  test("stay fast on repeated lines", () => {
    const same = Array.from({ length: 20_000 }, () => "  same();");
    expect(findMoves([rows("a.ts", { removed: same }), rows("b.ts", { added: same })])).toEqual([]);
  });
});

test("reads the numbers of changed lines from hunks", () => {
  const text =
    "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -3,3 +3,3 @@ x\n one\n-two\n+2\n three\n@@ -20 +20,2 @@\n-a\n+b\n+c\n";
  expect(changedRows("a", text)).toEqual({
    path: "a",
    removed: [
      { number: 4, text: "two" },
      { number: 20, text: "a" },
    ],
    added: [
      { number: 4, text: "2" },
      { number: 20, text: "b" },
      { number: 21, text: "c" },
    ],
  });
});
