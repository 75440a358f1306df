import { completionTimes, type ItemMeta, type MetaFields } from "../../core/items/item-meta.ts";
import { computeStartPhase, type StartPhase } from "../../core/items/start-phase.ts";
import { findPhaseKey } from "../../core/phase-names.ts";
import { describe } from "../../core/problem.ts";
import { currentPhase } from "../../core/run.ts";
import type { FoundItem } from "../../ports/items.ts";
import type { WorkflowDefinition } from "../../schema/plan.ts";
import { buildSummary, partialAnalysis, skipWarning } from "../../views/build-summary.ts";
import { plainLine } from "../../views/plain-text.ts";
import { currentRun } from "../project/current-run.ts";
import type { PlanningContext } from "./planning.ts";
import { planStaleness } from "./plan-staleness.ts";
import type { BuildTarget } from "./run-request.ts";
import { lightSizing } from "../../core/items/tier.ts";

export type Subject = {
  readonly definition: WorkflowDefinition;
  readonly item: FoundItem;
  /** Name of the folder to work in; null to draw a number. */
  readonly folder: string | null;
};

/** Determines the first phase of an item's build. Writes nothing. */
export async function planBuild(planning: PlanningContext, subject: Subject): Promise<BuildTarget> {
  const { definition, item, folder } = subject;
  await resolveOpenAnalysis(planning, item);
  const recorded = readMeta(planning, item);
  const now = planning.project.clock.now();
  const light = planning.request.wishes.light === true ? lightSizing(recorded, definition, now) : null;
  const meta = recorded === null || light === null ? recorded : { ...recorded, ...light };
  const found = computeStartPhase(meta, listPhaseKeys(definition), listAnalysisPhases(definition));
  planning.notes.push(...found.warnings.map((warning) => `warning: ${warning}`));
  const named = namedStart(planning, definition);
  if (named !== null) {
    const analysed = found.completedPhases.filter((key) => !named.includes(key));
    const start = { ...found, completedPhases: analysed, remainingPhases: named };
    planning.notes.push(summarize({ item: folder ?? item.slug, meta, start }));
    return { folder, phases: named, analysed, record: {} };
  }
  const fresh = await withStaleness(planning, subject, { meta, found });
  const { start, record, warnings = [] } = withPartial(planning, subject, fresh);
  planning.notes.push(...warnings);
  const summary = summarize({ item: folder ?? item.slug, meta, start });
  planning.notes.push(summary);
  const about = [...summary.split("\n"), ...warnings];
  if (start.status !== "raw") planning.choices.resolve({ ...PROCEED, about }, "yes");
  const sized = start.status === "raw" ? {} : light;
  return { folder, phases: start.remainingPhases, analysed: start.completedPhases, record: { ...sized, ...record } };
}

/** Asks the user to confirm a build during an open analysis of the same item, because its results may still change. */
async function resolveOpenAnalysis({ project, choices, notes }: PlanningContext, item: FoundItem): Promise<void> {
  const sibling = item.dir === null ? undefined : project.siblings().find((one) => one.item === item.slug);
  const state = sibling === undefined ? null : (await currentRun(sibling)).state;
  if (state?.is !== "active") return;
  const name = plainLine(item.slug);
  const phase = currentPhase(state)?.rule.key ?? "its end";
  const about = [
    `warning: The analysis of ${name} is open, at ${phase}. The build would start from the analysis recorded so far.`,
    `To continue the analysis first: isdlc analyze ${name}`,
  ];
  const choice = { id: "analysis", kind: "confirm", options: ["yes"], about } as const;
  if (choices.wished<"yes">(choice) === "yes") notes.push(...about);
  else choices.resolve<"yes">(choice, "yes");
}

const PROCEED = {
  id: "proceed",
  kind: "confirm",
  options: ["yes"],
  declined: ["Build cancelled. Nothing was written."],
} as const;

