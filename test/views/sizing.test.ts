import { test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { evolve } from "../../src/core/evolve/evolve.ts";
import { type ActiveRun, noRun, type RunState } from "../../src/core/run.ts";
import type { EventDraft } from "../../src/schema/event.ts";
import type { Sizing } from "../../src/schema/facts.ts";
import { historyLines } from "../../src/views/history.ts";
import { historyEntry, projectStateFile } from "../../src/views/state-file/state-file.ts";
import { statusLines, statusObject } from "../../src/views/status.ts";
import { playScript } from "../support/play-script.ts";
import { core } from "../support/run-builder.ts";
import { script } from "../support/run-scripts.ts";
import { active, at, ended, left, person, produced, rule, started } from "./runs.ts";

const plan = [
  rule("02-impact-analysis", { after: ["sizing"] }),
  rule("03-architecture", { whenLight: "drop" }),
  rule("04-design", { whenLight: "drop", after: ["refinement"] }),
  rule("05-test-strategy"),
  rule("06-implementation"),
];
const KEYS = plan.map(({ key }) => key);
const LIGHT = ["02-impact-analysis", "05-test-strategy", "06-implementation"];
const sizing: Sizing = {
  recommended: "light",
  rationale: "3 files, low risk: light, up to 5 files.",
  metrics: { file_count: 3, module_count: 1, risk_score: "low", coupling: "medium", coverage_gaps: 0 },
  source: "impact-analysis",
};
type Decided = Extract<EventDraft, { type: "sizing.decided" }>;

const measuring: EventDraft[] = [
  ...started({ plan, supervision: { enabled: false, phases: "all" } }),
  ...produced("02-impact-analysis", 1),
  { type: "phase.accepted", by: "engine" },
  { type: "phase.committed", commit: "c2" },
  { type: "after.started", step: "sizing" },
];
const decided = (change: Partial<Decided> = {}): EventDraft => ({
  type: "sizing.decided",
  sizing,
  effective: "light",
  drop: ["03-architecture", "04-design"],
  by: person,
  ...change,
});
const light: EventDraft[] = [...measuring, { type: "sizing.asked", sizing }, decided(), { type: "phase.left" }];
const project = (run: RunState) => projectStateFile({ user: {}, run, history: [], version: 1, counters: {} });
const workflowOf = (run: ActiveRun) => project(run)["active_workflow"] as Record<string, unknown>;

describe("sizing in state.json [SIZE-APPLY]", () => {
  test("omits architecture and design from a light run and adjusts the index", () => {
    const run = active(light);
    const state = project(run);
    expect(state["active_workflow"]).toMatchObject({
      phases: LIGHT,
      current_phase: "05-test-strategy",
      current_phase_index: 1,
    });
    expect(Object.keys(workflowOf(run)["phase_status"] as object)).toEqual(LIGHT);
    expect(Object.keys(state["phases"] as object)).toEqual(LIGHT);
    expect(state["current_phase"]).toBe("05-test-strategy");
    const second = active(light, produced("05-test-strategy", 1), { type: "phase.accepted", by: "engine" }, left);
    expect(workflowOf(second)).toMatchObject({ current_phase: "06-implementation", current_phase_index: 2 });
  });

  test("lists all phases of a standard run", () => {
    const run = active(measuring, decided({ effective: "standard", drop: [] }), { type: "phase.left" });
    expect(workflowOf(run)).toMatchObject({ phases: KEYS, current_phase: "03-architecture", current_phase_index: 1 });
  });

  test("lists all phases again after a return to the impact analysis", () => {
    const run = active(light, { type: "run.wentBack", to: "02-impact-analysis", by: person, tree: "keep" });
    expect(workflowOf(run)).toMatchObject({ phases: KEYS, current_phase_index: 0, refinement_completed: false });
    expect(workflowOf(run)).not.toHaveProperty("sizing");
  });

  property.prop([script], { numRuns: 40 })("phases, statuses and index agree in every state of every run", (played) => {
    let state: RunState = noRun;
    for (const event of playScript(core, played).player.events) {
      state = evolve(state, event);
      if (state.is !== "active") continue;
      const { phases, phase_status, current_phase, current_phase_index } = workflowOf(state);
      const keys = phases as string[];
      expect(Object.keys(phase_status as object)).toEqual(keys);
      expect(Object.keys(project(state)["phases"] as object)).toEqual(keys);
      expect(keys[current_phase_index as number] ?? null).toBe(current_phase);
    }
  });
});

describe("sizing record [SIZE-RECORD]", () => {
  const record = {
    intensity: "light",
    effective_intensity: "light",
    file_count: 3,
    module_count: 1,
    risk_score: "low",
    coupling: "medium",
    coverage_gaps: 0,
    recommended_by: "framework",
    overridden: false,
    overridden_to: null,
    decided_at: at(12),
    forced_by_flag: false,
    epic_deferred: false,
    reason: sizing.rationale,
    user_prompted: true,
    fallback_source: null,
    fallback_attempted: false,
  };

  test("is in the run and in the history of finished and cancelled runs", () => {
    expect(workflowOf(active(light))["sizing"]).toEqual(record);
    const ends: EventDraft[] = [
      { type: "run.finished", how: "keep", merged: null },
      { type: "run.cancelled", by: person, reason: "later" },
    ];
    for (const end of ends) {
      const entry = historyEntry(ended(light, end));
      expect(entry).toMatchObject({ sizing: record, phases: LIGHT, metrics: { total_phases: 3 } });
      expect(entry.phase_snapshots.map((snapshot) => snapshot["key"])).toEqual(LIGHT);
    }
  });

  test("is missing in a run without sizing", () => {
    expect(workflowOf(active(measuring))).not.toHaveProperty("sizing");
    const entry = historyEntry(ended(measuring, { type: "run.cancelled", by: person, reason: "later" }));
    expect(entry).not.toHaveProperty("sizing");
  });

  test.for<[string, Partial<Decided>, object]>([
    ["overruled to standard", { effective: "standard", drop: [] }, { overridden: true, overridden_to: "standard" }],
    [
      "overruled to light",
      { sizing: { ...sizing, recommended: "standard" } },
      { intensity: "standard", overridden: true, overridden_to: "light", effective_intensity: "light" },
    ],
    [
      "forced by -light",
      { by: "flag" },
      { forced_by_flag: true, recommended_by: "user", user_prompted: false, overridden: false },
    ],
    ["accepted in advance", { by: "options" }, { user_prompted: false, overridden: false, forced_by_flag: false }],
    [
      "that is epic",
      { sizing: { ...sizing, recommended: "epic" }, effective: "standard", drop: [] },
      { intensity: "epic", effective_intensity: "standard", epic_deferred: true, overridden: false },
    ],
    [
      "from the quick scan",
      { sizing: { ...sizing, source: "quick-scan" } },
      { fallback_source: "quick-scan", fallback_attempted: true },
    ],
    [
      "without metrics",
      { sizing: { ...sizing, metrics: null, source: null }, effective: "standard", drop: [] },
      { file_count: 0, risk_score: "unknown", fallback_source: null, fallback_attempted: true },
    ],
  ])("records a size %s", ([, change, expected]) => {
    const run = active(measuring, decided(change), { type: "phase.left" });
    expect(workflowOf(run)["sizing"]).toMatchObject(expected);
  });
});

describe("sizing in status and history", () => {
  test("prints the question with its reason and the possible answers", () => {
    const run = active(measuring, { type: "sizing.asked", sizing });
    expect(statusObject(run, { driven: false })).toMatchObject({
      status: "waiting",
      sizing: null,
      waiting: { kind: "sizing", options: ["accept", "light", "standard"], ...sizing },
    });
    const lines = statusLines(run, { driven: false }).join("\n");
    expect(lines).toContain(sizing.rationale);
    for (const choice of ["accept", "light", "standard"]) expect(lines).toContain(`isdlc answer ${choice}`);
  });

  test("prints that metrics are missing instead of zero", () => {
    const unknown: Sizing = { ...sizing, recommended: "standard", metrics: null, source: null };
    const run = active(measuring, { type: "sizing.asked", sizing: unknown });
    const lines = statusLines(run, { driven: false }).join("\n");
    expect(lines).toContain("metrics: none found");
    expect(lines).not.toContain("files 0");
  });

  test("prints the decision and omits dropped phases", () => {
    const status = statusObject(active(light), { driven: true });
    expect(status).toMatchObject({ sizing: { recommended: "light", effective: "light" }, current: "05-test-strategy" });
    expect(status).toMatchObject({ phases: LIGHT.map((key) => ({ key })) });
    expect(statusLines(active(light), { driven: true }).join("\n")).not.toContain("03-architecture");
  });

  test("shows refined tasks until a return to the design", () => {
    const refined: EventDraft[] = [
      ...measuring,
      decided({ effective: "standard", drop: [] }),
      { type: "phase.left" },
      { type: "phase.skipped", by: person },
      { type: "phase.left" },
      ...produced("04-design", 1),
      { type: "phase.accepted", by: "engine" },
      { type: "after.started", step: "refinement" },
      { type: "tasks.refined", artifact: "tasks.md", tasks: 4 },
      { type: "phase.left" },
    ];
    expect(workflowOf(active(refined))["refinement_completed"]).toBe(true);
    const back: EventDraft = { type: "run.wentBack", to: "04-design", by: person, tree: "keep" };
    expect(workflowOf(active(refined, back))["refinement_completed"]).toBe(false);
  });

  test("describes sizing, refinement and returns", () => {
    const told: EventDraft[] = [
      decided(),
      { type: "tasks.refined", artifact: "tasks.md", tasks: 4 },
      { type: "tasks.refined", artifact: null, tasks: 0 },
      { type: "phase.restarted", by: person },
      { type: "phase.skipped", by: person },
      { type: "run.wentBack", to: "04-design", by: person, tree: "restore" },
      { type: "run.rewound", kept: "refs/isdlc/r/back-9", restored: ["a", "b"], commit: null },
      { type: "run.rewound", kept: null, restored: [], commit: null },
    ];
    const lines = historyLines(
      told.map((draft, index) => ({ ...draft, seq: index + 1, at: at(index + 1) })),
      () => "Design",
    );
    expect(lines.map((line) => line.slice(31))).toEqual([
      "sized light (light recommended) by Ada (terminal)",
      "4 tasks refined",
      "no tasks refined",
      "phase restarted by Ada (terminal)",
      "phase skipped by Ada (terminal)",
      "back to Design, by Ada (terminal)",
      "2 files restored; later work is saved under refs/isdlc/r/back-9",
      "the tree was left as it is",
    ]);
  });
});
