import { completionTimes, type ItemMeta, type MetaFields } from "../../core/items/item-meta.ts";
import { computeStartPhase, type StartPhase } from "../../core/items/start-phase.ts";
import { describe } from "../../core/problem.ts";
import type { FoundItem } from "../../ports/items.ts";
import type { WorkflowDefinition } from "../../schema/plan.ts";
import { buildSummary, partialAnalysis, proceedPrompt, skipWarning } from "../../views/build-summary.ts";
import type { Planning } from "./planning.ts";
import { planStaleness } from "./plan-staleness.ts";
import type { BuildTarget } from "./run-request.ts";

export type Subject = {
  readonly definition: WorkflowDefinition;
  readonly item: FoundItem;
  /** Name of the folder to work in; null where a number is drawn. */
  readonly folder: string | null;
};

/** Finds out where the build of an item starts. Writes nothing. */
export async function planBuild(planning: Planning, subject: Subject): Promise<BuildTarget> {
  const { definition, item, folder } = subject;
  const meta = metaOf(planning, item);
  const found = computeStartPhase(meta, keysOf(definition), analysisOf(definition));
  planning.notes.push(...found.warnings.map((warning) => `warning: ${warning}`));
  const named = namedStart(planning, definition);
  if (named !== null) {
    const analysed = found.completedPhases.filter((key) => !named.includes(key));
    const start = { ...found, completedPhases: analysed, remainingPhases: named };
    tell(planning, { item: folder ?? item.slug, meta, start });
    return { folder, phases: named, analysed, record: {} };
  }
  const fresh = await withStaleness(planning, subject, { meta, found });
  const { start, record } = withPartial(planning, subject, fresh);
  tell(planning, { item: folder ?? item.slug, meta, start });
  if (start.status !== "raw") planning.choices.settle(PROCEED, "yes");
  return { folder, phases: start.remainingPhases, analysed: start.completedPhases, record };
}

const PROCEED = {
  id: "proceed",
  kind: "confirm",
  options: ["yes"],
  about: ["The build starts after the analysis that is done already."],
  declined: ["Build cancelled. Nothing was written."],
} as const;

/** The phases from the one that is wished for; the whole workflow when there is no such phase; null without a wish. */
export function namedStart({ request, notes }: Planning, definition: WorkflowDefinition): string[] | null {
  const wanted = request.wishes.startPhase;
  if (wanted === undefined) return null;
  const valid = keysOf(definition);
  const index = valid.indexOf(wanted);
  if (index !== -1) return valid.slice(index);
  const phase = wanted.slice(0, 80);
  const problem = { code: "START_PHASE_INVALID", phase, workflow: definition.name, valid } as const;
  const { what, fix } = describe(problem);
  notes.push(`warning: ${problem.code}: ${what} ${fix}`);
  return valid;
}

function metaOf({ project, notes }: Planning, item: FoundItem): ItemMeta | null {
  if (item.dir === null) return null;
  const reading = project.items.inspect(item);
  if (reading.is === "damaged") notes.push(`warning: ${reading.warning}`);
  return reading.is === "found" ? reading.meta : null;
}

type Found = { readonly meta: ItemMeta | null; readonly found: StartPhase };
type Start = { readonly start: StartPhase; readonly record: MetaFields };

async function withStaleness(planning: Planning, subject: Subject, { meta, found }: Found): Promise<Start> {
  const { item, definition } = subject;
  if (found.status === "raw" || meta === null) return { start: found, record: {} };
  const { choice, record } = await planStaleness(planning, { item, meta });
  if (choice === "reanalyze") return { start: startAnew(definition), record };
  if (choice !== "rescan") return { start: found, record };
  const scan = keysOf(definition)[0] ?? "";
  const remainingPhases = [scan, ...found.remainingPhases.filter((key) => key !== scan)];
  return { start: { ...found, remainingPhases }, record };
}

const UNFINISHED = ["resume", "skip", "restart"] as const;

/** An analysis that stopped midway: go on with it, do without the rest, or begin again. */
function withPartial(planning: Planning, { definition }: Subject, before: Start): Start {
  const { start, record } = before;
  if (start.status !== "partial") return before;
  const analysis = analysisOf(definition);
  const isMissing = (key: string): boolean => analysis.includes(key) && !start.completedPhases.includes(key);
  const missing = start.remainingPhases.filter(isMissing);
  const about = partialAnalysis(start.completedPhases, missing).split("\n");
  const choice = planning.choices.settle<(typeof UNFINISHED)[number]>(
    { id: "partial", kind: "partial", options: UNFINISHED, about },
    "resume",
  );
  switch (choice) {
    case "resume":
      return before;
    case "skip":
      planning.notes.push(skipWarning);
      return { start: { ...start, remainingPhases: start.remainingPhases.filter((key) => !isMissing(key)) }, record };
    case "restart":
      return { start: startAnew(definition), record: { ...record, phases_completed: [], analysis_status: "raw" } };
    default:
      return choice satisfies never;
  }
}

type Told = { readonly item: string; readonly meta: ItemMeta | null; readonly start: StartPhase };

/** The question is a choice of its own. */
function tell({ notes }: Planning, { item, meta, start }: Told): void {
  const summary = buildSummary({ item, ...start, completedAt: completionTimes(meta) });
  notes.push(summary.replace(`\n\n${proceedPrompt}`, ""));
}

const keysOf = ({ phases }: WorkflowDefinition): string[] => phases.map(({ key }) => key);
const analysisOf = ({ phases }: WorkflowDefinition): string[] =>
  phases.filter(({ analysis }) => analysis).map(({ key }) => key);

const startAnew = (definition: WorkflowDefinition): StartPhase => ({
  status: "raw",
  startPhase: null,
  completedPhases: [],
  remainingPhases: keysOf(definition),
  warnings: [],
});
