import type { Pool } from "pg";
import { sha256 } from "../../../src/adapters/files/node-crypto.ts";
import { folderSlug } from "../../../src/app/start/name-work.ts";
import { OWN, ownPath } from "../../../src/core/own-folder.ts";
import { type FoundItem, ITEMS_ROOT } from "../../../src/ports/items.ts";
import type { RunId } from "../../../src/schema/ids.ts";
import type { WorkflowDefinition } from "../../../src/schema/plan.ts";
import type { RepositoryCopy } from "../copies/repository-copies.ts";
import { drawName } from "../server/drawn-names.ts";
import { refusedField } from "./refused-field.ts";
import { findItemAt } from "./repository-facts.ts";
import type { StartFacts } from "./start-facts.ts";
import { featureSlug } from "../../../src/core/spec/spec-meta.ts";

/** The worker that starts a run. */
export type Starter = { readonly run: RunId; readonly worker: string; readonly epoch: number };

export type RunNaming = {
  readonly pool: Pool;
  readonly starter: Starter;
  readonly copy: RepositoryCopy;
  readonly definition: WorkflowDefinition;
  /** Title of the request. */
  readonly title: string;
  readonly facts: Pick<StartFacts, "folder" | "title" | "phases" | "commit">;
};

export type NamedWork = {
  /** Folder of the work, relative to the working tree. */
  readonly item: string;
  readonly branch: string | null;
  readonly title: string;
  /** The item named by the request, if there is one. */
  readonly found: FoundItem | null;
};

/**
 * Names the work of a run: its folder, drawn or found by the worker, and its branch, drawn by the server. @throws
 * ProblemError NOT_ALLOWED if the folder is neither the run's own nor that of the item in the request
 */
export async function nameRun(naming: RunNaming): Promise<NamedWork> {
  const { definition, starter, title, facts } = naming;
  const { items, branch } = definition;
  const found = await findMeant(naming);
  if (found === null && facts.title !== title) throw refusedField("title", "it is not the title of the request");
  const folder = items === null ? null : facts.folder;
  if (items !== null && folder === null) throw refusedField("folder", "the workflow has items");
  if (items !== null && folder !== null) await requireFolder(naming, `${items.root}/${folder}`, found);
  const item = items === null || folder === null ? ownPath(OWN.work, starter.run) : `${items.root}/${folder}`;
  const slug = folderSlug({ hash: sha256 }, facts.title);
  const name = branch === null ? null : await drawBranch(naming, `${branch}${folder ?? slug}`);
  return { item, branch: name, title: facts.title, found };
}

/** Searches for the item only if the worker reports one: the search reads every record. */
async function findMeant({ copy, definition, title, facts }: RunNaming): Promise<FoundItem | null> {
  if (definition.items?.root !== ITEMS_ROOT || facts.folder === null) return null;
  const isNew = !(await isFolder(copy, facts.commit, `${ITEMS_ROOT}/${facts.folder}`));
  const isWhole = definition.phases.every(({ key }) => facts.phases.includes(key));
  if (isNew && isWhole && facts.title === title) return null;
  return findItemAt(copy, facts.commit, title);
}

/** @throws ProblemError NOT_ALLOWED */
async function requireFolder(naming: RunNaming, path: string, found: FoundItem | null): Promise<void> {
  const { pool, starter, copy, definition, facts } = naming;
  const { folder } = facts;
  if (folder === null || (found !== null && found.slug === folder)) return;
  if (await isFolder(copy, facts.commit, path)) throw refusedField("folder", "it belongs to another item");
  const number = numberIn(folder, definition.items?.prefix ?? "", facts.title);
  if (number === null || !(await drawName(pool, starter, number)))
    throw refusedField("folder", "its number was not drawn for this run");
}

/** Returns the name reserved for the number of a new item's folder, or null if the folder has another form. */
function numberIn(folder: string, prefix: string, title: string): string | null {
  const slug = folderSlug({ hash: sha256 }, title);
  const ending = `-${prefix === "" ? featureSlug(slug) : slug}`;
  if (!folder.endsWith(ending)) return null;
  const id = folder.slice(0, -ending.length);
  if (prefix === "") return /^[0-9]{3,}$/.test(id) ? `feature-${id}` : null;
  return id.startsWith(`${prefix}-`) && /^[0-9]{4,}$/.test(id.slice(prefix.length + 1)) ? id : null;
}

async function isFolder({ git }: RepositoryCopy, commit: string, path: string): Promise<boolean> {
  const args = ["--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", path];
  return (await git(args)).stdout.length > 0;
}

/** Draws the first free name: not a branch of the remote, and not drawn for another run. */
async function drawBranch({ pool, starter, copy }: RunNaming, wanted: string): Promise<string> {
  for (let number = 1; ; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    const ref = `refs/heads/${name}`;
    const isTaken = (await copy.fetch([ref])).has(ref);
    if (!isTaken && (await drawName(pool, starter, ref))) return name;
  }
}
