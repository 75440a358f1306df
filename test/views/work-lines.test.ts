import { expect, test } from "vitest";
import type { EventDraft, RunEvent } from "../../src/schema/event.ts";
import { workLines } from "../../src/views/work-lines.ts";
import { NO_VERDICT } from "../../src/core/findings/ledger.ts";

const inOrder = (drafts: readonly EventDraft[]): RunEvent[] =>
  drafts.map((draft, index) => ({ ...draft, seq: index + 1, at: "2026-11-15T10:00:00.000Z" }));

const told = (...drafts: EventDraft[]): string[] =>
  workLines(inOrder(drafts), 0).map(({ mark, text }) => `${mark} ${text}`);

const attempt = (number: number): EventDraft => ({
  type: "attempt.started",
  phase: "plan",
  attempt: number,
  brief: { why: "first", text: "" },
  commit: null,
  tree: null,
});
const draft = (artifacts: string[], summary = "Says hello."): EventDraft => ({
  type: "draft.produced",
  summary,
  decisions: [],
  artifacts,
});
type Results = Extract<EventDraft, { type: "checks.passed" }>["results"];
const present = { name: "artifacts", ok: true, detail: "1 of 1 present" };
const passed = (...results: Results): EventDraft => ({
  type: "checks.passed",
  results: [present, ...results],
  testsChanged: null,
  leadsTo: "review",
});
const failed = (...results: Results): EventDraft => ({
  type: "checks.failed",
  results,
  digest: "d",
  testsChanged: null,
});
const verdict = (...issues: string[]): Extract<EventDraft, { type: "verdict.given" }> => ({
  type: "verdict.given",
  approved: issues.length === 0,
  issues: issues.map((description) => ({ severity: "blocker", description, location: null })),
  summary: "Fine.",
  leadsTo: "complete",
  concerns: [],
});
const committed = (commit: string | null): EventDraft => ({ type: "phase.committed", commit });

type Row = readonly [what: string, events: readonly EventDraft[], lines: readonly string[]];
const rows: readonly Row[] = [
  ["the start of a phase", [attempt(1)], ["begun plan"]],
  ["a repeated start of a phase", [attempt(2)], ["begun plan, attempt 2"]],
  ["no line for an unchecked draft", [draft(["a.md"])], []],
  ["artifacts of a phase without tests", [draft(["docs/a.md"]), passed()], ["good made a.md · Says hello."]],
  [
    "passed tests by their command",
    [draft([]), passed({ name: "tests", ok: true, detail: "npm test passed" })],
    ["good npm test passed · Says hello."],
  ],
  [
    "tests that were not run",
    [draft(["a.md"]), passed({ name: "tests", ok: null, detail: "Not measured: no trusted test command." })],
    ["good made a.md · tests not run · Says hello."],
  ],
  [
    "at most three names",
    [draft(["1.md", "2.md", "3.md", "4.md", "5.md"], ""), passed()],
    ["good made 1.md, 2.md, 3.md and 2 more"],
  ],
  [
    "the last draft only",
    [draft(["old.md"]), failed({ name: "artifacts", ok: false, detail: "x.md: missing" }), draft(["new.md"]), passed()],
    ["bad artifacts: x.md: missing", "good made new.md · Says hello."],
  ],
  [
    "failed tests with the first line only",
    [draft([]), failed(present, { name: "tests", ok: false, detail: "npm test ended with exit code 1\nnot ok 1" })],
    ["bad tests: npm test ended with exit code 1"],
  ],
  ["an approval by the reviewer", [verdict()], ["good reviewer approves: Fine."]],
  ["one finding of the reviewer", [verdict("No tests.")], ["bad reviewer: No tests."]],
  [
    "several findings of the reviewer",
    [verdict("No tests.", "No name.")],
    ["bad reviewer: 2 findings, first: No tests."],
  ],
  [
    "a reviewer without a verdict",
    [{ ...verdict(), approved: false, summary: NO_VERDICT }],
    ["bad reviewer failed: asked twice, and gave no verdict that could be read"],
  ],
  ["a commit", [committed("0123456789abcdef")], ["good committed 0123456"]],
  ["no line for a phase without a commit", [committed(null)], []],
];

test.each(rows)("prints %s", (_, events, lines) => {
  expect(told(...events)).toEqual(lines);
});

test("prints only later events with facts from earlier ones", () => {
  const events = inOrder([attempt(1), draft(["a.md"]), passed(), committed("0123456789")]);
  expect(workLines(events, 2).map(({ text }) => text)).toEqual(["made a.md · Says hello.", "committed 0123456"]);
  expect(workLines(events, 4)).toEqual([]);
});

test("lists required outputs, even if the agent reports no artifacts", () => {
  const rule = { key: "plan", outputs: ["plan.md", "notes/plan.md", "risks.md"] };
  const started = { type: "run.started", plan: [{ key: "other", outputs: ["other.md"] }, rule] };
  // The start event has only the fields that are read.
  const events = [started as unknown as EventDraft, attempt(1), draft(["item/plan.md"]), passed()];
  expect(told(...events).at(-1)).toBe("good made plan.md, risks.md · Says hello.");
});

test("prints four lines for a successful phase", () => {
  const tests = { name: "tests", ok: true, detail: "npm test passed" };
  expect(told(attempt(1), draft(["a.md"]), passed(tests), verdict(), committed("0123456789"))).toHaveLength(4);
});

test("prints text of an agent as one plain line", () => {
  const [line] = told(draft([], "one\n\u001B[31mtwo\u0007"), passed());
  expect(line).toBe("good one ␛[31mtwo␇");
});
