import { currentRun, catchUp } from "../../../app/project/current-run.ts";
import { nameWork } from "../../../app/start/name-work.ts";
import { keepRecord } from "../../../app/start/open-run.ts";
import { rebuildMeta } from "../../../app/start/rebuild-meta.ts";
import { itemOfIssue, type PlannedWork } from "../../../app/start/plan-target.ts";
import type { RunRequest } from "../../../app/start/run-request.ts";
import { openElsewhere } from "../../../compose/open-elsewhere.ts";
import { type LocalProject, openProject } from "../../../compose/project.ts";
import { ProblemError } from "../../../core/problem.ts";
import type { ActiveRun } from "../../../core/run.ts";
import { writeProjections } from "../../../engine/write-projections.ts";
import { ITEMS_ROOT } from "../../../ports/items.ts";
import type { PhaseRule } from "../../../schema/plan.ts";
import { recoveryBanner } from "../../../views/gate-banner.ts";
import { endLine, heldLines, notBegunLine, watchLine } from "../../../views/open-run.ts";
import { readMode, runRequest } from "../grammar/run-request.ts";
import { flag, type Invocation, type Result, type Run } from "../invocation/verb.ts";
import { identifyStarter } from "../invocation/caller.ts";
import { openInvokedProject } from "../invocation/project-of.ts";
import { makeWorktree, needsWorktree, refuseHotfixTree } from "./spec/resolve-worktree.ts";
import { continueRun, heldResult, restResult } from "../terminal/continue-run.ts";
import { resolvePlan, startRun } from "../terminal/start-run.ts";
import { issueWords } from "../terminal/issue-words.ts";
import { explain } from "./explain.ts";
import { reapOrphans } from "../../../app/answer/left-in-tree.ts";

/** The workflow of each starting command. */
export const WORKFLOW_OF: Readonly<Record<string, string>> = {
  do: "change",
  feature: "feature",
  build: "feature",
  fix: "fix",
};

/** Starts the workflow of the command and continues until the run waits or ends. */
export const begin: Run = (invocation) =>
  start(invocation, WORKFLOW_OF[invocation.verb.name] ?? "change", invocation.words);

/** Starts any workflow by name. */
export const run: Run = (invocation) => {
  const [name, ...words] = invocation.words;
  if (name !== undefined && !flag(invocation.values, "explain")) return start(invocation, name, words);
  const { workflows } = openProject(invocation.cwd, invocation.env);
  if (name === undefined) throw new ProblemError({ code: "WORKFLOW_UNKNOWN", name: "", valid: workflows.names() });
  return Promise.resolve(explain(workflows.resolve(name), readMode(invocation.values)));
};

async function start(invocation: Invocation, workflow: string, words: readonly string[]): Promise<Result> {
  const project = openProject(invocation.cwd, invocation.env);
  const open = await currentRun(project);
  const by = await identifyStarter(invocation, project, open.state);
  catchUp(project, open);
  if (open.state.is === "active") return recover(invocation, project);
  const { words: said, issue } = await issueWords(invocation, words);
  const title = itemOfIssue(project, issue)?.slug ?? said;
  for (const line of await rebuildMeta(project, title)) invocation.io.err(line);
  const wanted = runRequest(invocation, { workflow, title, by, issue });
  const { there, request } = wantsWorktree(invocation, workflow)
    ? await elsewhere(invocation, project, wanted)
    : { there: project, request: wanted };
  await startRun(invocation, there, request);
  return continueRun(invocation, there);
}

/** True on request, and for a feature whose mode requires it. */
function wantsWorktree(invocation: Invocation, workflow: string): boolean {
  const mode = readMode(invocation.values);
  if (workflow === "spec") refuseHotfixTree(invocation, mode);
  return flag(invocation.values, "worktree") || (workflow === "spec" && needsWorktree(mode));
}

type Elsewhere = { readonly there: LocalProject; readonly request: RunRequest };

