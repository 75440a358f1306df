import { describe, expect, test } from "vitest";
import type { CommentPlace } from "../../src/schema/comments.ts";
import { findAnchor, type LineRange, numberLines, quoteRange, type TextLine } from "../../web/src/gate/anchor.ts";

const BEFORE = numberLines(["# Plan", "", "one", "same", "two", "", "same", "three"]);

/** A place as it is saved with a comment. */
function placeAt(range: LineRange, lines: readonly TextLine[] = BEFORE): CommentPlace {
  const quoted = quoteRange(lines, range);
  if (quoted === null) throw new Error("no such line");
  return { path: "plan.md", side: "new", ...quoted };
}

const at = (place: CommentPlace, ...lines: readonly string[]) => findAnchor(numberLines(lines), place);

describe("the place of a comment in a changed text", () => {
  test("follows its lines", () => {
    expect(at(placeAt({ from: 5, to: 5 }), "new", "new", "# Plan", "", "one", "same", "two")).toEqual({
      line: 7,
      isChanged: false,
    });
    expect(at(placeAt({ from: 3, to: 5 }), "new", "one", "same", "two")).toEqual({ line: 2, isChanged: false });
  });

  test("prefers equal text between the same lines to nearer text", () => {
    const second = placeAt({ from: 7, to: 7 });
    expect(at(second, "x", "x", "x", "x", "x", "one", "same", "two", "", "same", "three")).toMatchObject({ line: 10 });
    const { context: _without, ...old } = second;
    expect(at(old, "x", "x", "x", "x", "x", "one", "same", "two", "", "same", "three")).toMatchObject({ line: 7 });
  });

  test("is between the same lines if its own text changed", () => {
    const place = placeAt({ from: 4, to: 4 });
    expect(at(place, "new", "one", "different", "two")).toEqual({ line: 3, isChanged: true });
    expect(at(place, "one", "a", "b", "c", "two")).toEqual({ line: 2, isChanged: true });
    expect(at(place, "one", "different", "other")).toBeNull();
  });

  test("is not at another blank line", () => {
    const place = placeAt({ from: 6, to: 6 });
    expect(at(place, "", "a", "", "b")).toBeNull();
    expect(at(place, "", "two", "", "same")).toEqual({ line: 3, isChanged: false });
  });

  test("does not reach over the gap between two parts of a diff", () => {
    const parts = [...numberLines(["a", "b"]), { line: 9, text: "c" }];
    expect(quoteRange(parts, { from: 1, to: 9 })).toMatchObject({ quote: "a\nb", endLine: 2 });
    expect(quoteRange(parts, { from: 5, to: 6 })).toBeNull();
  });
});
