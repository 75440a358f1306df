import { join } from "node:path";
import { readHead } from "../../../adapters/git/git-head.ts";
import { readMetaJson } from "../../../adapters/items/meta-file.ts";
import { listItems } from "../../../adapters/items/resolve-item.ts";
import {
  ANALYSIS_PHASES,
  neededPhases,
  textsOf,
  validatePhasesCompleted,
} from "../../../core/items/analysis-status.ts";
import { checkStaleness } from "../../../core/items/staleness.ts";
import { generateSlug } from "../../../core/items/item-source.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type ItemRow, itemsTable } from "../../../views/items-table.ts";
import { starterOf } from "../authority.ts";
import { createItem, findItem, itemsFolder, ITEMS_ROOT, titleOfItem } from "../item-documents.ts";
import type { BuildPlace } from "../detect-build.ts";
import { goOn } from "../driving.ts";
import { currentRun, itemProject, openProject, systemClock, type Project } from "../project.ts";
import { setUp } from "../set-up.ts";
import { startRun } from "../start.ts";
import { done, type Invocation, type Run } from "../verb.ts";
import { recover } from "./begin.ts";

/** Puts a piece of work on record: a folder with a draft and a line in the backlog. Starts nothing. */
export const add: Run = (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  starterOf(invocation, project);
  const description = wordsOf(invocation);
  const folder = generateSlug(description);
  const created = createItem(project, { description, folder });
  const item = `${ITEMS_ROOT}/${folder}`;
  const lines = created
    ? [`Added ${item}`, `Next: isdlc analyze ${folder}, or isdlc build ${folder}`]
    : [`warning: ${item} is there already and stays as it is.`];
  return Promise.resolve(done(lines, { item, created }));
};

/** Every item, how far its analysis is, and whether the code moved on since. */
export const items: Run = ({ cwd, env }) => {
  const project = openProject(cwd, env);
  const head = readHead(project.root)?.hash ?? null;
  const rows = listItems(itemsFolder(project)).map(({ slug, meta }): ItemRow => {
    const status = meta?.analysis_status ?? "raw";
    const isStale = head === null || status === "raw" ? null : checkStaleness(meta, head).stale;
    return {
      slug,
      status,
      createdAt: meta?.created_at ?? null,
      isBuilt: typeof meta?.["build_completed_at"] === "string",
      isStale,
    };
  });
  return Promise.resolve(done([itemsTable(rows, systemClock.now())], { items: rows }));
};

/** Analyses an item: the analysis phases of the feature workflow, in the item's folder only, beside any other run. */
export const analyze: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const wanted = wordsOf(invocation);
  setUp(project);
  const folder = findItem(project, wanted)?.slug ?? addItem(invocation, project, wanted);
  const analysis = itemProject(project, folder);
  if (currentRun(analysis, undefined).state.is === "active") return recover(invocation, analysis);
  const place = missingAnalysis(project, folder);
  if (place.phases.length === 0)
    return done([`${folder} is analyzed already. Next: isdlc build ${folder}`], { item: folder });
  await startRun(invocation, analysis, { workflow: "feature", title: titleOfItem(project, folder), place });
  return goOn(invocation, analysis);
};

/** The analysis phases that an item still needs; one that was sized light needs fewer. */
function missingAnalysis(project: Project, folder: string): BuildPlace {
  const meta = readMetaJson(join(itemsFolder(project), folder));
  const needed = neededPhases(ANALYSIS_PHASES, textsOf(meta?.phases_completed), meta?.["sizing_decision"]);
  const analysed = validatePhasesCompleted(meta?.phases_completed ?? [], needed).valid;
  return { folder, phases: needed.filter((key) => !analysed.includes(key)), analysed };
}

function addItem(invocation: Invocation, project: Project, description: string): string {
  const folder = generateSlug(description);
  createItem(project, { description, folder });
  invocation.io.err(`Added ${ITEMS_ROOT}/${folder}`);
  return folder;
}

function wordsOf({ words, verb }: Invocation): string {
  const text = words.join(" ").trim();
  if (text === "") throw new ProblemError({ code: "USAGE", detail: "Say which item.", usage: verb.usage });
  return text;
}
