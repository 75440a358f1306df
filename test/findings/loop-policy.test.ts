import { describe, expect, test } from "vitest";
import type { Iteration } from "../../src/core/findings/ledger.ts";
import { afterVerdict } from "../../src/core/findings/loop-policy.ts";
import type { Issue } from "../../src/schema/agent.ts";

/** Letters stand for findings; lower case is a warning. `!` at the end: the reviewer approves. */
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
    ["approves without issues", "!", 3, "approved"],
    ["approves at the first verdict", "!", 1, "approved"],
    ["approves despite warnings", "ab!", 3, "approved"],
    ["approves despite a recurring warning", "a a a!", 5, "approved"],
    ["approves after blockers were resolved", "AB A !", 5, "approved"],
    ["approves at the limit", "A A !", 3, "approved"],
    ["ignores an approval with a blocker", "A!", 3, null],
    ["ignores it at the limit too", "A!", 1, "limit"],
    ["continues without blockers until the reviewer approves", "a", 3, null],
    ["continues without issues until the reviewer approves", "-", 3, null],
    ["continues up to the limit", "- - -", 3, "limit"],
    ["ends at the limit of one", "A", 1, "limit"],
    ["continues one verdict before the limit", "AB A", 3, null],
    ["ends at the limit", "ABC AB A", 3, "limit"],
    ["ends beyond the limit", "ABC AB A D", 3, "limit"],
    ["continues after the fourth of five", "ABCD ABC AB A", 5, null],
    ["ends at the fifth of five", "ABCDE ABCD ABC AB A", 5, "limit"],
    ["continues after one revision without effect", "AB AB", 5, null],
    ["stops after two of these revisions", "AB AB AB", 5, "recurring"],
    ["stops although warnings change", "ABc AB ABd", 5, "recurring"],
    ["stops if revisions have no effect anymore", "ABC AB AB AB", 5, "recurring"],
    ["continues if the second revision resolved a blocker", "AB AB A", 5, null],
    ["continues if every other revision has an effect", "ABC ABC AB AB", 5, null],
    ["continues if a blocker became a warning", "AB AB Ab", 5, null],
    ["continues if a warning became a blocker", "Ab AB AB", 5, null],
    ["stops if a resolved blocker returns", "A B A", 5, "flipping"],
    ["stops if a blocker returns next to a remaining one", "AB B AB", 5, "flipping"],
    ["continues if one blocker returns while more are resolved", "ABCD CD A", 5, null],
    ["stops if a blocker became a warning and a blocker again", "AB aB AB", 5, "flipping"],
    ["continues if a warning returns", "aB B aC", 5, null],
    ["continues if a resolved warning returns as a blocker", "aBC BC AC", 5, null],
    ["continues after one revision that caused as much as it resolved", "A B", 5, null],
    ["stops after two of these revisions in a row", "A B C", 5, "causing"],
    ["stops if more is caused than resolved", "A BC BDE", 5, "causing"],
    ["stops if blockers are only added", "A AB ABC", 5, "causing"],
    ["continues if the second revision resolved more than it caused", "AB CD E", 5, null],
    ["continues if only warnings are caused", "AB Ac d", 5, null],
  ])("%s: %s of %i", ([, said, limit, stopped]) => {
    const result = afterVerdict({ iterations: roundsOf(said), limit });
    expect(result).toMatchObject({ stopped, leadsTo: stopped === null ? "produce" : "complete" });
    expect(result.why === null).toBe(stopped === null || stopped === "approved");
  });

  test("blames no revision with unknown changes", () => {
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
  ])("explains why %s of %i ended", (said, limit, why) => {
    expect(afterVerdict({ iterations: roundsOf(said), limit }).why).toBe(why);
  });

  test("lists open findings, blockers first, without resolved ones", () => {
    const { open } = afterVerdict({ iterations: roundsOf("AbC bC"), limit: 2 });
    expect(open.map(({ id, severity, description }) => [id, severity, description])).toEqual([
      [expect.any(String), "blocker", SAID["C"]],
      [expect.any(String), "warning", SAID["B"]],
    ]);
  });

  test("returns to produce before the first verdict", () => {
    expect(afterVerdict({ iterations: [], limit: 3 })).toEqual({
      leadsTo: "produce",
      stopped: null,
      why: null,
      open: [],
    });
  });

  test("stops at the limit of each mode [SPEC-R2.6]", () => {
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

  test("leave no finding open before the first verdict of this attempt", () => {
    expect(afterVerdict({ iterations: [], limit: 5, earlier }).open).toEqual([]);
  });

  test.for<[string, string, number, string | null]>([
    ["are not counted", "AB", 2, null],
    ["are not the origin of a recurring finding", "AB AB", 5, null],
    ["are not the origin of a returned finding", "C A", 5, null],
    ["keep current recurring findings visible", "AB AB AB", 5, "recurring"],
    ["keep current flipping findings visible", "A B A", 5, "flipping"],
    ["do not lower the limit", "C D", 3, null],
  ])("%s: %s of %i", ([, said, limit, stopped]) => {
    expect(afterVerdict({ iterations: roundsOf(said), limit, earlier }).stopped).toBe(stopped);
  });
});
