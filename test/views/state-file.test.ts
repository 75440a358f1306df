import { describe, expect, test } from "vitest";
import { checkGate } from "../../src/core/check-gate.ts";
import { type ActiveRun, noRun, type RunState } from "../../src/core/run.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import { historyEntry, projectStateFile } from "../../src/views/state-file/state-file.ts";
import { accepted, active, answer, at, ended, gate, left, made, person, produced, rule, started } from "./runs.ts";

const project = (run: RunState, user: Record<string, unknown> = {}) =>
  projectStateFile({ user, run, history: [], version: 7, counters: { next_req_id: 2 } });
const workflowOf = (run: ActiveRun) => project(run)["active_workflow"] as Record<string, unknown>;
const phasesOf = (run: RunState) => project(run)["phases"] as Record<string, Record<string, unknown>>;

const first = [...started(), ...produced("03-architecture", 1)];
const back: EventDraft = { type: "run.wentBack", to: "03-architecture", by: person, tree: "keep" };
const redone = [gate(), answer("redo", "smaller"), ...produced("03-architecture", 2), gate(), answer("continue")];
const autonomous = started({ supervision: { enabled: false, phases: "all" } });

describe("review history of a skipped gate [SM-AC-08a]", () => {
  const skipped: EventDraft = { type: "phase.skipped", by: person };
  test.each<[string, EventDraft[], Record<string, unknown>[]]>([
    ["has an entry for a skip at the gate", [gate(), skipped], [{ phase: "03-architecture", action: "skip" }]],
    [
      "has entries for a pause and a skip",
      [gate(), answer("review"), skipped],
      [
        { phase: "03-architecture", action: "review", resumed_at: expect.stringMatching(/Z$/) },
        { phase: "03-architecture", action: "skip" },
      ],
    ],
    ["has no entry for a skip without a gate", [skipped], []],
  ])("%s", (_name, events, history) => {
    const entries = workflowOf(active(first, ...events.map((event) => [event])))["review_history"];
    expect(entries).toEqual(history.map((entry) => expect.objectContaining(entry)));
  });
});

