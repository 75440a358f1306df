import { createGitRead } from "../../../adapters/git/read/git-read.ts";
import { workflowNames } from "../../../adapters/definitions/definitions.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ActiveRun } from "../../../core/run.ts";
import { writeProjections } from "../../../engine/write-projections.ts";
import type { Mode, PhaseRule } from "../../../schema/plan.ts";
import { recoveryBanner } from "../../../views/gate-banner.ts";
import { endLine, heldLines, notBegunLine, watchLine } from "../../../views/open-run.ts";
import { initiatorOf } from "../main/caller.ts";
import { catchUp } from "../../../app/project/catch-up.ts";
import { continueRun, heldResult, restResult } from "../terminal/continue-run.ts";
import { reapOrphans } from "../../../app/answer/reap-orphans.ts";
import { openElsewhere } from "../elsewhere.ts";
import { explain } from "../explain.ts";
import { currentRun } from "../../../app/project/current-run.ts";
import { openProject, type LocalProject } from "../../../compose/project.ts";
import { resolveWorkflow } from "../../../compose/resolve-workflow.ts";
import { projectOf } from "../project-of.ts";
import { nameWork } from "../naming.ts";
import { makeWorktree } from "../spec/resolve-worktree.ts";
import { type NewRun, resolveBeforehand, startRun } from "../start.ts";
import { flag, type Invocation, type Result, type Run, text } from "../grammar/verb.ts";
import type { FoundItem } from "../../../adapters/items/resolve-item.ts";
import type { MetaFields } from "../../../core/items/item-meta.ts";
import { readBacklogItem } from "../../../core/items/backlog-line.ts";
import { isReference } from "../../../core/items/item-source.ts";
import { type BuildTarget, detectBuild, namedStart } from "../detect-build.ts";
import { findItem, isBuilt, isInBacklog, ITEMS_ROOT, itemTitle, putOnRecord, recordFields } from "../item-documents.ts";

const WORKFLOW_OF: Readonly<Record<string, string>> = {
  do: "change",
  feature: "feature",
  build: "feature",
  fix: "fix",
};

/** Starts the workflow that belongs to the verb and goes on until a person is needed. */
export const begin: Run = (invocation) =>
  start(invocation, WORKFLOW_OF[invocation.verb.name] ?? "change", invocation.words);

/** Any workflow by name. */
export const run: Run = (invocation) => {
  const [name, ...words] = invocation.words;
  if (name === undefined) throw new ProblemError({ code: "WORKFLOW_UNKNOWN", name: "", valid: workflowNames() });
  if (!flag(invocation.values, "explain")) return start(invocation, name, words);
  const mode = (text(invocation.values, "mode") ?? "standard") as Mode; // the catalog allows no other value
  return Promise.resolve(explain(resolveWorkflow(openProject(invocation.cwd, invocation.env), name), mode));
};

async function start(invocation: Invocation, workflow: string, words: readonly string[]): Promise<Result> {
  const project = openProject(invocation.cwd, invocation.env);
  const open = await currentRun(project);
  await initiatorOf(invocation, project);
  catchUp(project, open);
  if (open.state.is === "active") return recover(invocation, project);
  const wanted = await workOf(invocation, project, { workflow, words: words.join(" ").trim() });
  const { there, work } = flag(invocation.values, "worktree")
    ? await elsewhere(invocation, project, { workflow, work: wanted })
    : { there: project, work: wanted };
  const item = await startRun(invocation, there, { workflow, ...work });
  if (work.place !== undefined) await keepRecord(invocation, there, { ...work, record: work.place.record, item });
  return continueRun(invocation, there);
}

