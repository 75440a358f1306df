import type { Handlers } from "./evolve.ts";
import { type ActiveRun, currentPhase, type AttemptState } from "../run.ts";
import { unproven } from "./attempt.ts";
import { enter, open } from "./changes.ts";

type AfterEventType = "after.started" | "sizing.asked" | "sizing.decided" | "tasks.refined" | "tasks.rejected";

export const afterHandlers: Handlers<AfterEventType> = {
  "after.started": (run, event) =>
    event.step === "sizing"
      ? enter(run, event, { is: "measuring" })
      : enter(run, event, { is: "refining", work: unproven, brief: { why: "tasks", text: "" }, claim: null }),
  "sizing.asked": (run, event) => open(run, event, { kind: "sizing", sizing: event.sizing }),
  "sizing.decided": (run, event) => {
    const { sizing, effective, drop, by } = event;
    const phase = currentPhase(run)?.rule.key ?? "";
    return {
      ...run,
      wait: null,
      sizing: { sizing, effective, drop, by, at: event.at, phase },
      phases: run.phases.map((record) => (drop.includes(record.rule.key) ? { ...record, dropped: true } : record)),
    };
  },
  "tasks.refined": (run, event) => ({ ...run, refined: true, wait: null, tip: event.commit ?? run.tip }),
  "tasks.rejected": (run, event) => {
    const { stage } = run;
    if (stage.is !== "refining") return run;
    const work: AttemptState = { ...stage.work, failures: stage.work.failures + 1 };
    return enter(run, event, { ...stage, work, brief: { why: "tasks", text: event.problems.join("\n") }, claim: null });
  },
};

/**
 * Returns the sizing that stays valid after a return to phase `index`: none if that phase, or a later one, determined
 * it.
 */
export function keptSizing(run: ActiveRun, index: number): ActiveRun["sizing"] {
  const told = run.phases.findIndex(({ rule }) => rule.key === run.sizing?.phase);
  return told < index ? run.sizing : null;
}
