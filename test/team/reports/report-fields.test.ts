import { describe, expect, test } from "vitest";
import { decide } from "../../../src/core/decide/decide.ts";
import { evolve } from "../../../src/core/evolve/evolve.ts";
import { type ActiveRun, noRun, type RunState } from "../../../src/core/run.ts";
import { EventDraft } from "../../../src/schema/event.ts";
import { PhaseOutput } from "../../../src/schema/facts.ts";
import { Step } from "../../../src/schema/step.ts";
import { admitReport, requireOwnTree } from "../../../team/src/reports/admit-report.ts";
import { COMPLETED_FIELDS, OUTCOME_FIELDS } from "../../../team/src/reports/outcome-fields.ts";
import { START_FIELDS, StartFacts, toReport } from "../../../team/src/reports/start-facts.ts";
import { answerTo, honestReport, createStart, findWait } from "./honest-worker.ts";

const ASKED = {
  start: { what: "run", workflow: "feature", title: "a", isSupervised: true, choices: [] },
  policy: { isFourEyes: true, isSigned: false, phases: [] },
  settings: { is: "absent" },
} as const;

/** Every state of a run driven by an honest worker, before each report. */
function statesOfARun(): ActiveRun[] {
  const states: ActiveRun[] = [];
  let state: RunState = noRun;
  let seq = 0;
  const apply = (drafts: readonly EventDraft[]): void => {
    for (const draft of drafts) state = evolve(state, { ...draft, seq: ++seq, at: "2026-11-16T10:00:00.000Z" });
  };
  const started = decide(state, createStart({ ...ASKED, start: { ...ASKED.start, choices: [] } }));
  apply(started.ok ? started.events : []);
  for (let step = 0; step < 500; step++) {
    const run: RunState = state;
    if (run.is !== "active") return states;
    const wait = findWait(run);
    if (wait === null) states.push(run);
    const command = wait === null ? admitReport(run, toReport(honestReport(run))) : answerTo(run, wait);
    const decision = decide(run, command);
    expect(decision, JSON.stringify(command)).toMatchObject({ ok: true });
    apply(decision.ok ? decision.events : []);
  }
  throw new Error("the run does not end");
}

const STATES = statesOfARun();
const stateAt = (of: string): ActiveRun => {
  const found = STATES.find((run) => honestReport(run).outcome.of === of);
  if (found === undefined) throw new Error(`no state reports ${of}`);
  return found;
};

describe("fields of reports", () => {
  test("include all fields of the first event", () => {
    const [started] = EventDraft.def.options;
    const { type: _type, ...fields } = started.shape;
    expect(Object.keys(START_FIELDS).toSorted()).toEqual(Object.keys(fields).toSorted());
  });

  test("exclude values of a worker's start that the server decides", () => {
    const sent = new Set(Object.keys(StartFacts.shape));
    const decided = Object.entries(START_FIELDS).flatMap(([name, from]) => (from === "worker" ? [] : [name]));
    expect(decided.filter((name) => sent.has(name))).toEqual(["title"]);
  });

  test("include the reports of every step and all facts of an output", () => {
    expect(Object.keys(OUTCOME_FIELDS)).toEqual(expect.arrayContaining(Step.options));
    const fromJournal = "summary,decisions,checks,issues,approved,concerns,testsChanged,denied".split(",");
    const facts = Object.keys(PhaseOutput.shape).filter((name) => !fromJournal.includes(name));
    expect(Object.keys(COMPLETED_FIELDS).toSorted()).toEqual(facts.toSorted());
  });

  test("allow every report of an honest worker until the run ends", () => {
    const reported = new Set(STATES.map((run) => honestReport(run).outcome.of));
    expect([...reported].toSorted()).toEqual(
      "check,claim,commit,complete,enter,finish,measure,prepare,produce,recheck,refine,review".split(","),
    );
  });

  test.for([
    ["complete", "settings", { is: "set", enabled: false, phases: [], minimal: true }],
    ["complete", "supervision", { enabled: false, phases: [] }],
    ["recheck", "tree", "b".repeat(40)],
    ["recheck", "commitTree", "b".repeat(40)],
    ["recheck", "proposedCommit", "b".repeat(40)],
    ["commit", "commit", "b".repeat(40)],
    ["commit", "commit", null],
    ["recheck", "edited", [{ path: "a.md", change: "modified" }]],
    ["finish", "merged", "b".repeat(40)],
    ["finish", "how", "merge"],
    ["finish", "merged", undefined],
    ["finish", "moved", []],
    ["commit", "commit", undefined],
    ["measure", "effective", "light"],
    ["commit", "merged", true],
    ["check", "results", "passed"],
    ["produce", "of", "accept"],
    ["refine", "artifact", "src/evil.js"],
    ["complete", "unshown", []],
    ["complete", "reportedBy", ["w2"]],
  ] as const)("are refused for %s with a forged %s", ([of, field, value]) => {
    const run = stateAt(of);
    const { outcome, ...report } = toReport(honestReport(run));
    const forged = { ...report, outcome: { ...(outcome as object), [field]: value } };
    expect(() => admitReport(run, forged)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: "NOT_ALLOWED" }) }),
    );
  });

  test("exclude the tree of another branch", () => {
    const left = { snapshot: "a".repeat(40), head: "a".repeat(40), names: {} };
    const run = stateAt("produce");
    expect(() => requireOwnTree(run, { ...left, branch: "main" })).toThrow();
    expect(() => requireOwnTree(run, { ...left, branch: "feature/REQ-0001-a" })).not.toThrow();
  });
});
