import { describe, expect, test } from "vitest";
import type { Iteration } from "../../src/core/findings/ledger.ts";
import { afterVerdict } from "../../src/core/findings/loop-policy.ts";
import type { Issue } from "../../src/schema/agent.ts";

/** Letters stand for findings; lower case is a warning. `!` at the end: the reviewer says approved. */
const SAID: Readonly<Record<string, string>> = {
  A: "The file handle is never closed when reading fails",
  B: "The retry loop has no upper bound",
  C: "The password is written to the log",
  D: "Dates are compared as strings",
  E: "The cache key ignores the tenant",
  F: "Two workers may claim the same job",
};

function roundOf(text: string): Iteration {
  const letters = text.replace("!", "").split("");
  const issues = letters.map((letter): Issue => ({
    severity: letter === letter.toUpperCase() ? "blocker" : "warning",
    description: SAID[letter.toUpperCase()] ?? "",
    location: "src/a.ts:1",
  }));
  return { issues, approved: text.endsWith("!"), changed: ["src/a.ts"] };
}
const roundsOf = (text: string): Iteration[] =>
  text === "" ? [] : text.split(" ").map((one) => roundOf(one === "-" ? "" : one));
const unknownChanges = (iterations: readonly Iteration[]): Iteration[] =>
  iterations.map((round) => ({ ...round, changed: null }));

