import type { EventDraft } from "../../schema/event.ts";
import type { Sizing } from "../../schema/facts.ts";
import type { AfterStep } from "../../schema/plan.ts";
import { type ActiveRun, currentPhase, type SizingDecision } from "../run.ts";
import { MIN_LIGHT_PHASES } from "../sizing.ts";
import { leavePhase } from "./leave-phase.ts";

/** What follows an accepted phase: the next due step of its own, else the next phase. */
export function afterPhase(run: ActiveRun, done: AfterStep | null = null): readonly EventDraft[] {
  const phase = currentPhase(run);
  const steps = phase?.rule.after ?? [];
  const left = done === null ? steps : steps.slice(steps.indexOf(done) + 1);
  const refinable = !run.refined && phase?.status !== "skipped";
  const due = left.find((step) => (step === "sizing" ? run.sizing === null : refinable));
  return due === undefined ? leavePhase(run) : [{ type: "after.started", step: due }];
}

type By = SizingDecision["by"];

/** Records how large the work is and goes on. Light leaves out the phases that say so; anything else keeps them. */
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

/** What it leaves out is left out of the build that follows: that is the rest of its workflow. */
const isAnalysis = ({ run }: ActiveRun): boolean => run.scope === "item";

/** Later phases that a light run does without; null when what is left would be no workflow any more. */
function droppable(run: ActiveRun): string[] | null {
  const later = run.phases.slice(run.index + 1);
  const drop = later.filter(({ rule }) => rule.whenLight === "drop").map(({ rule }) => rule.key);
  const goesOn = drop.length < later.length && run.phases.length - drop.length >= MIN_LIGHT_PHASES;
  return drop.length === 0 || goesOn || isAnalysis(run) ? drop : null;
}