/** The same work in a working tree of its own, which is made here. */
async function elsewhere(
  invocation: Invocation,
  project: LocalProject,
  { workflow, work }: { workflow: string; work: PlannedWork },
): Promise<{ there: LocalProject; work: PlannedWork & Pick<NewRun, "feature"> }> {
  const { definition } = resolveWorkflow(project, workflow);
  const facts = await createGitRead(project.root).facts();
  if (definition.branch === null || facts === null || facts.head === null) {
    const detail = `The workflow "${workflow}" has no branch here that a working tree could be made for.`;
    throw new ProblemError({ code: "USAGE", detail, usage: invocation.verb.usage });
  }
  await refuseUncommitted(project, work);
  await resolveBeforehand(invocation, project, { workflow, ...work });
  const named = await nameWork({
    project,
    definition,
    title: work.title,
    run: "",
    git: true,
    folder: work.place?.folder ?? null,
  });
  const branch = named.branch ?? "";
  const folder = branch.slice(definition.branch.length);
  const base = facts.branch ?? facts.head;
  const made = await makeWorktree(invocation, project, { branch, folder, base });
  const mode = (text(invocation.values, "mode") ?? "standard") as Mode; // the catalog allows no other value
  const begun = { branch, base: facts.branch, commit: facts.head };
  const feature = { mode, branch: begun, worktree: made.worktree, warnings: [], adapt: (plan: PhaseRule[]) => plan };
  const place = work.place === undefined ? {} : { place: { ...work.place, folder } };
  return { there: made.project, work: { ...work, ...place, feature } };
}

/** @throws ProblemError TREE_DIRTY: a new working tree has only what is committed of an item. */
async function refuseUncommitted({ root }: LocalProject, { place }: PlannedWork): Promise<void> {
  const folder = place?.folder ?? null;
  if (folder === null) return;
  const item = `${ITEMS_ROOT}/${folder}/`;
  const dirty = await createGitRead(root).dirty([]);
  const files = dirty.map(({ path }) => path).filter((path) => path.startsWith(item));
  if (files.length > 0) throw new ProblemError({ code: "TREE_DIRTY", files: files.slice(0, 10) });
}

type PlannedWork = { readonly title: string; readonly place?: BuildTarget; readonly isListed?: boolean };
type Opened = {
  readonly item: string;
  readonly title: string;
  readonly record: MetaFields;
  readonly isListed?: boolean;
};

/** Only now that the run is open: whoever is still asked something finds nothing changed. */
async function keepRecord(
  { io }: Invocation,
  project: LocalProject,
  { item, title, record, isListed = false }: Opened,
): Promise<void> {
  if (!item.startsWith(`${ITEMS_ROOT}/`)) return;
  const folder = item.slice(item.lastIndexOf("/") + 1);
  await putOnRecord(io, project, { description: title, folder, isListed });
  const warning = recordFields(project, folder, record);
  if (warning !== null) io.err(`warning: ${warning}`);
}

/** A start that was killed as soon as the run was open may have left its item without a record. */
async function completeRecord(invocation: Invocation, project: LocalProject, { run, stage }: ActiveRun): Promise<void> {
  if (stage.is !== "preparing" || run.scope !== "tree") return;
  const { item, title } = run;
  const isListed = isInBacklog(project, item.slice(item.lastIndexOf("/") + 1));
  await keepRecord(invocation, project, { item, title, isListed, record: {} });
}

/** What is built, and from where on; new work, and work without items, has all of the workflow before it. */
async function workOf(
  invocation: Invocation,
  project: LocalProject,
  { workflow, words }: { workflow: string; words: string },
): Promise<PlannedWork> {
  const { definition } = resolveWorkflow(project, workflow);
  if (words === "") return { title: words };
  if (definition.items === null || definition.items.root !== ITEMS_ROOT) {
    const phases = namedStart(invocation, definition);
    return { title: words, ...(phases === null ? {} : { place: { folder: null, phases, analysed: [], record: {} } }) };
  }
  const found = findItem(project, words);
  const isAnother = found !== null && isBuilt(found) && found.slug !== words && !isReference(words);
  const item: FoundItem = found === null || isAnother ? { slug: words, dir: null, meta: null } : found;
  const by = (await initiatorOf(invocation, project)).name;
  const place = await detectBuild(invocation, { project, definition, item, folder: folderFor(item), by });
  return { title: itemTitle(project, item, words), place, isListed: item.backlogLine !== undefined };
}

