import { describe, expect, test } from "vitest";
import { fileMarks, type MarkFacts, moveMarks } from "../../../src/core/review-order/file-marks.ts";

const facts = (more: Partial<MarkFacts> = {}): MarkFacts => ({
  outside: new Set(),
  byHand: new Set(),
  history: [],
  namedBy: new Map(),
  ...more,
});
const commits = (count: number, title: string, ...paths: string[]) =>
  Array.from({ length: count }, () => ({ title, paths }));

describe("marks on files", () => {
  test.each([
    ["a test changed with it", "src/cart.ts", ["src/cart.ts", "test/cart.test.ts"], {}, []],
    [
      "a test of another name that names it",
      "src/cart.ts",
      ["src/cart.ts", "test/all.test.ts"],
      { namedBy: new Map([["cart", ["test/all.test.ts"]]]) },
      [],
    ],
    ["no test", "src/cart.ts", ["src/cart.ts"], {}, ["no test changed with it"]],
    [
      "no test, although some name it",
      "src/cart.ts",
      ["src/cart.ts"],
      { namedBy: new Map([["cart", ["test/a.ts", "test/b.ts"]]]) },
      ["no test changed with it; tests that name it: test/a.ts, test/b.ts"],
    ],
    ["a general file name", "src/cart/index.ts", ["src/cart/index.ts", "test/cart_test.py"], {}, []],
    ["a document", "docs/session.md", [], {}, []],
    ["a sensitive path", "config/auth-token.json", [], {}, ['sensitive path: "auth"']],
    ["a word inside another", "config/author.json", [], {}, []],
    ["a file that acts by itself", ".github/workflows/ci.yml", [], {}, ["takes effect by itself: CI runs it"]],
    [
      "a place outside of the phase",
      "a.json",
      [],
      { outside: new Set(["a.json"]) },
      ["written outside of the paths allowed to the phase"],
    ],
    ["an edit by hand", "a.json", [], { byHand: new Set(["a.json"]) }, ["edited by hand since the last review"]],
    [
      "a missing partner",
      "a.json",
      ["a.json"],
      { history: commits(5, "x", "a.json", "b.json") },
      ["usually changes together with b.json, which did not change (5 of its 5 changes)"],
    ],
    ["a partner that changed", "a.json", ["a.json", "b.json"], { history: commits(5, "x", "a.json", "b.json") }, []],
    ["a partner seen too rarely", "a.json", ["a.json"], { history: commits(3, "x", "a.json", "b.json") }, []],
    [
      "many fixes",
      "a.json",
      ["a.json"],
      { history: commits(3, "fix: x", "a.json") },
      ["fixed often: 3 of its 3 last changes by their titles"],
    ],
    ["prefixes and fixtures", "a.json", ["a.json"], { history: commits(5, "add prefixes and fixtures", "a.json") }, []],
  ] satisfies [string, string, string[], Partial<MarkFacts>, string[]][])("state %s", (...row) => {
    const [, path, changed, more, marks] = row;
    expect(fileMarks(path, changed, facts(more))).toEqual(marks);
  });

  test("describe both ends of a move", () => {
    const move = {
      from: { path: "a.ts", first: 1, last: 20 },
      to: { path: "b.ts", first: 31, last: 50 },
      same: 18,
      edited: 2,
    };
    expect(moveMarks("b.ts", [move])).toEqual(["lines 31 to 50 moved from a.ts, 18 lines, with 2 edited"]);
    expect(moveMarks("a.ts", [move])).toEqual(["lines 1 to 20 before the change moved to b.ts"]);
    expect(moveMarks("c.ts", [move])).toEqual([]);
  });
});
