import { describe, expect, test } from "vitest";
import { historyEntry } from "../../src/views/state-file/state-file.ts";
import { accepted, answer, at, ended, gate, left, person, produced, rule, started } from "./runs.ts";

describe("historyEntry", () => {
  test("records a finished run", () => {
    const plan = [rule("03-architecture")];
    const run = ended(
      started({ plan }),
      produced("03-architecture", 1),
      gate(),
      answer("redo", "x"),
      produced("03-architecture", 2),
      gate(),
      answer("continue"),
      accepted,
      left,
      {
        type: "run.finished",
        how: "merge",
        merged: "abc",
      },
    );
    expect(historyEntry(run)).toMatchObject({
      type: "feature",
      id: "20260214-100000000-abcd",
      started_at: at(1),
      completed_at: at(21),
      status: "completed",
      artifact_folder: "REQ-0001-login",
      phases: ["03-architecture"],
      phase_snapshots: [
        {
          key: "03-architecture",
          status: "completed",
          gate_passed: at(16),
          duration_minutes: 11,
          timing: { retries: 0 },
        },
      ],
      metrics: {
        total_phases: 1,
        phases_completed: 1,
        total_duration_minutes: 20,
        gates_passed_first_try: 0,
        gates_required_iteration: 1,
      },
      git_branch: { status: "merged" },
      merged_commit: "abc",
    });
    expect(historyEntry(run).review_history).toHaveLength(2);
    expect(historyEntry(run)).not.toHaveProperty("supervised_review");
  });

  test("records reason and phase of a cancelled run", () => {
    const entry = historyEntry(
      ended(started(), produced("03-architecture", 1), { type: "run.cancelled", by: person, reason: "later" }),
    );
    expect(entry).toMatchObject({
      status: "cancelled",
      cancellation_reason: "later",
      cancelled_at_phase: "03-architecture",
      cancelled_at: at(8),
    });
    expect(entry).not.toHaveProperty("completed_at");
    expect(entry.phase_snapshots[0]).toMatchObject({ status: "completed", gate_passed: null });
  });
});
