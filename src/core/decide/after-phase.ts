import type { EventDraft } from "../../schema/event.ts";
import type { Sizing } from "../../schema/facts.ts";
import type { AfterStep } from "../../schema/plan.ts";
import { type ActiveRun, currentPhase, type SizingDecision } from "../run.ts";
import { MIN_LIGHT_PHASES } from "../sizing.ts";
import { leavePhase } from "./leave-phase.ts";

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