describe("projectStateFile", () => {
  test("projects an open run with the keys of the schema", () => {
    const state = project(active(first, gate()));
    expect(state).toMatchObject({
      state_version: 7,
      current_phase: "03-architecture",
      counters: { next_req_id: 2 },
      workflow_history: [],
    });
    expect(state["active_workflow"]).toMatchObject({
      id: "20260214-100000000-abcd",
      type: "feature",
      description: "Add a login",
      started_at: at(1),
      phases: ["03-architecture", "04-design"],
      current_phase: "03-architecture",
      current_phase_index: 0,
      phase_status: { "03-architecture": "completed", "04-design": "pending" },
      artifact_folder: "REQ-0001-login",
      flags: { light: false, supervised: true },
      git_branch: { name: "feature/REQ-0001-login", created_from: "main", created_at: at(1), status: "active" },
    });
    expect(phasesOf(active(first, gate()))["03-architecture"]).toMatchObject({
      status: "completed",
      started: at(3),
      completed: at(7),
      gate_passed: null,
      artifacts: ["docs/requirements/REQ-0001-login/architecture-overview.md"],
      summary: "Chose files, kept it small; no server",
      start_commit: "c1",
      constitutional_validation: {
        completed: true,
        status: "compliant",
        iterations_used: 1,
        articles_checked: ["III", "IV"],
      },
      timing: { wall_clock_minutes: 4, retries: 0 },
    });
    expect(phasesOf(active(first, gate()))["04-design"]).toMatchObject({
      status: "pending",
      started: null,
      completed: null,
      artifacts: [],
    });
  });

  test("advances the index when the phase is left, not at the answer", () => {
    expect(workflowOf(active(first, gate(), answer("continue")))["current_phase_index"]).toBe(0);
    const run = active(first, gate(), answer("continue"), accepted, left);
    expect(workflowOf(run)).toMatchObject({ current_phase_index: 1, current_phase: "04-design" });
    expect(phasesOf(run)["03-architecture"]?.["gate_passed"]).toBe(at(9));
  });

  test("updates gate_passed when a gate is passed again after a return", () => {
    const passedOnce = [...first, gate(), answer("continue"), ...accepted, ...left];
    const again = [...passedOnce, back, ...produced("03-architecture", 2)];
    const passed = (...events: EventDraft[]) => phasesOf(active(events))["03-architecture"]?.["gate_passed"];
    expect(passed(...passedOnce, back)).toBeNull();
    expect(passed(...again, ...accepted, ...left)).toBe(at(again.length));
    expect(passed(...again, gate(), answer("continue"), ...accepted, ...left)).toBe(at(again.length + 2));
  });

  test("keeps the user's keys unchanged and in order and replaces derived ones", () => {
    const user = JSON.parse(
      '{"zeta":[1,{"a":null}],"active_workflow":{"forged":true},"supervised_mode":{"enabled":true,"x":"kept"},"__proto__":{"y":1},"phases":{},"alpha":""}',
    ) as Record<string, unknown>;
    const state = project(active(first, gate()), user);
    expect(Object.keys(state).filter((key) => Object.hasOwn(user, key))).toEqual(Object.keys(user));
    expect(state["zeta"]).toBe(user["zeta"]);
    expect(state["supervised_mode"]).toBe(user["supervised_mode"]);
    expect(JSON.stringify(state)).toContain('"__proto__":{"y":1}');
    expect(state["active_workflow"]).not.toHaveProperty("forged");
  });

  test("has no active workflow before and after a run", () => {
    expect(project(noRun)).toMatchObject({ active_workflow: null, current_phase: null, phases: {} });
    const run = ended(first, { type: "run.cancelled", by: person, reason: "later" });
    expect(project(run)).toMatchObject({ active_workflow: null, current_phase: null });
    expect(phasesOf(run)["03-architecture"]?.["status"]).toBe("completed");
  });

  test("keeps only the last 50 ended runs", () => {
    const history = Array.from({ length: 60 }, (_, id) => ({ id }));
    const state = projectStateFile({ user: {}, run: noRun, history, version: 1, counters: {} });
    expect(state["workflow_history"]).toEqual(history.slice(10));
  });

  test("has no branch without git", () => {
    expect(workflowOf(active(started({ git: "none" })))["git_branch"]).toBeNull();
  });

  test("blocks the gate check if tests were not run", () => {
    const plan = [rule("06-implementation", { tests: true })];
    const results = [
      [true, "success", "allow"],
      [null, "not_measured", "block"],
    ] as const;
    for (const [ok, status, decision] of results) {
      const result = made({ checks: [{ name: "tests", ok, detail: "" }] });
      const run = active(started({ plan }), produced("06-implementation", 1, result), gate());
      expect(phasesOf(run)["06-implementation"]?.["iteration_requirements"]).toMatchObject({
        test_iteration: { status, max_iterations: 10 },
      });
      const rules = { tests: true, artifacts: true, delegation: true, questions: true, findings: true };
      expect(checkGate(project(run), "06-implementation", rules).decision).toBe(decision);
    }
  });

  test("counts open findings as approved only after Continue", () => {
    const result = made({ approved: false, concerns: ["vague"] });
    const run = [...started(), ...produced("03-architecture", 1, result), gate()];
    const validation = (events: EventDraft[]) =>
      phasesOf(active(events))["03-architecture"]?.["constitutional_validation"];
    expect(validation(run)).toMatchObject({ status: "escalated", escalation_approved: false });
    expect(validation([...run, answer("continue"), ...accepted, ...left])).toMatchObject({
      status: "escalated",
      escalation_approved: true,
    });
  });
});

