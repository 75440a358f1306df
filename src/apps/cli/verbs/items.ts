import type { FoundItem } from "../../../adapters/items/resolve-item.ts";
import {
  ANALYSIS_PHASES,
  neededPhases,
  textsOf,
  validatePhasesCompleted,
} from "../../../core/items/analysis-status.ts";
import type { ItemMeta } from "../../../core/items/item-meta.ts";
import { ProblemError } from "../../../core/problem.ts";
import { initiatorOf } from "../main/caller.ts";
import { createItem, findItem, ITEMS_ROOT, itemTitle, putOnRecord } from "../item-documents.ts";
import type { BuildTarget } from "../detect-build.ts";
import { continueRun } from "../terminal/continue-run.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { itemProject, openProject, type LocalProject } from "../../../compose/project.ts";
import { folderSlug } from "../naming.ts";
import { setUp } from "../set-up.ts";
import { warnWhenStale } from "../resolve-staleness.ts";
import { startRun } from "../start.ts";
import { done, type Invocation, type Result, type Run } from "../grammar/verb.ts";
import { recover } from "./begin.ts";

export { items } from "./list-items.ts";

/** Puts a piece of work on record: a folder with a draft and a line in the backlog. Starts nothing. */
export const add: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  await initiatorOf(invocation, project);
  const description = wordsOf(invocation);
  const folder = folderSlug(description);
  const { created, warnings } = await createItem(project, { description, folder });
  for (const warning of warnings) invocation.io.err(`warning: ${warning}`);
  const item = `${ITEMS_ROOT}/${folder}`;
  const lines = created
    ? [`Added ${item}`, `Next: isdlc analyze ${folder}, or isdlc build ${folder}`]
    : [`warning: ${item} is there already and stays as it is.`];
  return done(lines, { item, created });
};

/** Analyses an item: the analysis phases of the feature workflow, in the item's folder only, beside any other run. */
export const analyze: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const wanted = wordsOf(invocation);
  await initiatorOf(invocation, project);
  const found = findItem(project, wanted);
  const folder = found?.slug ?? folderSlug(wanted);
  setUp(project);
  const analysis = itemProject(project, folder);
  if ((await currentRun(analysis)).state.is === "active") return recover(invocation, analysis);
  return analyzeItem(invocation, analysis, { folder, found, title: itemTitle(project, found, wanted) });
};

type Subject = { readonly folder: string; readonly found: FoundItem | null; readonly title: string };

async function analyzeItem(
  invocation: Invocation,
  project: LocalProject,
  { folder, found, title }: Subject,
): Promise<Result> {
  const meta = found?.meta ?? null;
  const place = missingAnalysis(folder, meta);
  if (found !== null && meta !== null && place.analysed.length > 0)
    await warnWhenStale(invocation, { project, item: found, meta });
  if (place.phases.length === 0)
    return done([`${folder} is analyzed already. Next: isdlc build ${folder}`], { item: folder });
  await startRun(invocation, project, { workflow: "feature", title, place });
  await putOnRecord(invocation.io, project, { description: title, folder, isListed: found?.backlogLine !== undefined });
  return continueRun(invocation, project);
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
