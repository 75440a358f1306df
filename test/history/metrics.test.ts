import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunMetrics } from "../../src/schema/api-history.ts";
import { finishedRun, computeMetrics, computeTotals } from "../../src/views/metrics.ts";
import { durationText, runsTable } from "../../src/views/runs-table.ts";
import { historyEntry } from "../../src/views/state-file.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import type { Usage } from "../../src/schema/agent.ts";
import { accepted, answer, ended, gate, left, person, produced, rule, started } from "../views/runs.ts";

const RUN = "20260214-100000000-abcd";
const plan = [rule("03-architecture"), rule("04-design")];
const finish: EventDraft = { type: "run.finished", how: "merge", merged: "abc" };
const pass = (phase: string): EventDraft[] => [...produced(phase, 1), gate(), answer("continue"), ...accepted, ...left];

/** A phase in which an agent worked once and told what it used. */
function worked(phase: string, usage: Usage | null): EventDraft[] {
  const [begun, ...rest] = pass(phase);
  const claim = { execution: `${phase}#1.1`, nonce: "n", driver: { pid: 1, started: "1", boot: "b" } };
  const end = { execution: claim.execution, how: "done", reason: null, usage, session: null } as const;
  return [
    begun as EventDraft,
    { type: "execution.started", role: "phase", claim },
    { type: "execution.ended", ...end },
    ...rest,
  ];
}

const twoPhases = (first: Usage | null, second: Usage | null) =>
  ended(started({ plan }), worked("03-architecture", first), worked("04-design", second), finish);

describe("what a run took", () => {
  test("attempts, redos and gates passed at the first try", () => {
    const run = ended(
      started({ plan }),
      produced("03-architecture", 1),
      gate(),
      answer("redo", "smaller"),
      produced("03-architecture", 2),
      gate(),
      answer("continue"),
      accepted,
      left,
      pass("04-design"),
      finish,
    );
    expect(computeMetrics(run)).toMatchObject({
      attempts: 3,
      redos: 1,
      gates: 2,
      firstTry: 1,
      tokens: null,
      usd: null,
    });
  });

  test.for<[string, Usage | null, Usage | null, Partial<RunMetrics>]>([
    ["all told", { input: 100, output: 20, usd: 0.5 }, { input: 1, output: 2, usd: 0.25 }, { tokens: 123, usd: 0.75 }],
    ["told as nothing", { input: 0, output: 0, usd: 0 }, { input: 0, output: 0, usd: 0 }, { tokens: 0, usd: 0 }],
    ["no money told", { input: 1, output: 1, usd: null }, { input: 1, output: 1, usd: 1 }, { tokens: 4, usd: null }],
    ["one phase silent", { input: 100, output: 20, usd: 0.5 }, null, { tokens: null, usd: null }],
    ["nothing told", null, null, { tokens: null, usd: null }],
  ])("tokens and money: %s", ([, first, second, expected]) => {
    const run = twoPhases(first, second);
    expect(computeMetrics(run)).toMatchObject(expected);
    expect(finishedRun(RUN, historyEntry(run)).metrics).toEqual(computeMetrics(run));
  });

  test("a cancelled run has them too; the phase it was cancelled at was not accepted", () => {
    const run = ended(started({ plan }), produced("03-architecture", 1), {
      type: "run.cancelled",
      by: person,
      reason: "no",
    });
    expect(finishedRun(RUN, historyEntry(run))).toMatchObject({
      how: "cancelled",
      workflow: "feature",
      title: "Add a login",
      metrics: { attempts: 1, gates: 0, firstTry: 0, minutes: 7 },
    });
  });
});

