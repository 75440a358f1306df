import { parseEarlierState } from "../../core/items/earlier-state.ts";
import { isRecord } from "../../core/own-value.ts";
import { findPhaseKey } from "../../core/phase-names.ts";
import { ProblemError } from "../../core/problem.ts";
import type { RunState } from "../../core/run.ts";
import { isGateDue, readingFor, reviewPhasesWarnings, supervisionWarnings, tighten } from "../../core/supervision.ts";
import type { Projections } from "../../ports/projections.ts";
import type { SettingsReading } from "../../schema/facts.ts";
import { phaseNumber } from "../../schema/ids.ts";
import type { PhaseRule, Supervision, WorkflowDefinition } from "../../schema/plan.ts";
import { currentRun } from "../project/current-run.ts";
import type { Project } from "../project/project.ts";
import type { PlanningContext } from "./planning.ts";
import { earlierWorkflow } from "../../views/open-run.ts";

export type SupervisionPlan = {
  readonly supervision: Supervision;
  readonly minimal: boolean;
  readonly warnings: readonly string[];
  readonly lines: readonly string[];
  /** The settings block at the start of the run. */
  readonly settings: SettingsReading;
  /** Phases to enable in the settings once the run is opened; null to leave the settings unchanged. */
  readonly switchesOn: Supervision["phases"] | null;
};

type PlannedPhases = { readonly definition: WorkflowDefinition; readonly phases: readonly PhaseRule[] };

/** Plans the run's supervision: from the request, else from the block in the working tree's state.json. */
export async function planSupervision(planning: PlanningContext, work: PlannedPhases): Promise<SupervisionPlan> {
  const { projections } = planning.project;
  const open = parseEarlierState(projections.stateFile())?.open ?? null;
  const told = open === null ? [] : [earlierWorkflow(open)];
  const plan = chosenSupervision(planning, work, await resolveDamaged(planning));
  const lost = await lostSettings(planning, plan);
  return { ...plan, warnings: [...told, ...lost, ...plan.warnings] };
}

/** Warns before a run without gates if settings gave the last run here gates, and are missing now. */
async function lostSettings({ project, request }: PlanningContext, plan: SupervisionPlan): Promise<string[]> {
  const isChosen = plan.supervision.enabled || request.wishes.isSupervised !== undefined;
  if (isChosen || project.projections.settings().is !== "absent") return [];
  const runs = await lastRuns(project);
  return runs.some(hadGatesBySettings) ? [LOST_SETTINGS] : [];
}

function hadGatesBySettings(state: RunState): boolean {
  if (state.is === "none" || !state.supervision.enabled) return false;
  const { settings } = state.run;
  return settings?.is === "set" && settings.enabled;
}

const LOST_SETTINGS =
  "The last run here had review gates, but supervised_mode is missing from .isdlc/state.json now: this run has no gates. For gates: --supervised";

const DAMAGED = {
  id: "supervision",
  kind: "supervision",
  options: ["supervised", "autonomous"],
  about: ["warning: supervised_mode in .isdlc/state.json cannot be read, and the last run here had review gates."],
} as const;

/** Asks before a damaged file removes the gates of a supervised project. Returns true to enable them again. */
async function resolveDamaged({ project, request, choices }: PlanningContext): Promise<boolean> {
  const { isSupervised, review } = request.wishes;
  const isSaid = isSupervised !== undefined || review !== undefined;
  if (project.projections.settings().is !== "unreadable" || isSaid) return false;
  if (!(await wasSupervised(project))) return false;
  return choices.resolve<(typeof DAMAGED.options)[number]>(DAMAGED, "supervised") === "supervised";
}

async function wasSupervised(project: Project): Promise<boolean> {
  return (await lastRuns(project)).some((state) => state.is !== "none" && state.supervision.enabled);
}

/** Returns the last run of the working tree and of each item. */
async function lastRuns(project: Project): Promise<RunState[]> {
  const runs = await Promise.all([project, ...project.siblings()].map((one) => currentRun(one)));
  return runs.map(({ state }) => state);
}