/** Prepares the work in a separate worktree, created after every choice is decided. */
async function elsewhere(invocation: Invocation, project: LocalProject, wanted: RunRequest): Promise<Elsewhere> {
  const { workflow } = wanted;
  const { definition } = project.workflows.resolve(workflow);
  const facts = await project.vcs.facts();
  if (definition.branch === null || facts === null || facts.head === null) {
    const detail = `The workflow "${workflow}" has no branch here that a working tree could be made for.`;
    throw new ProblemError({ code: "USAGE", detail, usage: invocation.verb.usage });
  }
  const { plan, request } = await resolvePlan(invocation, project, { ...wanted, isElsewhere: true });
  const { work } = plan;
  await refuseUncommitted(project, work);
  const { title } = work;
  const known = work.target?.folder ?? null;
  const { branch: drawn } = await nameWork({ project, definition, title, run: "", git: true, folder: known });
  const branch = drawn ?? "";
  const folder = branch.slice(definition.branch.length);
  const base = facts.branch ?? facts.head;
  const made = await makeWorktree(invocation, project, { branch, folder, base });
  const begun = { branch, base: facts.branch, commit: facts.head };
  const adapt = (phases: PhaseRule[]): PhaseRule[] => phases;
  const mode = readMode(invocation.values);
  const named = definition.items === null ? {} : { folder };
  const feature = { mode, branch: begun, worktree: made.worktree, warnings: [], adapt, ...named };
  const target = work.target === null ? {} : { target: { ...work.target, folder }, isListed: work.isListed };
  return { there: made.project, request: { ...request, title, feature, ...target } };
}

/** @throws ProblemError TREE_DIRTY: a new worktree contains only committed files of an item. */
async function refuseUncommitted({ vcs }: LocalProject, { target }: PlannedWork): Promise<void> {
  const folder = target?.folder ?? null;
  if (folder === null) return;
  const item = `${ITEMS_ROOT}/${folder}/`;
  const dirty = await vcs.dirty([]);
  const files = dirty.map(({ path }) => path).filter((path) => path.startsWith(item));
  if (files.length > 0) throw new ProblemError({ code: "TREE_DIRTY", files: files.slice(0, 10) });
}

/** Creates the item's record. It is missing if an earlier start was killed directly after opening the run. */
async function completeRecord({ io }: Invocation, project: LocalProject, { run, stage }: ActiveRun): Promise<void> {
  if (stage.is !== "preparing" || run.scope !== "tree") return;
  const { item, title, issue = null } = run;
  const isListed = project.items.isListed(item.slice(item.lastIndexOf("/") + 1));
  for (const line of await keepRecord(project, { item, title, isListed, issue, record: {} })) io.err(line);
}

/**
 * Shows the open run, and at a terminal asks for the answer to its wait. Starts neither a second run nor an
 * unrequested agent; a requested redo continues.
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

type SessionRunState = {
  readonly run: ActiveRun;
  /** Process that drives the run or shows its open gate, if there is one. */
  readonly driver: number | null;
  /** States that the requested work was not started; empty if none was requested. */
  readonly refused: readonly string[];
};

/** Returns the open run if the user is not asked about it. */
function foundResult(invocation: Invocation, found: SessionRunState, warnings: readonly string[]): Result {
  const { run, driver, refused } = found;
  const isHeld = run.wait !== null && driver !== null;
  const result = isHeld ? heldResult(invocation, run, driver) : restResult(run, warnings, driver);
  return {
    code: 3,
    lines: [...refused, ...foundLines(invocation, found, result.lines)],
    json: { ...result.json, ...(refused.length === 0 ? {} : { notBegun: wantedBy(invocation) }) },
  };
}

function foundLines({ io }: Invocation, { run, driver, refused }: SessionRunState, lines: readonly string[]): string[] {
  const banner = recoveryBanner(run);
  const recovery = banner === null ? [] : [banner, ""];
  const end = refused.length === 0 || run.wait !== null ? [] : [endLine(run)];
  if (driver === null) return [...recovery, ...lines, ...end];
  if (run.wait === null) return [...lines, watchLine(run), ...end];
  if (!io.interactive) return [...recovery, ...lines];
  return refused.length === 0 ? [...lines] : heldLines(run.wait, driver); // the state is already on the screen
}

/** Returns no lines if the command only reads, or if it names the item whose analysis is open. */
function refusedLines(
  invocation: Invocation,
  { item }: LocalProject,
  { run, driver }: Omit<SessionRunState, "refused">,
): string[] {
  if (invocation.verb.kind === "read" || item !== null) return [];
  return [notBegunLine(run, wantedBy(invocation), { driven: driver !== null }), ""];
}

/** The requested work in the user's words; null if the user named none. */
function wantedBy({ verb, words }: Invocation): string | null {
  const isTitle = verb.name in WORKFLOW_OF;
  const named = (verb.name === "run" ? words.slice(1) : words).join(" ").trim();
  if (named === "") return null;
  return isTitle || verb.name === "run" ? named : `${verb.name} ${named}`;
}

export const resume: Run = async (invocation) => {
  const project = openInvokedProject(invocation);
  await identifyStarter(invocation, project);
  const current = await currentRun(project);
  const { state } = current;
  catchUp(project, current);
  if (state.is !== "active") throw new ProblemError({ code: "NO_RUN", elsewhere: openElsewhere(project) });
  await completeRecord(invocation, project, state);
  return continueRun(invocation, project);
};