/** Returns the phases from the requested one on; all phases if it does not exist; null if none was requested. */
export function namedStart({ request, notes }: PlanningContext, definition: WorkflowDefinition): string[] | null {
  const wanted = request.wishes.startPhase;
  if (wanted === undefined) return null;
  const valid = listPhaseKeys(definition);
  const index = valid.indexOf(findPhaseKey(valid, wanted) ?? "");
  if (index !== -1) return valid.slice(index);
  const phase = wanted.slice(0, 80);
  const problem = { code: "START_PHASE_INVALID", phase, workflow: definition.name, valid } as const;
  const { what, fix } = describe(problem);
  notes.push(`warning: ${problem.code} (${ORCHESTRATOR_CODE}): ${what} ${fix}`);
  return valid;
}

/** Name of this warning in scripts and documents for the earlier framework. */
const ORCHESTRATOR_CODE = "ERR-ORCH-INVALID-START-PHASE";

function readMeta({ project, notes }: PlanningContext, item: FoundItem): ItemMeta | null {
  if (item.dir === null) return null;
  const reading = project.items.inspect(item);
  if (reading.is === "damaged") notes.push(`warning: ${reading.warning}`);
  if (reading.is === "found") notes.push(...reading.warnings.map((warning) => `warning: ${warning}`));
  return reading.is === "found" ? reading.meta : null;
}

type BuildStart = { readonly meta: ItemMeta | null; readonly found: StartPhase };
type Start = { readonly start: StartPhase; readonly record: MetaFields; readonly warnings?: readonly string[] };

async function withStaleness(planning: PlanningContext, subject: Subject, { meta, found }: BuildStart): Promise<Start> {
  const { item, definition } = subject;
  if (found.status === "raw" || meta === null) return { start: found, record: {} };
  const { choice, record } = await planStaleness(planning, { item, meta });
  if (choice === "reanalyze") return { start: startAnew(definition), record };
  if (choice !== "rescan") return { start: found, record };
  const scan = listPhaseKeys(definition)[0] ?? "";
  const remainingPhases = [scan, ...found.remainingPhases.filter((key) => key !== scan)];
  return { start: { ...found, remainingPhases }, record };
}

const UNFINISHED = ["resume", "skip", "restart"] as const;

/** Plans an incomplete analysis: continue it, skip the rest, or start again. */
function withPartial(planning: PlanningContext, { definition }: Subject, before: Start): Start {
  const { start, record } = before;
  if (start.status !== "partial") return before;
  const analysis = listAnalysisPhases(definition);
  const isMissing = (key: string): boolean => analysis.includes(key) && !start.completedPhases.includes(key);
  const missing = start.remainingPhases.filter(isMissing);
  const about = partialAnalysis(start.completedPhases, missing).split("\n");
  const choice = planning.choices.resolve<(typeof UNFINISHED)[number]>(
    { id: "partial", kind: "partial", options: UNFINISHED, about },
    "resume",
  );
  switch (choice) {
    case "resume":
      return before;
    case "skip":
      return {
        start: { ...start, remainingPhases: start.remainingPhases.filter((key) => !isMissing(key)) },
        record,
        warnings: [skipWarning],
      };
    case "restart":
      return { start: startAnew(definition), record: { ...record, phases_completed: [], analysis_status: "raw" } };
    default:
      return choice satisfies never;
  }
}

type BuildNotice = { readonly item: string; readonly meta: ItemMeta | null; readonly start: StartPhase };

/** Returns the summary of a build. Its question is a separate choice. */
function summarize({ item, meta, start }: BuildNotice): string {
  const completedPhases = start.completedPhases.filter((key) => !start.remainingPhases.includes(key));
  return buildSummary({ item, ...start, completedPhases, completedAt: completionTimes(meta) }).text;
}

const listPhaseKeys = ({ phases }: WorkflowDefinition): string[] => phases.map(({ key }) => key);
const listAnalysisPhases = ({ phases }: WorkflowDefinition): string[] =>
  phases.filter(({ analysis }) => analysis).map(({ key }) => key);

const startAnew = (definition: WorkflowDefinition): StartPhase => ({
  status: "raw",
  startPhase: null,
  completedPhases: [],
  remainingPhases: listPhaseKeys(definition),
  warnings: [],
});
