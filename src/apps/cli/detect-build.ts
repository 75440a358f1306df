import { createDetection } from "../../adapters/git/git-distance.ts";
import { inspectMeta, mergeMeta } from "../../adapters/items/meta-file.ts";
import type { FoundItem } from "../../adapters/items/resolve-item.ts";
import { checkBlastRadiusStaleness } from "../../core/items/blast-radius.ts";
import type { AcceptedStale, ItemMeta } from "../../core/items/item-meta.ts";
import { isSameCommit } from "../../core/items/staleness.ts";
import { computeStartPhase, type StartPhase } from "../../core/items/start-phase.ts";
import { isRecord } from "../../core/own-value.ts";
import type { WorkflowDefinition } from "../../schema/plan.ts";
import {
  buildSummary,
  partialAnalysis,
  proceedPrompt,
  skipWarning,
  stalenessMenu,
  stalenessNote,
  stalenessWarning,
} from "../../views/build-summary.ts";
import { ask, askKey } from "./ask.ts";
import { ChoiceNeeded } from "./choice.ts";
import type { Io } from "./io.ts";
import { ITEMS_ROOT } from "./item-documents.ts";
import { type Project, systemClock } from "./project.ts";
import { flag, type Invocation, text } from "./verb.ts";
import { deskOf } from "./desk-of.ts";

/** Where a build starts, and what it builds on. */
export type BuildPlace = {
  readonly folder: string;
  /** Phases to run, in order. */
  readonly phases: readonly string[];
  /** Analysis phases that were done before. */
  readonly analysed: readonly string[];
};

type Subject = {
  readonly project: Project;
  readonly definition: WorkflowDefinition;
  readonly item: FoundItem;
  readonly by: string;
};

/** Finds out where the build of an item starts, and asks where the person must choose. Writes nothing before that. */
export async function detectBuild(invocation: Invocation, subject: Subject): Promise<BuildPlace> {
  const { definition, item } = subject;
  const phases = definition.phases.map(({ key }) => key);
  const analysis = definition.phases.filter((phase) => phase.analysis).map(({ key }) => key);
  const folder = item.slug;
  const reading = item.dir === null ? ({ is: "missing" } as const) : inspectMeta(item.dir);
  if (reading.is === "damaged") invocation.io.err(`warning: ${reading.warning}`);
  const meta = reading.is === "found" ? reading.meta : null;
  const found = computeStartPhase(meta, phases, analysis);
  for (const warning of found.warnings) invocation.io.err(`warning: ${warning}`);
  const fresh = await settleStaleness(invocation, subject, { meta, found, phases });
  const start = await settlePartial(invocation, subject, { ...fresh, phases });
  invocation.io.err(withoutQuestion(buildSummary({ item: folder, ...start, completedAt: timesOf(meta) })));
  if (start.status !== "raw") await confirm(invocation);
  return { folder, phases: start.remainingPhases, analysed: start.completedPhases };
}

type Found = { readonly meta: ItemMeta | null; readonly found: StartPhase; readonly phases: readonly string[] };

/** The code may have moved on since the analysis: what matters is whether it moved where the analysis looked. */
async function settleStaleness(
  invocation: Invocation,
  subject: Subject,
  detected: Found,
): Promise<{ found: StartPhase }> {
  const { project, item } = subject;
  const { meta, found, phases } = detected;
  const stored = meta?.["codebase_hash"];
  if (found.status === "raw" || meta === null || item.dir === null) return { found };
  const detection = createDetection(project.root);
  const head = await detection.head();
  if (head === null) {
    invocation.io.err("warning: git could not tell where HEAD is, so it is not known whether the analysis is stale.");
    return { found };
  }
  if (typeof stored !== "string" || stored === "") {
    mergeMeta(item.dir, { codebase_hash: head });
    return { found };
  }
  if (isSameCommit(stored, head) || wasAccepted(meta, head)) return { found };
  const { commits, changed } = await detection.since(stored);
  const impact = deskOf(project).readArtifact(`${ITEMS_ROOT}/${item.slug}/impact-analysis.md`);
  const stale = checkBlastRadiusStaleness(meta, head, impact, changed);
  if (stale.severity === "none") {
    invocation.io.err("The code changed since the analysis, but nowhere it looked at.");
    return { found };
  }
  if (stale.severity === "info") {
    invocation.io.err(stalenessNote(stale.overlappingFiles));
    return { found };
  }
  const about = stalenessWarning({ originalHash: stored, currentHash: head, commits }).split("\n");
  const choice = await chooseStale(invocation, about);
  return { found: applyStale(choice, { ...subject, dir: item.dir, head }, { meta, found, phases }) };
}