function chosenSupervision(
  { project, request }: PlanningContext,
  work: PlannedPhases,
  isWanted: boolean,
): SupervisionPlan {
  const { projections } = project;
  const { definition, phases: plan } = work;
  const workflow = { name: definition.name, phases: definition.phases.map(({ key }) => key) };
  const settings = projections.settings();
  const found = readingFor(settings, workflow.phases);
  const minimal = found.is === "set" && found.minimal;
  const state = projections.stateFile();
  const ofPhases = reviewPhasesWarnings(state, workflow);
  const common = { minimal, warnings: [...supervisionWarnings(state), ...ofPhases], settings, switchesOn: null };
  const { review, isSupervised } = request.wishes;
  if (isSupervised === false) {
    refuseScript(request, found);
    return { ...common, supervision: { enabled: false, phases: "all" }, lines: offLines(found) };
  }
  if (review !== undefined) {
    const supervision = tighten({ enabled: true, phases: knownPhases(review, plan) }, found); // adds to the project's gates
    const where = supervision.phases === "all" ? "every phase, as the project asks" : supervision.phases.join(", ");
    return { ...common, supervision, lines: [`Review gates after ${where}.`] };
  }
  if (isSupervised === true || isWanted) return { ...switchedOn({ settings, found }, plan), warnings: ofPhases };
  if (found.is !== "set") return { ...common, supervision: { enabled: false, phases: "all" }, lines: [] };
  const { enabled, phases } = found;
  const lines = enabled ? [...enabledLines(phases, plan), BY_SETTINGS] : [];
  const warnings = enabled ? common.warnings : supervisionWarnings(state);
  return { ...common, warnings, supervision: { enabled, phases }, lines };
}

type Readings = { readonly settings: SettingsReading; readonly found: SettingsReading };

/** Returns supervision that the user enables for this run and later ones. */
export function switchedOn(
  { settings, found }: Readings,
  plan: readonly PhaseRule[],
): Omit<SupervisionPlan, "warnings"> {
  const phases = found.is === "set" ? found.phases : "all";
  const minimal = found.is === "set" && found.minimal;
  const switchesOn = settings.is === "set" ? settings.phases : "all";
  const isNew = !(settings.is === "set" && settings.enabled);
  return {
    minimal,
    settings: { is: "set", enabled: true, phases: switchesOn, minimal },
    switchesOn,
    supervision: { enabled: true, phases },
    lines: [...enabledLines(phases, plan), ...(isNew ? STAYS_ON : [])],
  };
}

/** Enables supervision in the settings. Returns a warning to display, if any. */
export function switchOn(projections: Projections, phases: Supervision["phases"]): string | null {
  return projections.writeSettings((user) => {
    const block = user["supervised_mode"];
    const kept = isRecord(block) ? block : {};
    const defaults = { review_phases: phases, parallel_summary: true, auto_advance_timeout: null };
    return { ...user, supervised_mode: { ...defaults, ...kept, enabled: true, review_phases: phases } };
  });
}

const STAYS_ON = [
  "It stays on for later runs here; for one run without gates: --no-supervised.",
  "To undo: isdlc config set supervised-mode.enabled false",
];
const BY_SETTINGS = "It is enabled in .isdlc/state.json. For one run without gates: --no-supervised.";

/**
 * Refuses a script that disables the project's gates; this needs a person.
 * @throws ProblemError NEEDS_PERSON
 */
function refuseScript({ by }: PlanningContext["request"], found: SettingsReading): void {
  const hasGates = found.is === "unreadable" || (found.is === "set" && found.enabled);
  if (hasGates && by.channel === "script") throw new ProblemError({ code: "NEEDS_PERSON", verb: "--no-supervised" });
}

const offLines = (found: SettingsReading): string[] =>
  found.is === "set" && found.enabled ? ["Supervised mode is off for this run; the project's settings stay on."] : [];

function enabledLines(phases: Supervision["phases"], plan: readonly PhaseRule[]): string[] {
  const where = phases === "all" ? "every phase" : `phases ${phases.join(", ")}`;
  const hasGate = plan.some(({ key }) => isGateDue({ enabled: true, phases }, key));
  const none = hasGate ? [] : ["This run contains none of these phases and has no review gates."];
  return [`Supervised mode: ENABLED (review gates after ${where})`, ...none];
}

/**
 * Returns the phases with their keys or numbers; a name without its number is converted to its key.
 * @throws ProblemError USAGE for a phase that is not listed
 */
export function knownPhases(names: readonly string[], phases: readonly Pick<PhaseRule, "key">[]): string[] {
  const all = phases.map(({ key }) => key);
  const isGiven = (name: string): boolean => all.some((key) => key === name || phaseNumber(key) === name);
  const found = names.map((name) => (isGiven(name) ? name : findPhaseKey(all, name)));
  const unknown = names.find((_name, at) => found[at] === undefined);
  if (unknown === undefined) return found.filter((name) => name !== undefined);
  const keys = all.map((key) => phaseNumber(key));
  const detail = `Invalid value for --review: this workflow has no phase "${unknown}"; it has ${keys.join(", ")}.`;
  throw new ProblemError({ code: "USAGE", detail, usage: `--review ${keys.slice(0, 2).join(",")}` });
}
