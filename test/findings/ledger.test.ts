import { describe, expect, test } from "vitest";
import { type Ledger, buildLedger, MAX_ISSUES, type Iteration } from "../../src/core/findings/ledger.ts";
import type { Issue } from "../../src/schema/agent.ts";
import { cpuFor } from "../support/cpu-time.ts";

const issue = (
  description: string,
  location: string | null = "src/a.ts:10",
  severity: Issue["severity"] = "blocker",
): Issue => ({
  severity,
  description,
  location,
});
const round = (issues: readonly Issue[], changed: readonly string[] | null = null): Iteration => ({
  issues,
  approved: false,
  changed,
});
const statesOf = ({ iterations }: Ledger): string[] =>
  iterations.map((mentions) => mentions.map(({ id, state }) => `${id} ${state}`).join(", "));

const leak = "The file handle is never closed when reading fails";
const leakAgain = "If reading fails, the file handle is not closed";
const bound = "The retry loop has no upper bound";
const secret = "The password is written to the log";

describe("buildLedger", () => {
  test.each<[string, Iteration[], string[]]>([
    ["no verdict", [], []],
    ["a verdict without issues", [round([])], [""]],
    [
      "a finding repeated with different words and line",
      [round([issue(leak)]), round([issue(leakAgain, "src/a.ts:57")])],
      ["F1 new", "F1 recurring"],
    ],
    ["a missing finding", [round([issue(leak)]), round([])], ["F1 new", "F1 resolved"]],
    ["a missing finding only once", [round([issue(leak)]), round([]), round([])], ["F1 new", "F1 resolved", ""]],
    [
      "a finding that returns",
      [round([issue(leak)]), round([]), round([issue(leakAgain)])],
      ["F1 new", "F1 resolved", "F1 returned"],
    ],
    [
      "a returned finding that stays",
      [round([issue(leak)]), round([]), round([issue(leak)]), round([issue(leak)])],
      ["F1 new", "F1 resolved", "F1 returned", "F1 recurring"],
    ],
    [
      "a new finding in a file changed by the revision",
      [round([issue(leak)]), round([issue(bound)], ["src/a.ts"])],
      ["F1 new", "F1 resolved, F2 caused"],
    ],
    [
      "a new finding in an unchanged file",
      [round([issue(leak)]), round([issue(bound)], ["src/b.ts"])],
      ["F1 new", "F1 resolved, F2 new"],
    ],
    [
      "a new finding without known changes",
      [round([issue(leak)]), round([issue(bound)], null)],
      ["F1 new", "F1 resolved, F2 new"],
    ],
    [
      "a new finding without a location",
      [round([issue(leak)]), round([issue(bound, null)], ["src/a.ts"])],
      ["F1 new", "F1 resolved, F2 new"],
    ],
    ["the first verdict, before any revision", [round([issue(leak)], ["src/a.ts"])], ["F1 new"]],
    [
      "a known finding in a changed file",
      [round([issue(leak)]), round([issue(leakAgain)], ["src/a.ts"])],
      ["F1 new", "F1 recurring"],
    ],
    ["a duplicate finding", [round([issue(leak), issue(leak)])], ["F1 new"]],
    [
      "equal findings on two lines, one of them fixed",
      [round([issue(leak, "src/a.ts:10"), issue(leak, "src/a.ts:90")]), round([issue(leak, "src/a.ts:88")])],
      ["F1 new, F2 new", "F1 resolved, F2 recurring"],
    ],
    [
      "a finding split in two",
      [round([issue(leak)]), round([issue(leak), issue(leakAgain)])],
      ["F1 new", "F1 recurring, F2 new"],
    ],
    [
      "an open finding before a resolved one with equal text",
      [
        round([issue(leak, "src/a.ts:10"), issue(leak, "src/a.ts:90")]),
        round([issue(leak, "src/a.ts:90")]),
        round([issue(leak, "src/a.ts")]),
      ],
      ["F1 new, F2 new", "F1 resolved, F2 recurring", "F2 recurring"],
    ],
  ])("follows %s", (_, iterations, expected) => {
    expect(statesOf(buildLedger(iterations))).toEqual(expected);
  });

  test("keeps the id if the severity changes, with the latest text and location", () => {
    const { findings } = buildLedger([round([issue(leak)]), round([issue(leakAgain, "src/a.ts:57", "warning")])]);
    expect(findings).toEqual([
      {
        id: "F1",
        severity: "warning",
        description: leakAgain,
        location: "src/a.ts:57",
        file: "src/a.ts",
        line: 57,
        state: "recurring",
        said: [1, 2],
      },
    ]);
  });

  test("numbers findings by round, then blockers first, in any input order", () => {
    const first = [issue(secret, "src/b.ts:1", "note"), issue(leak), issue(bound)];
    const ids = (issues: readonly Issue[]) =>
      buildLedger([round(issues)]).findings.map(({ id, description }) => [id, description]);
    expect(ids(first)).toEqual(ids(first.toReversed()));
    expect(ids(first).at(-1)).toEqual(["F3", secret]);
  });

  test("recognizes a finding by its first text if its latest one differs", () => {
    const longer = `${leak}; use a finally block`;
    const shorter = "The file handle is not closed";
    expect(buildLedger([round([issue(longer)]), round([issue(shorter)])]).findings).toHaveLength(2);
    const { findings } = buildLedger([round([issue(leak)]), round([issue(longer)]), round([issue(shorter)])]);
    expect(findings.map(({ id }) => id)).toEqual(["F1"]);
  });
});

describe("hostile verdicts", () => {
  const many = (make: (index: number) => Issue, count = 500): Issue[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const words = (index: number): string =>
    Array.from({ length: 800 }, (_, at) => `w${"abcdefghij"[(index + at) % 10]}x`).join(" ");
  const shapes: readonly (readonly [string, (index: number) => Issue])[] = [
    ["500 long texts with equal words", (index) => issue(`${words(index)}${index}`.slice(-4000), `src/a.ts:${index}`)],
    ["one word of 4,000 letters", (index) => issue("a".repeat(3990) + "b".repeat(index % 10), `src/a.ts:${index}`)],
    ["dots and quotes only", (index) => issue(`a${"'.".repeat(1990)}b${index}`, ".".repeat(490) + index)],
    [
      "repeated word endings",
      (index) => issue(`${"ationsizings".repeat(330)}${"s".repeat(index % 20)}`, ":".repeat(499)),
    ],
    ["repeated names", (index) => issue(`${"aB.cD::".repeat(560)}${index}`, `${"a/".repeat(240)}b.ts:${index}`)],
    [
      "whitespace and control characters",
      (index) => issue(`${" \u0000\t\u001b[2J".repeat(600)}${index}`, `\u0007${" ".repeat(400)}line`),
    ],
  ];

  test.each(shapes)("take bounded time: %s", (_, make) => {
    const rounds = Array.from({ length: 3 }, () => round(many(make), ["src/a.ts"]));
    expect(cpuFor(() => expect(buildLedger(rounds).iterations).toHaveLength(3))).toBeLessThan(10_000);
  });

  test("keep the blockers if there are too many issues", () => {
    const notes = many((index) => issue(`note ${index}`, `src/a.ts:${index}`, "note"), MAX_ISSUES + 20);
    const { findings } = buildLedger([round([...notes, issue(leak)])]);
    expect(findings).toHaveLength(MAX_ISSUES);
    expect(findings[0]).toMatchObject({ id: "F1", severity: "blocker", description: leak });
  });
});
