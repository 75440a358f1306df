import type { EventDraft } from "../../schema/event.ts";
import type { Sizing, CheckResult } from "../../schema/facts.ts";
import type { AfterStep, Finish } from "../../schema/plan.ts";
import { type ActiveRun, currentPhase, type SizingDecision, indexAfter } from "../run.ts";
import { MIN_LIGHT_PHASES } from "../sizing.ts";

/** Returns the events after an accepted phase: its next due step, or leaving the phase. */
export function afterPhase(run: ActiveRun, done: AfterStep | null = null): readonly EventDraft[] {
  const phase = currentPhase(run);
  const steps = phase?.rule.after ?? [];
  const left = done === null ? steps : steps.slice(steps.indexOf(done) + 1);
  const refinable = !run.refined && phase?.status !== "skipped";
  const due = left.find((step) => (step === "sizing" ? run.sizing === null : refinable));
  return due === undefined ? leavePhase(run) : [{ type: "after.started", step: due }];
}

type By = SizingDecision["by"];

/**
 * Records the size of the work and continues. A light size drops phases with `whenLight: "drop"`, unless too few would
 * remain. Any other size keeps all.
 */
export function decideSizing(
  run: ActiveRun,
  sizing: Sizing,
  choice: { effective: "light" | "standard"; by: By },
): readonly EventDraft[] {
  const { by } = choice;
  const drop = choice.effective === "light" ? droppable(run) : [];
  const effective = drop === null ? "standard" : choice.effective;
  const phases = run.phases.map((phase) => (drop?.includes(phase.rule.key) ? { ...phase, dropped: true } : phase));
  return [
    { type: "sizing.decided", sizing, effective, drop: drop ?? [], by },
    ...afterPhase({ ...run, phases }, "sizing"),
  ];
}

/** An analysis of an item may drop all its later phases: the build of the item is the rest of the workflow. */
const isAnalysis = ({ run }: ActiveRun): boolean => run.scope === "item";

/**
 * Returns later phases to drop in a light run. Null if no later phase, or fewer than `MIN_LIGHT_PHASES` in total,
 * would remain.
 */
function droppable(run: ActiveRun): string[] | null {
  const later = run.phases.slice(run.index + 1);
  const drop = later.filter(({ rule }) => rule.whenLight === "drop").map(({ rule }) => rule.key);
  const goesOn = drop.length < later.length && run.phases.length - drop.length >= MIN_LIGHT_PHASES;
  return drop.length === 0 || goesOn || isAnalysis(run) ? drop : null;
}

/**
 * Decides what follows the baseline. Failed tests escalate, unless the run may continue with red tests. Tests that
 * could not start always escalate.
 */
export function afterBaseline(run: ActiveRun, { ok, detail, missing, notStarted }: CheckResult): EventDraft {
  if (notStarted === true) {
    const reason = missing === undefined ? "baseline_not_started" : "not_installed";
    return { type: "step.escalated", from: "baseline", reason, detail, options: ["retry", "accept", "skip"] };
  }
  if (ok !== false) return { type: "baseline.settled", how: "passed", by: "engine" };
  if (run.run.options.redTests === "continue") return { type: "baseline.settled", how: "known", by: "engine" };
  return {
    type: "step.escalated",
    from: "baseline",
    reason: "tests_red",
    detail,
    options: ["retry", "accept", "skip"],
  };
}

/** Leaves the current phase. After the last phase, decides how the run ends or asks the user. */
function leavePhase(run: ActiveRun): readonly EventDraft[] {
  const left: EventDraft = { type: "phase.left" };
  if (indexAfter(run.phases, run.index) < run.phases.length) return [left];
  const ends = waysToFinish(run);
  const wanted = run.run.options.finish;
  if (wanted === "ask" && ends.length > 1) return [left, { type: "finish.asked", options: [...ends] }];
  const how = wanted === "merge" && ends.includes("merge") ? "merge" : "keep";
  return [left, { type: "finish.chosen", how, by: "engine" }];
}

const USUAL: readonly Finish[] = ["merge", "squash", "pr", "keep"];

export function waysToFinish(run: ActiveRun): readonly Finish[] {
  const git = run.run.git;
  const mergeable = git !== null && git.branch !== null && git.base !== null && run.run.options.commits !== "none";
  const ends = run.run.options.ends ?? USUAL;
  return mergeable ? ends : ends.filter((how) => how === "keep" || how === "discard");
}