describe("supervised_review", () => {
  const untouched = { phase: "03-architecture", redo_count: 0, redo_guidance_history: [], resumed_at: null };
  test.each<[string, EventDraft[], object | undefined]>([
    ["before the gate", [], undefined],
    ["with an open gate", [gate()], { ...untouched, status: "gate_presented", paused_at: null }],
    ["with a paused gate", [gate(), answer("review")], { ...untouched, status: "reviewing", paused_at: at(9) }],
    [
      "with an answered gate after a pause",
      [gate(), answer("review"), answer("continue")],
      { ...untouched, status: "completed", paused_at: at(9), resumed_at: at(10) },
    ],
    [
      "with an accepted phase after a pause",
      [gate(), answer("review"), answer("continue"), ...accepted],
      { ...untouched, status: "completed", paused_at: at(9), resumed_at: at(10) },
    ],
    ["with an answered gate without a pause", [gate(), answer("continue")], undefined],
    [
      "with a pending redo",
      [gate(), answer("redo", "smaller")],
      { ...untouched, status: "redo_pending", paused_at: null, redo_count: 1, redo_guidance_history: ["smaller"] },
    ],
    [
      "with a pending redo after a pause",
      [gate(), answer("review"), answer("redo", "")],
      { ...untouched, status: "redo_pending", paused_at: null, redo_count: 1, redo_guidance_history: [""] },
    ],
    ["after a return that follows a redo", [...redone, ...accepted, ...left, back], undefined],
    ["after a return during a redo", [gate(), answer("redo", "smaller"), back], undefined],
    [
      "with an open gate after a redo",
      [gate(), answer("redo", "smaller"), ...produced("03-architecture", 2), gate()],
      { ...untouched, status: "gate_presented", paused_at: null, redo_count: 1, redo_guidance_history: ["smaller"] },
    ],
    [
      "in the next phase",
      [
        gate(),
        answer("redo", "x"),
        ...produced("03-architecture", 2),
        gate(),
        answer("continue"),
        ...accepted,
        ...left,
      ],
      undefined,
    ],
  ])("is projected %s", (_name, events, expected) => {
    expect(workflowOf(active(first, events))["supervised_review"]).toEqual(expected);
  });

  test("changes phase_status from completed to in_progress and back in a redo", () => {
    const statuses = [
      [gate()],
      [gate(), answer("redo", "x")],
      [gate(), answer("redo", "x"), ...produced("03-architecture", 2)],
    ].map((events) => (workflowOf(active(first, events))["phase_status"] as Record<string, string>)["03-architecture"]);
    expect(statuses).toEqual(["completed", "in_progress", "completed"]);
  });
});

describe("review_history", () => {
  const phase = "03-architecture";
  const paused = { phase, action: "review", timestamp: at(9), paused_at: at(9) };
  const redo = { phase, action: "redo", redo_count: 1, guidance: "smaller" };
  test.each<[string, EventDraft[], object[]]>([
    ["no answer", [gate()], []],
    ["continue", [gate(), answer("continue")], [{ phase, action: "continue", timestamp: at(9) }]],
    ["an open pause", [gate(), answer("review")], [{ ...paused, resumed_at: null }]],
    [
      "a finished pause as one entry",
      [gate(), answer("review"), answer("continue")],
      [{ ...paused, resumed_at: at(10) }],
    ],
    ["redo", [gate(), answer("redo", "smaller")], [{ ...redo, timestamp: at(9) }]],
    [
      "redo from a pause",
      [gate(), answer("review"), answer("redo", "smaller")],
      [
        { ...paused, resumed_at: at(10) },
        { ...redo, timestamp: at(10) },
      ],
    ],
    [
      "continue after a failed recheck as a separate entry",
      [gate(), answer("review"), answer("continue"), gate(), answer("continue")],
      [
        { ...paused, resumed_at: at(10) },
        { phase, action: "continue", timestamp: at(12) },
      ],
    ],
  ])("lists %s [SM-AC-08a]", (_name, events, expected) => {
    expect(workflowOf(active(first, events))["review_history"]).toEqual(expected);
  });

  test("is missing in an autonomous run and its archive [SM-AC-08c]", () => {
    expect(workflowOf(active(autonomous))).not.toHaveProperty("review_history");
    const entry = historyEntry(ended(autonomous, { type: "run.finished", how: "keep", merged: null }));
    expect(entry).not.toHaveProperty("review_history");
    expect(entry.supervised_mode_enabled).toBe(false);
  });

  test("is empty in a supervised run without any answer [SM-AC-08c]", () => {
    const entry = historyEntry(ended(started(), { type: "run.finished", how: "keep", merged: null }));
    expect(entry).toMatchObject({ review_history: [], supervised_mode_enabled: true });
  });
});
