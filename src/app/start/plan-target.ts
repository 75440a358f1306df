import { readBacklogItem } from "../../core/items/backlog-line.ts";
import { isReference, type IssueLink, readIssueLink } from "../../core/items/item-source.ts";
import { ProblemError } from "../../core/problem.ts";
import { withoutItemId } from "../../core/items/backlog-text.ts";
import { areSimilarTitles, haveSameWords } from "../../core/items/similar-titles.ts";
import { type FoundItem, type Items, ITEMS_ROOT, type TitledItem } from "../../ports/items.ts";
import type { WorkflowDefinition } from "../../schema/plan.ts";
import { plainLine } from "../../views/plain-text.ts";
import { ChoicesNeeded } from "../choice.ts";
import type { Project } from "../project/project.ts";
import { namedStart, planBuild } from "./plan-build.ts";
import type { PlanningContext } from "./planning.ts";
import type { BuildTarget } from "./run-request.ts";

export type PlannedWork = {
  readonly title: string;
  /** Null for the whole workflow. */
  readonly target: BuildTarget | null;
  /** True if the item already has a line in the backlog. */
  readonly isListed: boolean;
  /** Issue the item was created for. */
  readonly issue?: IssueLink | null;
};

/** Finds the item to build and its first phase. New work, and work without items, runs the whole workflow. */
export async function planTarget(
  planning: PlanningContext,
  definition: WorkflowDefinition,
  title: string,
): Promise<PlannedWork> {
  const { project, request } = planning;
  if (request.target !== undefined) return { title, target: request.target, isListed: request.isListed === true };
  if (definition.items?.root !== ITEMS_ROOT) {
    const phases = namedStart(planning, definition);
    const target = phases === null ? null : { folder: null, phases, analysed: [], record: {} };
    return { title, target, isListed: false };
  }
  const item = resolveWork(planning, title);
  const target = await planBuild(planning, { definition, item, folder: folderFor(item) });
  const url = item.meta?.["source_url"];
  const issue = typeof url === "string" ? readIssueLink(url) : null;
  return { title: itemTitle(project, item, title), target, isListed: item.backlogLine !== undefined, issue };
}

/** Finds the item to build. Asks before new work that may be the work of an existing item. */
function resolveWork(planning: PlanningContext, title: string): FoundItem {
  const found = findItem(planning.project, title);
  if (found === null) return byWords(planning, title) ?? newWork(planning, title, null);
  const builtAt = found.meta?.["build_completed_at"];
  if (typeof builtAt !== "string") return found;
  if (!hasTitle(found, title)) return newWork(planning, title, found);
  const day = plainLine(builtAt.slice(0, 10));
  planning.notes.push(`${plainLine(found.slug)} was already built, on ${day}. This builds it again.`);
  return found;
}

/** True for a folder name with or without its number, and for a reference. A built item is meant only if it is named. */
const hasTitle = ({ slug }: FoundItem, title: string): boolean =>
  slug === title || withoutItemId(slug) === title || isReference(title);

/** Finds the only unbuilt item with the same words in its title, in any order. */
function byWords({ project, notes }: PlanningContext, title: string): FoundItem | null {
  const [only, ...others] = project.items.titles().filter((item) => !isBuilt(item) && haveSameWords(item.title, title));
  if (only === undefined || others.length > 0) return null;
  notes.push(`Building the existing item ${plainLine(only.slug)}: ${plainLine(only.title, 100)}`);
  return only;
}

/** Asks first if there are items with similar titles. */
function newWork({ project, choices }: PlanningContext, title: string, found: FoundItem | null): FoundItem {
  const near = project.items
    .titles()
    .filter((item) => item.slug === found?.slug || areSimilarTitles(item.title, title));
  if (near.length > 0) choices.resolve({ id: "another", kind: "confirm", options: ["yes"], ...nearItems(near) }, "yes");
  return { slug: title, dir: null, meta: null };
}

const MAX_NEAR_ITEMS = 5;

function nearItems(near: readonly TitledItem[]): { readonly about: readonly string[] } {
  const rows = near.slice(-MAX_NEAR_ITEMS).map((item) => {
    const built = isBuilt(item) ? " (built)" : "";
    return `  ${plainLine(item.slug, 60)}${built}: ${plainLine(item.title, 80)}`;
  });
  const [first = near[0]] = near.filter((item) => !isBuilt(item));
  const instead = `To build one of them: isdlc build ${plainLine(first?.slug ?? "", 60)}`;
  return { about: ["There are items that may be the same work:", ...rows, instead] };
}

/** Returns the item's folder, or the name in its backlog line; null to draw a number. */
function folderFor({ slug, dir, backlogLine }: FoundItem): string | null {
  return dir !== null || readBacklogItem(backlogLine)?.folder === slug ? slug : null;
}

/**
 * Finds the one matching item; null if there is none.
 * @throws ProblemError ITEM_UNKNOWN for an unknown number or reference, because it does not describe any work.
 * ChoicesNeeded if several items match.
 */
export function findItem({ items }: { readonly items: Pick<Items, "find"> }, wanted: string): FoundItem | null {
  const found = items.find(wanted);
  if (found === null && isReference(wanted)) throw new ProblemError({ code: "ITEM_UNKNOWN", reference: wanted });
  if (found === null || !("multiple" in found)) return found;
  const unbuilt = found.matches.filter((item) => !isBuilt(item));
  if (unbuilt.length < 2) return unbuilt[0] ?? found.matches.at(-1) ?? null; // built items are not the next work
  const options = unbuilt.map(({ slug }) => slug);
  const about = ["Several items match:", ...options.map((slug) => `  ${plainLine(slug)}`)];
  throw new ChoicesNeeded([{ id: "item", kind: "item", options, about }]);
}

/** Finds the item created for an issue; null if there is none, or more than one. */
export function itemOfIssue({ items }: Pick<Project, "items">, issue: IssueLink | null): FoundItem | null {
  const found = issue === null ? null : items.find(issue.id);
  return found === null || "multiple" in found ? null : found;
}

const isBuilt = ({ meta }: FoundItem): boolean => typeof meta?.["build_completed_at"] === "string";

/** Returns an item's title: from its record, else from its backlog line, else the given words. */
export function itemTitle({ items }: Pick<Project, "items">, found: FoundItem | null, words: string): string {
  if (found === null) return words;
  return found.dir === null ? (readBacklogItem(found.backlogLine)?.title ?? words) : items.title(found.slug);
}
