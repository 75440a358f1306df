import { inspectMeta } from "../../adapters/items/meta-file.ts";
import type { FoundItem } from "../../adapters/items/resolve-item.ts";
import { completionTimes, type ItemMeta, type MetaFields } from "../../core/items/item-meta.ts";
import { computeStartPhase, type StartPhase } from "../../core/items/start-phase.ts";
import { describe } from "../../core/problem.ts";
import type { WorkflowDefinition } from "../../schema/plan.ts";
import { buildSummary, partialAnalysis, proceedPrompt, skipWarning } from "../../views/build-summary.ts";
import { ask, askAbout } from "./terminal/ask.ts";
import { ChoiceNeeded } from "./grammar/choice.ts";
import type { LocalProject } from "../../compose/project.ts";
import { resolveStaleness } from "./resolve-staleness.ts";
import { flag, type Invocation, text } from "./grammar/verb.ts";

/** Where a build starts, and what it builds on. */
export type BuildTarget = {
  /** Folder of an item that has one, or is to have one of this name; null where a number is drawn. */
  readonly folder: string | null;
  /** Phases to run, in order. */
  readonly phases: readonly string[];
  /** Analysis phases that were done before. */
  readonly analysed: readonly string[];
  /** To be kept in the item's record once the run is open. */
  readonly record: MetaFields;
};

type Subject = {
  readonly project: LocalProject;
  readonly definition: WorkflowDefinition;
  readonly item: FoundItem;
  /** Name of the folder to work in; null where a number is drawn. */
  readonly folder: string | null;
  readonly by: string;
};

/** Finds out where the build of an item starts, and asks where the person must choose. Writes nothing. */
export async function detectBuild(invocation: Invocation, subject: Subject): Promise<BuildTarget> {
  const { definition, item, folder } = subject;
  const meta = metaOf(invocation, item);
  const found = computeStartPhase(meta, keysOf(definition), analysisOf(definition));
  for (const warning of found.warnings) invocation.io.err(`warning: ${warning}`);
  const named = namedStart(invocation, definition);
  if (named !== null) {
    const analysed = found.completedPhases.filter((key) => !named.includes(key));
    show(invocation, {
      item: folder ?? item.slug,
      meta,
      start: { ...found, completedPhases: analysed, remainingPhases: named },
    });
    return { folder, phases: named, analysed, record: {} };
  }
  const fresh = await withStaleness(invocation, subject, { meta, found });
  const { start, record } = await withPartial(invocation, subject, fresh);
  show(invocation, { item: folder ?? item.slug, meta, start });
  if (start.status !== "raw") await confirm(invocation);
  return { folder, phases: start.remainingPhases, analysed: start.completedPhases, record };
}

/** The phases from the one that --start-phase names; the whole workflow when it names none; null without the option. */
export function namedStart({ values, io }: Invocation, definition: WorkflowDefinition): string[] | null {
  const wanted = text(values, "start-phase");
  if (wanted === undefined) return null;
  const valid = keysOf(definition);
  const index = valid.indexOf(wanted);
  if (index !== -1) return valid.slice(index);
  const problem = {
    code: "START_PHASE_INVALID",
    phase: wanted.slice(0, 80),
    workflow: definition.name,
    valid,
  } as const;
  const { what, fix } = describe(problem);
  io.err(`warning: ${problem.code}: ${what} ${fix}`);
  return valid;
}

function metaOf(invocation: Invocation, item: FoundItem): ItemMeta | null {
  if (item.dir === null) return null;
  const reading = inspectMeta(item.dir);
  if (reading.is === "damaged") invocation.io.err(`warning: ${reading.warning}`);
  return reading.is === "found" ? reading.meta : null;
}

type Found = { readonly meta: ItemMeta | null; readonly found: StartPhase };
type Start = { readonly start: StartPhase; readonly record: MetaFields };

async function withStaleness(invocation: Invocation, subject: Subject, { meta, found }: Found): Promise<Start> {
  const { project, item, definition, by } = subject;
  if (found.status === "raw" || meta === null) return { start: found, record: {} };
  const { choice, record } = await resolveStaleness(invocation, { project, item, meta }, by);
  if (choice === "reanalyze") return { start: startAnew(definition), record };
  if (choice !== "rescan") return { start: found, record };
  const scan = keysOf(definition)[0] ?? "";
  const remainingPhases = [scan, ...found.remainingPhases.filter((key) => key !== scan)];
  return { start: { ...found, remainingPhases }, record };
}

/** An analysis that stopped midway: go on with it, do without the rest, or begin again. */
async function withPartial(invocation: Invocation, { definition }: Subject, before: Start): Promise<Start> {
  const { start, record } = before;
  if (start.status !== "partial") return before;
  const analysis = analysisOf(definition);
  const isMissing = (key: string): boolean => analysis.includes(key) && !start.completedPhases.includes(key);
  const missing = start.remainingPhases.filter(isMissing);
  const choice = await choosePartial(invocation, partialAnalysis(start.completedPhases, missing).split("\n"));
  switch (choice) {
    case "resume":
      return before;
    case "skip":
      invocation.io.err(skipWarning);
      return { start: { ...start, remainingPhases: start.remainingPhases.filter((key) => !isMissing(key)) }, record };
    case "restart":
      return { start: startAnew(definition), record: { ...record, phases_completed: [], analysis_status: "raw" } };
    default:
      return choice satisfies never;
  }
}

type Unfinish = "resume" | "skip" | "restart";

async function choosePartial({ values, io }: Invocation, about: readonly string[]): Promise<Unfinish> {
  const flagged = text(values, "on-partial");
  if (flagged === "resume" || flagged === "skip" || flagged === "restart") return flagged;
  const key = await askAbout(io, about, ["r", "s", "f"]);
  if (key !== null) return ({ r: "resume", s: "skip", f: "restart" } as const)[key];
  const options = ["resume", "skip", "restart"];
  throw new ChoiceNeeded({ kind: "partial", options, flag: "--on-partial <option>", about });
}

async function confirm({ values, io }: Invocation): Promise<void> {
  if (flag(values, "yes") || (await ask(io, "Proceed?", []))) return;
  const about = io.interactive
    ? ["Build cancelled. Nothing was written."]
    : ["The build starts after the analysis that is done already."];
  throw new ChoiceNeeded({ kind: "confirm", options: ["yes"], flag: "--yes", about });
}

type Shown = { readonly item: string; readonly meta: ItemMeta | null; readonly start: StartPhase };

/** The question is asked by the prompt itself. */
function show({ io }: Invocation, { item, meta, start }: Shown): void {
  const summary = buildSummary({ item, ...start, completedAt: completionTimes(meta) });
  io.err(summary.replace(`\n\n${proceedPrompt}`, ""));
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
