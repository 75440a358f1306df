import type { LocalProject } from "../../../compose/project.ts";
import { itemProject, openProject } from "../../../compose/project.ts";
import {
  ANALYSIS_PHASES,
  neededPhases,
  toTexts,
  validatePhasesCompleted,
} from "../../../core/items/analysis-status.ts";
import type { ItemMeta } from "../../../core/items/item-meta.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type Choice, ChoicesNeeded } from "../../../app/choice.ts";
import { analysedItems } from "../../../compose/project-location.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { folderSlug, newItem } from "../../../app/start/name-work.ts";
import { staleNotes } from "../../../app/start/plan-staleness.ts";
import { findItem, itemOfIssue, itemTitle } from "../../../app/start/plan-target.ts";
import { rebuildMeta } from "../../../app/start/rebuild-meta.ts";
import type { BuildTarget } from "../../../app/start/run-request.ts";
import { type FoundItem, ITEMS_ROOT } from "../../../ports/items.ts";
import type { Initiator } from "../../../schema/people.ts";
import { plainLine } from "../../../views/plain-text.ts";
import { runRequest } from "../grammar/run-request.ts";
import { done, flag, type Invocation, type Result, type Run } from "../invocation/verb.ts";
import { identifyStarter, identifyPerson } from "../invocation/caller.ts";
import { continueRun } from "../terminal/continue-run.ts";
import { issueWords } from "../terminal/issue-words.ts";
import { startRun } from "../terminal/start-run.ts";
import { recover } from "./begin.ts";
import { items as listItems } from "./list-items.ts";
import { lightSizing } from "../../../core/items/tier.ts";
import type { IssueLink } from "../../../core/items/item-source.ts";
import { confirmChoice } from "../terminal/ask-choice.ts";

/** Lists the items, or removes one. */
export const items: Run = (invocation) => (invocation.words.length === 0 ? listItems(invocation) : remove(invocation));

async function remove(invocation: Invocation): Promise<Result> {
  const [action, ...words] = invocation.words;
  const wanted = words.join(" ").trim();
  if (action !== "remove" || wanted === "")
    throw new ProblemError({ code: "USAGE", detail: "Name the item to remove.", usage: invocation.verb.usage });
  const project = openProject(invocation.cwd, invocation.env);
  await identifyPerson(invocation, project);
  const found = findItem(project, wanted);
  if (found === null) throw new ProblemError({ code: "ITEM_UNKNOWN", reference: wanted });
  const { slug } = found;
  await refuseAtWork(project, slug);
  const about = [`This removes ${ITEMS_ROOT}/${plainLine(slug)} and its line in BACKLOG.md.`];
  const open = await confirmChoice(invocation, { id: "remove", kind: "confirm", options: ["yes"], about });
  if (open.length > 0) throw new ChoicesNeeded(open);
  const { kept, wasListed } = await project.items.remove(slug);
  const lines = [
    `Removed ${slug}${wasListed ? " and its line in BACKLOG.md" : ""}.`,
    ...(kept === null ? [] : [`Its folder is kept in ${kept}; move it back to undo.`]),
  ];
  return done(lines, { item: slug, kept, wasListed });
}

/** @throws ProblemError ITEM_BUSY if an open run works on the item. */
async function refuseAtWork(project: LocalProject, slug: string): Promise<void> {
  const analysis = analysedItems(project).includes(slug) ? [itemProject(project, slug)] : [];
  for (const place of [project, ...analysis]) {
    const { state } = await currentRun(place);
    if (state.is === "active" && state.run.item === `${ITEMS_ROOT}/${slug}`)
      throw new ProblemError({ code: "ITEM_BUSY", item: slug, isAnalysis: place !== project });
  }
}

/** Adds an item: a folder with a draft, and a line in the backlog. Starts no run. */
export const add: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  await identifyStarter(invocation, project);
  const { words: description, issue } = await issueWords(invocation, givenWords(invocation));
  const folder = folderSlug(project, description);
  const { created, warnings } = await project.items.create(newItem(description, { folder, issue }));
  for (const warning of warnings) invocation.io.err(`warning: ${warning}`);
  const item = `${ITEMS_ROOT}/${folder}`;
  const lines = created
    ? [`Added ${item}`, `Next: isdlc analyze ${folder}`, `Or: isdlc build ${folder}`]
    : [`warning: ${item} already exists and stays as it is.`];
  return done(lines, { item, created });
};

/**
 * Analyzes an item: runs the analysis phases of the feature workflow, in the item's folder only and in parallel with
 * any other run.
 */
export const analyze: Run = async (invocation) => {
  const project = openProject(invocation.cwd, invocation.env);
  const by = await identifyStarter(invocation, project);
  const { words: wanted, issue } = await issueWords(invocation, givenWords(invocation));
  for (const line of await rebuildMeta(project, wanted)) invocation.io.err(line);
  const found = itemOfIssue(project, issue) ?? findItem(project, wanted);
  if (found === null) await confirmNew(invocation, wanted);
  const folder = found?.slug ?? folderSlug(project, wanted);
  project.projections.setUp();
  const analysis = itemProject(project, folder);
  if ((await currentRun(analysis)).state.is === "active") return recover(invocation, analysis);
  return analyzeItem(invocation, analysis, { folder, found, title: itemTitle(project, found, wanted), by, issue });
};

/**
 * Asks before creating an item: the name may be mistyped, and an analysis costs money. Several words from a script
 * need no confirmation.
 */
async function confirmNew(invocation: Invocation, wanted: string): Promise<void> {
  if (!invocation.io.interactive && /\s/.test(wanted)) return;
  const about = [`There is no item "${plainLine(wanted, 100)}" yet. "isdlc items" lists those there are.`];
  const choice: Choice = { id: "create", kind: "confirm", options: ["yes"], about };
  const open = await confirmChoice(invocation, choice);
  if (open.length > 0) throw new ChoicesNeeded(open);
}

type Subject = {
  readonly folder: string;
  readonly found: FoundItem | null;
  readonly title: string;
  readonly by: Initiator;
  readonly issue: IssueLink | null;
};

async function analyzeItem(
  invocation: Invocation,
  project: LocalProject,
  { folder, found, title, by, issue }: Subject,
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
  const request = runRequest(invocation, { workflow: "feature", title, by, issue, target, isListed });
  await startRun(invocation, project, request);
  return continueRun(invocation, project);
}

/** Returns the record of an item. With `-light`, its recorded size is replaced. */
function sizedMeta({ values }: Invocation, { workflows, clock }: LocalProject, recorded: ItemMeta | null) {
  const { definition } = workflows.resolve("feature");
  const light = flag(values, "light") ? lightSizing(recorded, definition, clock.now()) : null;
  return { light, meta: recorded === null || light === null ? recorded : { ...recorded, ...light } };
}

/** Lists the analysis phases still missing. An item sized as light needs fewer. */
function missingAnalysis(folder: string, meta: ItemMeta | null): BuildTarget {
  const needed = neededPhases(ANALYSIS_PHASES, toTexts(meta?.phases_completed), meta?.["sizing_decision"]);
  const analysed = validatePhasesCompleted(meta?.phases_completed ?? [], needed).valid;
  return { folder, phases: needed.filter((key) => !analysed.includes(key)), analysed, record: {} };
}

function givenWords({ words, verb }: Invocation): readonly string[] {
  if (words.join("").trim() === "")
    throw new ProblemError({ code: "USAGE", detail: "Name an item.", usage: verb.usage });
  return words;
}
