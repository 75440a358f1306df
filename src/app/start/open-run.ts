import { ProblemError } from "../../core/problem.ts";
import type { MetaFields } from "../../core/items/item-meta.ts";
import { writeActive } from "../../engine/write-projections.ts";
import { ITEMS_ROOT } from "../../ports/items.ts";
import type { StartPoint } from "../../schema/facts.ts";
import type { RunId } from "../../schema/ids.ts";
import type { Project } from "../project/project.ts";
import { plainLine } from "../../views/plain-text.ts";
import { nameWork, newItem } from "./name-work.ts";
import type { RunPlan } from "./plan-run.ts";
import { switchOn } from "./plan-supervision.ts";
import type { IssueLink } from "../../core/items/item-source.ts";

export type OpenedRun = {
  readonly run: RunId;
  /** Folder of the run's documents. */
  readonly item: string;
  /** Messages for the user. */
  readonly lines: readonly string[];
};

/** Opens a planned run. Nothing is written, trusted or enabled before this call. */
export async function openRun({ project, ...plan }: RunPlan): Promise<OpenedRun> {
  const { definition, work, facts, supervision, agents } = plan;
  project.projections.setUp();
  if (plan.trusts !== null) project.trust.trust(plan.trusts);
  project.gitTrust.trust(plan.hooks);
  const switched = supervision.switchesOn === null ? null : switchOn(project.projections, supervision.switchesOn);
  const run = project.newRunId();
  const isGit = plan.git !== null;
  const folder = work.target?.folder ?? plan.folder;
  const name = await nameWork({ project, definition, title: facts.title, run, git: isGit, folder });
  const branch = plan.branch ?? { branch: facts.scope === "item" ? null : name.branch };
  const git = plan.git === null ? null : { ...plan.git, ...branch };
  project.trust.rememberAgents(run, agents);
  const start = { do: "start", facts: { ...facts, run, item: name.item, git, ...describePlace(project) } } as const;
  const opened = await project.journal.create(run, start);
  if (!opened.ok) throw new ProblemError({ code: "COMMAND_REFUSED", refusal: opened.refusal });
  const warnings = [
    ...facts.warnings,
    ...(switched === null ? [] : [switched]),
    ...writeActive(project, opened.state, opened.head),
  ];
  const lines = [
    ...warnings.map((warning) => `warning: ${warning}`),
    ...supervision.lines,
    ...(await branchLines(project, plan.git, git)),
  ];
  if (work.target === null) return { run, item: name.item, lines };
  const { title, issue = null } = facts;
  const record = { item: name.item, title, isListed: work.isListed, issue, record: work.target.record };
  return { run, item: name.item, lines: [...lines, ...(await keepRecord(project, record))] };
}

/** Announces a switch of the branch, before it happens. */
async function branchLines(
  { vcs }: Project,
  before: Pick<StartPoint, "base" | "adopts"> | null,
  after: { readonly branch: string | null } | null,
): Promise<string[]> {
  const adopted = before?.adopts?.head.slice(0, 12);
  const [from, to] = [adopted ?? before?.base ?? null, after?.branch ?? null];
  if (to === null || to === from) return [];
  const branch = plainLine(to, 120);
  if (await vcs.branchExists(to)) return [`Switching to branch ${branch}.`];
  return [`Creating branch ${branch}${from === null ? "" : ` from ${plainLine(from, 120)}`}.`];
}

function describePlace({ tree, callers }: Project) {
  const view = callers.view();
  return { tree, ...(view === null ? {} : { view }) };
}

export type KeptRecord = {
  readonly item: string;
  readonly title: string;
  readonly isListed: boolean;
  /** Issue behind the work. */
  readonly issue: IssueLink | null;
  readonly record: MetaFields;
};

/** Records an item once its run is open. While choices are open, nothing changes. */
export async function keepRecord(
  { items }: Pick<Project, "items">,
  { item, title, isListed, issue, record }: KeptRecord,
): Promise<readonly string[]> {
  if (!item.startsWith(`${ITEMS_ROOT}/`)) return [];
  const folder = item.slice(item.lastIndexOf("/") + 1);
  const { created, warnings } = await items.create(newItem(title, { folder, isListed, issue }));
  const unwritten = items.setFields(folder, record);
  const all = unwritten === null ? warnings : [...warnings, unwritten];
  return [...(created ? [`Added ${item}`] : []), ...all.map((warning) => `warning: ${warning}`)];
}
