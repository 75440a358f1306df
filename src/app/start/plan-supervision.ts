import { isRecord } from "../../core/own-value.ts";
import { ProblemError } from "../../core/problem.ts";
import { isGateDue, supervisionWarnings, tighten } from "../../core/supervision.ts";
import type { Projections } from "../../ports/projections.ts";
import type { SettingsReading } from "../../schema/facts.ts";
import { phaseNumber } from "../../schema/ids.ts";
import type { PhaseRule, Supervision } from "../../schema/plan.ts";
import type { RunWishes } from "./run-request.ts";

export type SupervisionPlan = {
  readonly supervision: Supervision;
  readonly minimal: boolean;
  readonly warnings: readonly string[];
  readonly lines: readonly string[];
  /** The block as it stands when the run begins. */
  readonly settings: SettingsReading;
  /** True where the settings are to be switched on once the run is opened. */
  readonly switchesOn: boolean;
};

type Wish = Pick<RunWishes, "isSupervised" | "review">;

/** Supervision as it will hold for the run: as wished, else as the block in state.json says. */
export function planSupervision(wish: Wish, projections: Projections, plan: readonly PhaseRule[]): SupervisionPlan {
  const found = projections.settings();
  const minimal = found.is === "set" && found.minimal;
  const warnings = supervisionWarnings(projections.stateFile());
  const common = { minimal, warnings, settings: found, switchesOn: false };
  if (wish.review !== undefined) {
    const phases = chosenPhases(wish.review, plan);
    const supervision = tighten({ enabled: true, phases }, found); // the wish adds to what the project asks for
    const where = supervision.phases === "all" ? "every phase, as the project asks" : supervision.phases.join(", ");
    return { ...common, supervision, lines: [`Review gates after ${where}.`] };
  }
  if (wish.isSupervised === true) {
    const phases = found.is === "set" ? found.phases : "all";
    const supervision = { enabled: true, phases };
    const settings: SettingsReading = { is: "set", enabled: true, phases, minimal };
    return { minimal, warnings: [], settings, switchesOn: true, supervision, lines: enabledLines(phases, plan) };
  }
  if (found.is !== "set") return { ...common, supervision: { enabled: false, phases: "all" }, lines: [] };
  const { enabled, phases } = found;
  const lines = enabled ? [...enabledLines(phases, plan), "The settings in .isdlc/state.json say so."] : [];
  return { ...common, supervision: { enabled, phases }, lines };
}

/** Puts into the settings that the person wants supervision. */
export function switchOn(projections: Projections, { phases }: Supervision): void {
  projections.writeStateFile(({ user, version }) => {
    const block = user["supervised_mode"];
    const kept = isRecord(block) ? block : {};
    const defaults = { review_phases: phases, parallel_summary: true, auto_advance_timeout: null };
    const supervised_mode = { ...defaults, ...kept, enabled: true, review_phases: phases };
    return { ...user, state_version: version + 1, supervised_mode };
  });
}

function enabledLines(phases: Supervision["phases"], plan: readonly PhaseRule[]): string[] {
  const where = phases === "all" ? "every phase" : `phases ${phases.join(", ")}`;
  const hasGate = plan.some(({ key }) => isGateDue({ enabled: true, phases }, key));
  const none = hasGate ? [] : ["None of these phases is in this workflow: there will be no gate."];
  return [`Supervised mode: ENABLED (review gates after ${where})`, ...none];
}

function chosenPhases(names: readonly string[], plan: readonly PhaseRule[]): string[] {
  const valid = plan.flatMap(({ key }) => [key, phaseNumber(key)]);
  const unknown = names.find((name) => !valid.includes(name));
  if (unknown === undefined) return [...names];
  const keys = plan.map(({ key }) => phaseNumber(key));
  const detail = `Invalid value for --review: this workflow has no phase "${unknown}"; it has ${keys.join(", ")}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: `--review ${keys.slice(0, 2).join(",")}` });
}
