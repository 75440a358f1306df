import { isGateDue, supervisionWarnings, tighten } from "../../core/supervision.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Projections } from "../../ports/projections.ts";
import { phaseNumber } from "../../schema/ids.ts";
import type { SettingsReading } from "../../schema/facts.ts";
import type { PhaseRule, Supervision } from "../../schema/plan.ts";
import { flag, type Invocation, text } from "./grammar/verb.ts";

export type Resolved = {
  readonly supervision: Supervision;
  readonly minimal: boolean;
  readonly warnings: readonly string[];
  readonly lines: readonly string[];
  /** The block as it stands when the run begins. */
  readonly settings: SettingsReading;
};

/** Supervision as it will hold for the run: the flags first, else the block in state.json. */
export function resolveSupervision(
  invocation: Invocation,
  projections: Projections,
  plan: readonly PhaseRule[],
): Resolved {
  const resolved = chosenSupervision(invocation, projections, plan);
  return { ...resolved, settings: projections.settings() };
}

function chosenSupervision(
  invocation: Invocation,
  projections: Projections,
  plan: readonly PhaseRule[],
): Omit<Resolved, "settings"> {
  const found = projections.settings();
  const minimal = found.is === "set" && found.minimal;
  const warnings = supervisionWarnings(projections.stateFile());
  const review = text(invocation.values, "review");
  if (review !== undefined) {
    const phases = chosenPhases(review, plan, invocation.verb.usage);
    const supervision = tighten({ enabled: true, phases }, found); // the flag adds to what the project asks for
    const where = supervision.phases === "all" ? "every phase, as the project asks" : supervision.phases.join(", ");
    return { supervision, minimal, warnings, lines: [`Review gates after ${where}.`] };
  }
  if (flag(invocation.values, "supervised")) {
    const phases = found.is === "set" ? found.phases : "all";
    switchOn(projections, phases);
    return { supervision: { enabled: true, phases }, minimal, warnings: [], lines: enabledLines(phases, plan) };
  }
  if (found.is !== "set") return { supervision: { enabled: false, phases: "all" }, minimal, warnings, lines: [] };
  const { enabled, phases } = found;
  const lines = enabled ? [...enabledLines(phases, plan), "The settings in .isdlc/state.json say so."] : [];
  return { supervision: { enabled, phases }, minimal, warnings, lines };
}

function enabledLines(phases: Supervision["phases"], plan: readonly PhaseRule[]): string[] {
  const where = phases === "all" ? "every phase" : `phases ${phases.join(", ")}`;
  const hasGate = plan.some(({ key }) => isGateDue({ enabled: true, phases }, key));
  const none = hasGate ? [] : ["None of these phases is in this workflow: there will be no gate."];
  return [`Supervised mode: ENABLED (review gates after ${where})`, ...none];
}

function switchOn(projections: Projections, phases: Supervision["phases"]): void {
  projections.writeStateFile(({ user, version }) => {
    const block = user["supervised_mode"];
    const kept = typeof block === "object" && block !== null && !Array.isArray(block) ? block : {};
    const defaults = { review_phases: phases, parallel_summary: true, auto_advance_timeout: null };
    const supervised_mode = { ...defaults, ...kept, enabled: true, review_phases: phases };
    return { ...user, state_version: version + 1, supervised_mode };
  });
}

function chosenPhases(list: string, plan: readonly PhaseRule[], usage: string): string[] {
  const names = list.split(",").map((name) => name.trim());
  const valid = plan.flatMap(({ key }) => [key, phaseNumber(key)]);
  const unknown = names.find((name) => !valid.includes(name));
  if (unknown === undefined) return names;
  const keys = plan.map(({ key }) => phaseNumber(key));
  const detail = `--review "${unknown}" is no phase of this workflow; it has ${keys.join(", ")}.`;
  throw new ProblemError({ code: "USAGE", detail, usage });
}