describe("afterVerdict", () => {
  test.for<[string, string, number, string | null]>([
    ["approves what has no issue", "!", 3, "approved"],
    ["approves at the first verdict", "!", 1, "approved"],
    ["approves in spite of warnings", "ab!", 3, "approved"],
    ["approves though the same warning recurs", "a a a!", 5, "approved"],
    ["approves after blockers were resolved", "AB A !", 5, "approved"],
    ["approves at the limit", "A A !", 3, "approved"],
    ["does not believe an approval beside a blocker", "A!", 3, null],
    ["does not believe it at the limit", "A!", 1, "limit"],
    ["goes on without blockers while approval is not said", "a", 3, null],
    ["goes on without any issue while approval is not said", "-", 3, null],
    ["does so up to the limit", "- - -", 3, "limit"],
    ["ends at the limit of one", "A", 1, "limit"],
    ["goes on one before the limit", "AB A", 3, null],
    ["ends at the limit", "ABC AB A", 3, "limit"],
    ["ends beyond the limit", "ABC AB A D", 3, "limit"],
    ["goes on after the fourth of five", "ABCD ABC AB A", 5, null],
    ["ends at the fifth of five", "ABCDE ABCD ABC AB A", 5, "limit"],
    ["goes on after one revision without effect", "AB AB", 5, null],
    ["stops after two of them", "AB AB AB", 5, "recurring"],
    ["stops though warnings come and go", "ABc AB ABd", 5, "recurring"],
    ["stops when the effect ended later", "ABC AB AB AB", 5, "recurring"],
    ["goes on when the second of the two resolved something", "AB AB A", 5, null],
    ["goes on when effect and none alternate", "ABC ABC AB AB", 5, null],
    ["goes on when a blocker became a warning", "AB AB Ab", 5, null],
    ["goes on when a warning became a blocker", "Ab AB AB", 5, null],
    ["stops when a resolved blocker comes back", "A B A", 5, "flipping"],
    ["stops when one comes back beside what stayed", "AB B AB", 5, "flipping"],
    ["goes on when one comes back while more go away", "ABCD CD A", 5, null],
    ["stops when a blocker went down to a warning and up again", "AB aB AB", 5, "flipping"],
    ["goes on when a warning comes back", "aB B aC", 5, null],
    ["goes on when a warning that went away comes back as the first blocker of its kind", "aBC BC AC", 5, null],
    ["goes on after one revision that caused as much as it resolved", "A B", 5, null],
    ["stops after two of them in a row", "A B C", 5, "causing"],
    ["stops when more is caused than resolved", "A BC BDE", 5, "causing"],
    ["stops when blockers are only added", "A AB ABC", 5, "causing"],
    ["goes on when the second resolved more than it caused", "AB CD E", 5, null],
    ["goes on when what is caused are warnings", "AB Ac d", 5, null],
  ])("%s: %s of %i", ([, said, limit, stopped]) => {
    const result = afterVerdict({ iterations: roundsOf(said), limit });
    expect(result).toMatchObject({ stopped, leadsTo: stopped === null ? "produce" : "complete" });
    expect(result.why === null).toBe(stopped === null || stopped === "approved");
  });

  test("blames no revision where nobody knows what it changed", () => {
    expect(afterVerdict({ iterations: unknownChanges(roundsOf("A B C")), limit: 5 }).stopped).toBeNull();
  });

  test.each([
    ["AB AB AB", 5, "Two revisions in a row resolved no blocker: F1 and F2 stayed open."],
    ["A B A", 5, "F1 had been resolved and came back: the revisions go back and forth."],
    ["A B C", 5, "Two revisions in a row caused at least as many blockers as they resolved, the last one F3."],
    ["A", 1, "The reviewer did not approve within 1 verdict."],
    ["ABC AB A", 3, "The reviewer did not approve within 3 verdicts."],
    [
      "A A A",
      3,
      "The reviewer did not approve within 3 verdicts. Two revisions in a row resolved no blocker: F1 stayed open.",
    ],
    [
      "ABCDEF ABCDEF ABCDEF",
      5,
      "Two revisions in a row resolved no blocker: F1, F2, F3, F4, F5 and 1 more stayed open.",
    ],
  ])("tells the person why %s of %i ended", (said, limit, why) => {
    expect(afterVerdict({ iterations: roundsOf(said), limit }).why).toBe(why);
  });

  test("tells what is open, blockers first, and nothing that was resolved", () => {
    const { open } = afterVerdict({ iterations: roundsOf("AbC bC"), limit: 2 });
    expect(open.map(({ id, severity, description }) => [id, severity, description])).toEqual([
      [expect.any(String), "blocker", SAID["C"]],
      [expect.any(String), "warning", SAID["B"]],
    ]);
  });

  test("has nothing to judge before the first verdict", () => {
    expect(afterVerdict({ iterations: [], limit: 3 })).toEqual({
      leadsTo: "produce",
      stopped: null,
      why: null,
      open: [],
    });
  });

  test("SPEC-R2.6 gives up at each mode's limit, never later", () => {
    for (const limit of [1, 2, 3, 5])
      for (let count = 1; count <= 6; count++) {
        const iterations = Array.from({ length: count }, () => roundOf(""));
        expect(afterVerdict({ iterations, limit }).leadsTo).toBe(count >= limit ? "complete" : "produce");
      }
  });
});

describe("verdicts of earlier attempts", () => {
  const earlier = roundsOf("AB AB AB");

  test("give findings their ids", () => {
    const { open } = afterVerdict({ iterations: roundsOf("BC"), limit: 5, earlier });
    const ids = open.map(({ id, description }) => [id, description]);
    expect(ids).toEqual([
      ["F2", SAID["B"]],
      ["F3", SAID["C"]],
    ]);
  });

  test("leave nothing open before the first verdict of this one", () => {
    expect(afterVerdict({ iterations: [], limit: 5, earlier }).open).toEqual([]);
  });

  test.for<[string, string, number, string | null]>([
    ["are not counted", "AB", 2, null],
    ["are not held against what recurs", "AB AB", 5, null],
    ["are not held against what comes back", "C A", 5, null],
    ["do not hide what recurs now", "AB AB AB", 5, "recurring"],
    ["do not hide what flips now", "A B A", 5, "flipping"],
    ["do not end a limit earlier", "C D", 3, null],
  ])("%s: %s of %i", ([, said, limit, stopped]) => {
    expect(afterVerdict({ iterations: roundsOf(said), limit, earlier }).stopped).toBe(stopped);
  });
});
