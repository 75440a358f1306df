import { evolve } from "../../src/core/evolve/evolve.ts";
import { type ActiveRun, type EndedRun, noRun, type RunState } from "../../src/core/run.ts";
import type { EventDraft, GateChoice } from "../../src/schema/event.ts";
import type { PhaseOutput } from "../../src/schema/facts.ts";
import type { Person } from "../../src/schema/people.ts";
import type { PhaseRule, Supervision } from "../../src/schema/plan.ts";

export const person: Person = { name: "Ada", channel: "terminal" };

export const rule = (key: string, changes: Partial<PhaseRule> = {}): PhaseRule => ({
  key,
  name: "Architecture",
  persona: "architect",
  personaDigest: "p",
  reviewer: "chain-reviewer",
  inputs: [],
  outputs: ["architecture-overview.md"],
  needs: "",
  writes: "item",
  tests: false,
  checks: { limit: 10, breaker: 3 },
  verdicts: 3,
  gate: "supervised",
  minutes: 45,
  articles: ["III", "IV"],
  analysis: true,
  whenLight: "keep",
  after: [],
  ...changes,
});

export const made = (changes: Partial<PhaseOutput> = {}): PhaseOutput => ({
  summary: "Chose files, kept it small; no server",
  decisions: ["Files, not a database"],
  artifacts: ["docs/requirements/REQ-0001-login/architecture-overview.md"],
  changed: [{ path: "docs/requirements/REQ-0001-login/architecture-overview.md", change: "added" }],
  changedSinceSeen: null,
  unexpected: [],
  tree: "t1",
  checks: [{ name: "artifacts", ok: true, detail: "" }],
  issues: [],
  approved: true,
  concerns: [],
  testsChanged: null,
  lines: 12,
  ...changes,
});

type StartChanges = { plan?: PhaseRule[]; supervision?: Supervision; git?: "none" };

export function started({ plan, supervision, git }: StartChanges = {}): EventDraft[] {
  return [
    {
      type: "run.started",
      run: "20260214-100000000-abcd",
      scope: "tree",
      analysed: [],
      workflow: "feature",
      title: "Add a login",
      item: "docs/requirements/REQ-0001-login",
      plan: plan ?? [
        rule("03-architecture"),
        rule("04-design", { name: "Design & Specifications", shortName: "Design" }),
      ],
      options: {
        mode: "standard",
        light: false,
        commits: "phase",
        finish: "ask",
        sizing: "ask",
        thresholds: { light_max_files: 5, epic_min_files: 20 },
      },
      supervision: supervision ?? { enabled: true, phases: "all" },
      minimalSummary: false,
      agent: { name: "replay", digest: "d" },
      reviewer: null,
      git: git === "none" ? null : { branch: "feature/REQ-0001-login", base: "main", commit: "c0" },
      tests: null,
      warnings: [],
      by: person,
    },
    { type: "run.prepared" },
  ];
}

export function produced(phase: string, attempt: number, result: PhaseOutput = made()): EventDraft[] {
  const why = attempt === 1 ? "first" : "redo";
  const { summary, decisions, artifacts, checks, approved, issues, concerns } = result;
  return [
    { type: "attempt.started", phase, attempt, brief: { why, text: "" }, commit: "c1", tree: "t0" },
    { type: "draft.produced", summary, decisions, artifacts },
    { type: "checks.passed", results: checks, testsChanged: null, leadsTo: "review" },
    { type: "verdict.given", approved, issues, summary: "", leadsTo: "complete", concerns },
    { type: "phase.completed", made: result, settings: { is: "absent" } },
  ];
}

export const gate = (changes: Partial<Extract<EventDraft, { type: "gate.opened" }>> = {}): EventDraft => ({
  type: "gate.opened",
  digest: "g",
  loosened: null,
  failures: [],
  ...changes,
});

export const answer = (choice: GateChoice, guidance: string | null = null): EventDraft => ({
  type: "gate.answered",
  wait: "",
  choice,
  by: person,
  guidance,
  shown: "g",
});

export const accepted: EventDraft[] = [
  { type: "phase.rechecked", edited: null, tree: "t1", results: [] },
  { type: "phase.accepted", by: person },
];

export const left: EventDraft[] = [{ type: "phase.committed", commit: "c2" }, { type: "phase.left" }];

/** Adds one minute per event, from 10:00. */
export const at = (seq: number): string => `2026-02-14T10:${String(seq - 1).padStart(2, "0")}:00.000Z`;

export function fold(...events: readonly (EventDraft | EventDraft[])[]): RunState {
  return events
    .flat()
    .reduce<RunState>((state, draft, index) => evolve(state, { ...draft, seq: index + 1, at: at(index + 1) }), noRun);
}

export function active(...events: readonly (EventDraft | EventDraft[])[]): ActiveRun {
  const run = fold(...events);
  if (run.is !== "active") throw new Error(`the run is ${run.is}`);
  return run;
}

export function ended(...events: readonly (EventDraft | EventDraft[])[]): EndedRun {
  const run = fold(...events);
  if (run.is !== "ended") throw new Error(`the run is ${run.is}`);
  return run;
}