type Stale = "proceed" | "rescan" | "reanalyze";

async function chooseStale({ values, io }: Invocation, about: readonly string[]): Promise<Stale> {
  const flagged = text(values, "on-stale");
  if (flagged === "proceed" || flagged === "rescan" || flagged === "reanalyze") return flagged;
  const key = await askAbout(io, [...about, "", ...stalenessMenu.split("\n")], ["p", "q", "a"]);
  if (key !== null) return ({ p: "proceed", q: "rescan", a: "reanalyze" } as const)[key];
  const options = ["proceed", "rescan", "reanalyze"];
  throw new ChoiceNeeded({ kind: "stale", options, flag: "--on-stale <option>", about });
}

type Moved = Subject & { readonly dir: string; readonly head: string };

/** What is accepted is remembered with who and when, so that the same commit is not asked about again. */
function applyStale(choice: Stale, { dir, head, by, definition }: Moved, { meta, found, phases }: Found): StartPhase {
  if (choice === "proceed") {
    const accepted: AcceptedStale[] = [...acceptedOf(meta), { hash: head, by, at: systemClock.now() }];
    mergeMeta(dir, { accepted_stale: accepted });
    return found;
  }
  mergeMeta(dir, {
    codebase_hash: head,
    ...(choice === "reanalyze" ? { phases_completed: [], analysis_status: "raw" } : {}),
  });
  if (choice === "reanalyze") return startAnew(phases);
  const scan = definition.phases[0]?.key ?? "";
  return { ...found, remainingPhases: [scan, ...found.remainingPhases.filter((key) => key !== scan)] };
}

type Unfinished = { readonly found: StartPhase; readonly phases: readonly string[] };

/** An analysis that stopped midway: go on with it, do without the rest, or begin again. */
async function settlePartial(
  invocation: Invocation,
  { item, definition }: Subject,
  unfinished: Unfinished,
): Promise<StartPhase> {
  const { found, phases } = unfinished;
  if (found.status !== "partial" || item.dir === null) return found;
  const analysis = new Set(definition.phases.filter((phase) => phase.analysis).map(({ key }) => key));
  const missing = found.remainingPhases.filter((key) => analysis.has(key));
  const choice = await choosePartial(invocation, partialAnalysis(found.completedPhases, missing).split("\n"));
  switch (choice) {
    case "resume":
      return found;
    case "skip":
      invocation.io.err(skipWarning);
      return { ...found, remainingPhases: found.remainingPhases.filter((key) => !analysis.has(key)) };
    case "restart":
      mergeMeta(item.dir, { phases_completed: [], analysis_status: "raw" });
      return startAnew(phases);
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

async function confirm(invocation: Invocation): Promise<void> {
  if (flag(invocation.values, "yes") || (await ask(invocation.io, "Proceed?", []))) return;
  const about = ["The build starts after the analysis that is done already."];
  throw new ChoiceNeeded({ kind: "confirm", options: ["yes"], flag: "--yes", about });
}

async function askAbout<K extends string>(io: Io, about: readonly string[], keys: readonly K[]): Promise<K | null> {
  if (!io.interactive) return null;
  for (const line of about) io.out(line);
  return askKey(io, { message: "Your choice", keys: [...keys], signal: new AbortController().signal });
}

const startAnew = (phases: readonly string[]): StartPhase => ({
  status: "raw",
  startPhase: null,
  completedPhases: [],
  remainingPhases: [...phases],
  warnings: [],
});

const acceptedOf = (meta: ItemMeta | null): AcceptedStale[] => {
  const list = meta?.["accepted_stale"];
  return Array.isArray(list) ? (list as AcceptedStale[]) : []; // entries are compared, never trusted
};

const wasAccepted = (meta: ItemMeta, head: string): boolean =>
  acceptedOf(meta).some((entry) => isRecord(entry) && entry.hash === head);

/** When each phase ended, where the record tells. */
function timesOf(meta: ItemMeta | null): ReadonlyMap<string, string> {
  const times = meta?.["phase_times"];
  const entries = isRecord(times) ? Object.entries(times) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

/** The question is asked by the prompt itself. */
const withoutQuestion = (summary: string): string => summary.replace(`\n\n${proceedPrompt}`, "");
