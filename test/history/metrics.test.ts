import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunMetrics } from "../../src/schema/api-history.ts";
import { finishedRun, computeMetrics, computeTotals } from "../../src/views/metrics.ts";
import { durationText, runsTable } from "../../src/views/runs-table.ts";
import { historyEntry } from "../../src/views/state-file/state-file.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import type { Usage } from "../../src/schema/agent.ts";
import { accepted, answer, ended, gate, left, person, produced, rule, started } from "../views/runs.ts";

const RUN = "20260214-100000000-abcd";
const plan = [rule("03-architecture"), rule("04-design")];
const finish: EventDraft = { type: "run.finished", how: "merge", merged: "abc" };
const pass = (phase: string): EventDraft[] => [...produced(phase, 1), gate(), answer("continue"), ...accepted, ...left];

/** A phase with one execution and its reported usage. */
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

describe("metrics of a run", () => {
  test("count attempts, redos and gates passed at the first attempt", () => {
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
    [
      "all usage reported",
      { input: 100, output: 20, usd: 0.5 },
      { input: 1, output: 2, usd: 0.25 },
      { tokens: 123, usd: 0.75 },
    ],
    ["usage reported as zero", { input: 0, output: 0, usd: 0 }, { input: 0, output: 0, usd: 0 }, { tokens: 0, usd: 0 }],
    ["unreported cost", { input: 1, output: 1, usd: null }, { input: 1, output: 1, usd: 1 }, { tokens: 4, usd: null }],
    ["one phase without usage", { input: 100, output: 20, usd: 0.5 }, null, { tokens: null, usd: null }],
    ["no usage reported", null, null, { tokens: null, usd: null }],
  ])("sum up tokens and cost: %s", ([, first, second, expected]) => {
    const run = twoPhases(first, second);
    expect(computeMetrics(run)).toMatchObject(expected);
    expect(finishedRun(RUN, historyEntry(run)).metrics).toEqual(computeMetrics(run));
  });

  test("exist for a cancelled run, whose last phase was not accepted", () => {
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

describe("untrusted history entry", () => {
  const unknown = { minutes: null, attempts: null, redos: null, gates: null, firstTry: null, tokens: null, usd: null };

  test.each<[string, unknown]>([
    ["null as entry", null],
    ["a list as entry", [1, 2]],
    ["text as entry", "x"],
    ["the entry of another run", { id: "20260214-100000000-zzzz", status: "completed" }],
    ["an entry with inherited values", JSON.parse(`{"__proto__":{"id":"${RUN}","metrics":{"cost_usd":1}}}`)],
  ])("is unreadable with unknown metrics: %s", (_name, entry) => {
    expect(finishedRun(RUN, entry)).toMatchObject({ id: RUN, how: "unreadable", metrics: unknown });
  });

  test.each([-1, Number.NaN, Infinity, 1e300, "3", null, {}, [], true])("ignores %j as an amount", (value) => {
    expect(finishedRun(RUN, { id: RUN, metrics: { cost_usd: value, tokens_total: value } }).metrics).toEqual(unknown);
  });

  test("has unknown numbers instead of zero in an earlier version", () => {
    const entry = { id: RUN, type: "fix", status: "completed", metrics: { total_duration_minutes: 5 } };
    expect(finishedRun(RUN, entry)).toMatchObject({ how: "finished", metrics: { ...unknown, minutes: 5 } });
  });

  test("becomes one plain line of the table", () => {
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
        expect(lines).toHaveLength(5);
        // oxlint-disable-next-line no-control-regex -- what must not be there
        for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(250);
      }),
      { numRuns: 300 },
    );
    expect(reached).toBeGreaterThan(0);
  });
});

describe("table of runs", () => {
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

  test("prints two lines per run, then totals and a chart", () => {
    expect(runsTable(runs).join("\n")).toMatchInlineSnapshot(`
      "RUN                      WORKFLOW  ENDED             HOW            TIME
      20260211-100000000-abcd  feature   2026-02-11 11:30  merged       1h 30m
        Add a login · 4 attempts · first try 2 of 3 · 125k tokens · $1.50
      20260212-100000000-abcd  feature   2026-02-12 08:00  cancelled       20m
        A title too long for one column · 4 attempts · first try 2 of 3
      20260213-100000000-abcd  unknown   unknown           unreadable  unknown
        unknown · item

      3 runs · time 1h 50m (known for 2 of 3) · attempts 8 (known for 2 of 3) · first try 4 of 6 · tokens 125k (known for 1 of 3) · cost $1.50 (known for 1 of 3)

      Time per run:
        20260211-100000000-abcd  ██████████████████████████████  1h 30m
        20260212-100000000-abcd  ██████▋                         20m"
    `);
  });

  test("has rows that fit into 80 columns", () => {
    const wide = entryOf(
      4,
      { type: "test-generate-more", description: "x".repeat(200), status: "unreadable" },
      { ...all, attempts_total: 9999, tokens_total: 9_999_000, cost_usd: 12345.67, total_duration_minutes: 9999 },
    );
    const rows = runsTable([wide, finishedRun(at(3), null, "0007-search")]).slice(0, 5);
    expect(Math.max(...rows.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(Math.max(...rows.map((line) => line.length))).toBeGreaterThan(70);
  });

  test("sums known values and counts their runs", () => {
    expect(computeTotals(runs)).toMatchObject({
      runs: 3,
      minutes: { sum: 110, of: 2 },
      usd: { sum: 1.5, of: 1 },
      firstTry: { sum: 4, of: 2 },
    });
    expect(computeTotals([])).toMatchObject({ runs: 0, usd: { sum: null, of: 0 } });
  });

  test("has no chart for one run and a sentence for none", () => {
    expect(runsTable(runs.slice(0, 1)).join("\n")).not.toContain("█");
    expect(runsTable([])).toEqual(["No run has finished here yet."]);
  });

  test("shows the newest twenty runs in the chart", () => {
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
  ])("prints %j minutes as %s", (minutes, text) => {
    expect(durationText(minutes)).toBe(text);
  });
});
