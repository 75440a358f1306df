import type { LocalProject } from "../../../compose/project.ts";
import { itemProject, openProject } from "../../../compose/project.ts";
import {
  ANALYSIS_PHASES,
  neededPhases,
  textsOf,
  validatePhasesCompleted,
} from "../../../core/items/analysis-status.ts";
import type { ItemMeta } from "../../../core/items/item-meta.ts";
import { lightSizing } from "../../../core/items/light-sizing.ts";
import { ProblemError } from "../../../core/problem.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { folderSlug } from "../../../app/start/name-work.ts";
import { newItem } from "../../../app/start/new-item.ts";
import { staleNotes } from "../../../app/start/plan-staleness.ts";
import { findItem, itemTitle } from "../../../app/start/plan-target.ts";
import { rebuildMeta } from "../../../app/start/rebuild-meta.ts";
import type { BuildTarget } from "../../../app/start/run-request.ts";
import { type FoundItem, ITEMS_ROOT } from "../../../ports/items.ts";
import type { Initiator } from "../../../schema/people.ts";
import { runRequest } from "../grammar/run-request.ts";
import { done, flag, type Invocation, type Result, type Run } from "../grammar/verb.ts";
import { initiatorOf } from "../main/caller.ts";
import { continueRun } from "../terminal/continue-run.ts";
import { startRun } from "../terminal/start-run.ts";
import { recover } from "./begin.ts";

export { items } from "./list-items.ts";

/** Puts a piece of work on record: a folder with a draft and a line in the backlog. Starts nothing. */
export const add: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  await initiatorOf(invocation, project);
  const description = wordsOf(invocation);
  const folder = folderSlug(project, description);
  const { created, warnings } = await project.items.create(newItem(description, folder));
  for (const warning of warnings) invocation.io.err(`warning: ${warning}`);
  const item = `${ITEMS_ROOT}/${folder}`;
  const lines = created
    ? [`Added ${item}`, `Next: isdlc analyze ${folder}, or isdlc build ${folder}`]
    : [`warning: ${item} is there already and stays as it is.`];
  return done(lines, { item, created });
};

/** Analyzes an item: the analysis phases of the feature workflow, in the item's folder only, beside any other run. */
export const analyze: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const wanted = wordsOf(invocation);
  const by = await initiatorOf(invocation, project);
  for (const line of await rebuildMeta(project, wanted)) invocation.io.err(line);
  const found = findItem(project, wanted);
  const folder = found?.slug ?? folderSlug(project, wanted);
  project.projections.setUp();
  const analysis = itemProject(project, folder);
  if ((await currentRun(analysis)).state.is === "active") return recover(invocation, analysis);
  return analyzeItem(invocation, analysis, { folder, found, title: itemTitle(project, found, wanted), by });
};

type Subject = {
  readonly folder: string;
  readonly found: FoundItem | null;
  readonly title: string;
  readonly by: Initiator;
};

async function analyzeItem(
  invocation: Invocation,
  project: LocalProject,
  { folder, found, title, by }: Subject,
): Promise<Result> {
  const { meta, light } = sizedMeta(invocation, project, found?.meta ?? null);
  const target = missingAnalysis(folder, meta);
  if (found !== null && meta !== null && target.analysed.length > 0)
    for (const note of await staleNotes(project, { item: found, meta })) invocation.io.err(note);
  if (target.phases.length === 0) {
    const fields = light === null ? {} : { ...light, analysis_status: "analyzed" };
    const warning = project.items.setFields(folder, fields);
    if (warning !== null) invocation.io.err(`warning: ${warning}`);
    return done([`${folder} is analyzed already. Next: isdlc build ${folder}`], { item: folder });
  }
  const isListed = found?.backlogLine !== undefined;
  await startRun(invocation, project, runRequest(invocation, { workflow: "feature", title, by, target, isListed }));
  return continueRun(invocation, project);
}

/** What is on record about an item, with -light taken into account where its size was told before. */
function sizedMeta({ values }: Invocation, { workflows, clock }: LocalProject, recorded: ItemMeta | null) {
  const { definition } = workflows.resolve("feature");
  const light = flag(values, "light") ? lightSizing(recorded, definition, clock.now()) : null;
  return { light, meta: recorded === null || light === null ? recorded : { ...recorded, ...light } };
}

/** The analysis phases that an item still needs; one that was sized light needs fewer. */
function missingAnalysis(folder: string, meta: ItemMeta | null): BuildTarget {
  const needed = neededPhases(ANALYSIS_PHASES, textsOf(meta?.phases_completed), meta?.["sizing_decision"]);
  const analysed = validatePhasesCompleted(meta?.phases_completed ?? [], needed).valid;
  return { folder, phases: needed.filter((key) => !analysed.includes(key)), analysed, record: {} };
}

function wordsOf({ words, verb }: Invocation): string {
  const text = words.join(" ").trim();
  if (text === "") throw new ProblemError({ code: "USAGE", detail: "Say which item.", usage: verb.usage });
  return text;
}
