import { OWN, ownPath } from "../../core/own-folder.ts";
import { wordSlug } from "../../core/plan.ts";
import { parseNumber } from "../../engine/write-projections.ts";
import type { RunId } from "../../schema/ids.ts";
import type { WorkflowDefinition } from "../../schema/plan.ts";
import type { Project } from "../project/project.ts";
import { featureId, featureNumber, featureSlug } from "../../core/spec/spec-meta.ts";
import { detectSource, type IssueLink } from "../../core/items/item-source.ts";
import type { NewItem } from "../../ports/items.ts";
import { plainLine } from "../../views/plain-text.ts";

export type NamingRequest = {
  readonly project: Project;
  readonly definition: WorkflowDefinition;
  readonly title: string;
  readonly run: RunId;
  readonly git: boolean;
  /** Folder of an existing item. Its name stays and no number is drawn. */
  readonly folder: string | null;
};

/**
 * Names the folder and branch of new work: `REQ-0007-login` and `feature/REQ-0007-login`; without an item,
 * `change/login`.
 */
export async function nameWork({
  project,
  definition,
  title,
  run,
  git,
  folder: given,
}: NamingRequest): Promise<{ item: string; branch: string | null }> {
  const slug = folderSlug(project, title);
  const { items, branch } = definition;
  const folder = given ?? (items === null ? null : await nextFolder(project, items, { slug, git }));
  const item = items === null || folder === null ? ownPath(OWN.work, run) : `${items.root}/${folder}`;
  if (!git || branch === null) return { item, branch: null };
  const wanted = `${branch}${folder ?? slug}`;
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!(await project.vcs.branchExists(name))) return { item, branch: name };
  }
}

/** Returns the folder name of a title. A title without plain letters gets a name from its hash. */
export function folderSlug({ hash }: Pick<Project, "hash">, title: string): string {
  const slug = wordSlug(title);
  return slug === wordSlug("") ? `item-${hash(title).slice(0, 8)}` : slug;
}

type Items = NonNullable<WorkflowDefinition["items"]>;

/**
 * Reserves the next free number: higher than any in a working tree, on a local branch or already reserved. A number is
 * never used again, even if its item was deleted.
 */
export async function nextFolder(
  project: Project,
  { root, prefix }: Items,
  { slug, git }: { slug: string; git: boolean },
): Promise<string> {
  const ids = git ? project.ids : null;
  const highest = Math.max(
    0,
    ...(await namesSeen(project, root, git)).map((name) => idNumber(name, prefix)),
    ...((await ids?.names()) ?? []).map((name) => idNumber(name.replace(/^feature-/, ""), prefix)),
    (project.projections.earlier()?.counters[`next_${prefix.toLowerCase()}_id`] ?? 1) - 1,
  );
  for (let number = highest + 1; ; number++) {
    const id = prefix === "" ? featureId(number) : `${prefix}-${String(number).padStart(4, "0")}`;
    const isFree = ids === null || (await ids.reserve(prefix === "" ? `feature-${id}` : id));
    if (isFree) return `${id}-${prefix === "" ? featureSlug(slug) : slug}`;
  }
}

async function namesSeen({ projections, vcs, ids }: Project, root: string, git: boolean): Promise<string[]> {
  const here = projections.itemNames(root);
  return git ? [...here, ...ids.inOtherTrees(root), ...(await vcs.itemNames(root))] : [...here];
}

const idNumber = (name: string, prefix: string): number =>
  prefix === "" ? featureNumber(name) : parseNumber(name, prefix);

type ItemNaming = { readonly folder: string; readonly isListed?: boolean; readonly issue?: IssueLink | null };

/** Creates an item's record from the user's description and its issue, if any. */
export function newItem(description: string, { folder, isListed = false, issue = null }: ItemNaming): NewItem {
  if (issue !== null) {
    const title = plainLine(description, 200);
    const { source, id: reference, url } = issue;
    return { folder, title, text: `${description}\n\n${url}`, source, reference, url, isListed };
  }
  const { source, source_id: reference, description: text } = detectSource(description);
  return { folder, title: plainLine(text, 200), text, source, reference, isListed };
}