/** The folder an item has, or that its line in the backlog wants for it; null where a number is drawn. */
function folderFor({ slug, dir, backlogLine }: FoundItem): string | null {
  return dir !== null || readBacklogItem(backlogLine)?.folder === slug ? slug : null;
}

/**
 * Never a second run, and no agent unasked: whoever comes back sees where the open one stands, and at a terminal is
 * asked what is open. A redo was asked for: it goes on.
 */
export async function recover(invocation: Invocation, project: LocalProject): Promise<Result> {
  const { state, head } = await currentRun(project);
  if (state.is !== "active") return restResult(state, []);
  const driver = project.driver.holder();
  const warnings = writeProjections(project, state, head);
  const found = { run: state, driver, refused: refusedLines(invocation, project, { run: state, driver }) };
  if (driver === null && state.wait === null) await reapOrphans(project, state);
  const shown = foundResult(invocation, found, warnings);
  const banner = recoveryBanner(state);
  const isAskedFor = state.wait !== null || (banner !== null && found.refused.length === 0);
  if (!invocation.io.interactive || driver !== null || !isAskedFor) return shown;
  const lines = banner === null ? restResult(state, []).lines : [banner];
  for (const line of [...found.refused, ...lines]) invocation.io.out(line);
  await completeRecord(invocation, project, state);
  return continueRun(invocation, project);
}

type Found = {
  readonly run: ActiveRun;
  /** Process that drives the run, or has its open gate before it; null when there is none. */
  readonly driver: number | null;
  /** Says that what was wanted was not begun; empty where nothing was. */
  readonly refused: readonly string[];
};

/** The open run for whoever is not asked anything about it. */
function foundResult(invocation: Invocation, found: Found, warnings: readonly string[]): Result {
  const { run, driver, refused } = found;
  const isHeld = run.wait !== null && driver !== null;
  const result = isHeld ? heldResult(invocation, run, driver) : restResult(run, warnings, driver);
  return {
    code: 3,
    lines: [...refused, ...foundLines(invocation, found, result.lines)],
    json: { ...result.json, ...(refused.length === 0 ? {} : { notBegun: wantedBy(invocation) }) },
  };
}

function foundLines({ io }: Invocation, { run, driver, refused }: Found, lines: readonly string[]): string[] {
  const banner = recoveryBanner(run);
  const recovery = banner === null ? [] : [banner, ""];
  const end = refused.length === 0 || run.wait !== null ? [] : [endLine(run)];
  if (driver === null) return [...recovery, ...lines, ...end];
  if (run.wait === null) return [...lines, watchLine(run), ...end];
  if (!io.interactive) return [...recovery, ...lines];
  return refused.length === 0 ? [...lines] : heldLines(run.wait, driver); // where it stands has been said
}

/** Nothing is refused to whoever only looks, or names the very item whose analysis is open. */
function refusedLines(
  invocation: Invocation,
  { item }: LocalProject,
  { run, driver }: Omit<Found, "refused">,
): string[] {
  if (invocation.verb.kind === "read" || item !== null) return [];
  return [notBegunLine(run, wantedBy(invocation), { driven: driver !== null }), ""];
}

/** What was to be begun, in the person's words; null where they named nothing. */
function wantedBy({ verb, words }: Invocation): string | null {
  const isTitle = verb.name in WORKFLOW_OF;
  const named = (verb.name === "run" ? words.slice(1) : words).join(" ").trim();
  if (named === "") return null;
  return isTitle || verb.name === "run" ? named : `${verb.name} ${named}`;
}

export const resume: Run = async (invocation) => {
  const project = projectOf(invocation);
  await initiatorOf(invocation, project);
  const current = await currentRun(project);
  const { state } = current;
  catchUp(project, current);
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: openElsewhere(project) });
  await completeRecord(invocation, project, state);
  return continueRun(invocation, project);
};