describe("an entry anybody may have written", () => {
  const unknown = { minutes: null, attempts: null, redos: null, gates: null, firstTry: null, tokens: null, usd: null };

  test.each<[string, unknown]>([
    ["nothing", null],
    ["a list", [1, 2]],
    ["a text", "x"],
    ["another run's", { id: "20260214-100000000-zzzz", status: "completed" }],
    ["one with inherited values", JSON.parse(`{"__proto__":{"id":"${RUN}","metrics":{"cost_usd":1}}}`)],
  ])("%s is unreadable, and all of it unknown", (_name, entry) => {
    expect(finishedRun(RUN, entry)).toMatchObject({ id: RUN, how: "unreadable", metrics: unknown });
  });

  test.each([-1, Number.NaN, Infinity, 1e300, "3", null, {}, [], true])("%j is no amount", (value) => {
    expect(finishedRun(RUN, { id: RUN, metrics: { cost_usd: value, tokens_total: value } }).metrics).toEqual(unknown);
  });

  test("an entry of an earlier version lacks numbers, which are unknown and not zero", () => {
    const entry = { id: RUN, type: "fix", status: "completed", metrics: { total_duration_minutes: 5 } };
    expect(finishedRun(RUN, entry)).toMatchObject({ how: "finished", metrics: { ...unknown, minutes: 5 } });
  });

  test("whatever stands in it, the table has one clean line for it", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constant("a\u001b[2J\nb\u202e"),
      fc.constant("x".repeat(9999)),
    );
    const value = fc.oneof(text, fc.jsonValue(), fc.double());
    const entry = fc.record(
      { type: value, description: value, completed_at: value, status: value, metrics: fc.oneof(fc.object(), value) },
      { requiredKeys: [] },
    );
    let reached = 0;
    fc.assert(
      fc.property(entry, (odd) => {
        const lines = runsTable([finishedRun(RUN, { ...odd, id: RUN })]);
        if (typeof odd.description === "string" && odd.description.includes("\u001b")) reached++;
        expect(lines).toHaveLength(4);
        // oxlint-disable-next-line no-control-regex -- what must not be there
        for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(250);
      }),
      { numRuns: 300 },
    );
    expect(reached).toBeGreaterThan(0);
  });
});

describe("the table", () => {
  const at = (number: number): string => `2026021${number}-100000000-abcd`;
  const entryOf = (number: number, changes: Record<string, unknown>, metrics: Record<string, unknown>) =>
    finishedRun(at(number), {
      id: at(number),
      type: "feature",
      description: "Add a login",
      status: "completed",
      completed_at: `2026-02-1${number}T11:30:00.000Z`,
      metrics,
      ...changes,
    });
  const all = { attempts_total: 4, gates_passed_first_try: 2, gates_required_iteration: 1, redos_total: 1 };
  const runs = [
    entryOf(1, { merged_commit: "abc" }, { ...all, total_duration_minutes: 90, tokens_total: 125_000, cost_usd: 1.5 }),
    entryOf(
      2,
      { status: "cancelled", cancelled_at: "2026-02-12T08:00:00.000Z", description: "A title too long for one column" },
      { ...all, total_duration_minutes: 20 },
    ),
    finishedRun(at(3), null, "0007-search"),
  ];

  test("one line per run, what is not known said so, then the totals and a chart", () => {
    expect(runsTable(runs).join("\n")).toMatchInlineSnapshot(`
      "RUN                      WORKFLOW        TITLE                         ENDED                 HOW            TIME  ATTEMPTS  FIRST TRY   TOKENS     COST
      20260211-100000000-abcd  feature         Add a login                   2026-02-11 11:30 UTC  merged       1h 30m         4     2 of 3     125k    $1.50
      20260212-100000000-abcd  feature         A title too long for one co…  2026-02-12 08:00 UTC  cancelled       20m         4     2 of 3  unknown  unknown
      20260213-100000000-abcd  unknown (item)  unknown                       unknown               unreadable  unknown   unknown    unknown  unknown  unknown

      3 runs · time 1h 50m (known for 2 of 3) · attempts 8 (known for 2 of 3) · first try 4 of 6 · tokens 125k (known for 1 of 3) · cost $1.50 (known for 1 of 3)

      Time per run:
        20260211-100000000-abcd  ██████████████████████████████  1h 30m
        20260212-100000000-abcd  ██████▋                         20m"
    `);
  });

  test("totals sum what is known and say of how many runs", () => {
    expect(computeTotals(runs)).toMatchObject({
      runs: 3,
      minutes: { sum: 110, of: 2 },
      usd: { sum: 1.5, of: 1 },
      firstTry: { sum: 4, of: 2 },
    });
    expect(computeTotals([])).toMatchObject({ runs: 0, usd: { sum: null, of: 0 } });
  });

  test("one run is no chart, and no run is a sentence", () => {
    expect(runsTable(runs.slice(0, 1)).join("\n")).not.toContain("█");
    expect(runsTable([])).toEqual(["No run has finished here yet."]);
  });

  test("the chart ends with the newest twenty", () => {
    const many = Array.from({ length: 30 }, (_, index) =>
      finishedRun(`20260214-1000000${10 + index}-abcd`, { metrics: { total_duration_minutes: index + 1 } }),
    );
    const bars = runsTable(many).filter((line) => /[█▏▎▍▌▋▊▉]/u.test(line));
    expect(bars).toHaveLength(20);
    expect(bars.at(-1)).toContain("█".repeat(30));
  });

  test.each([
    [null, "unknown"],
    [0, "under 1m"],
    [45, "45m"],
    [125, "2h 05m"],
    [1440 * 3 + 245, "3d 4h"],
  ])("%j minutes are %s", (minutes, text) => {
    expect(durationText(minutes)).toBe(text);
  });
});
