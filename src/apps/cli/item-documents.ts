import { join } from "node:path";
import { folderExists } from "../../adapters/file-system/file-system.ts";
import { readHead } from "../../adapters/git/read/git-head.ts";
import { appendToBacklog, hasBacklogLine, readItems } from "../../adapters/items/backlog-file.ts";
import { messageOf, readDocument, replaceDocument } from "../../adapters/items/document-file.ts";
import { alone } from "../../adapters/items/items-lock.ts";
import { mergeMeta, readMetaJson, writeMetaJson } from "../../adapters/items/meta-file.ts";
import { type FoundItem, resolveItem } from "../../adapters/items/resolve-item.ts";
import { backlogDescription, readBacklogItem } from "../../core/items/backlog-line.ts";
import type { MetaFields } from "../../core/items/item-meta.ts";
import { detectSource, isReference } from "../../core/items/item-source.ts";
import { ProblemError } from "../../core/problem.ts";
import { plainLine } from "../../views/plain-text.ts";
import { ChoiceNeeded } from "./grammar/choice.ts";
import type { Io } from "./terminal/io.ts";
import type { LocalProject } from "../../compose/project.ts";
import { systemClock } from "../../compose/place.ts";

export const ITEMS_ROOT = "docs/requirements";

/** @throws ProblemError UNSAFE_PATH where a folder on the way is a link: what is behind it is not the project's. */
export function itemsFolder({ root, files }: Pick<LocalProject, "root" | "files">): string {
  const names = ITEMS_ROOT.split("/");
  for (let depth = 1; depth <= names.length; depth++) folderExists(files, join(root, ...names.slice(0, depth)));
  return join(root, ...names);
}

const backlogFile = ({ root }: LocalProject): string => join(root, "BACKLOG.md");

/**
 * The one item a person means; null when there is none. Several are a choice for the person.
 * @throws ProblemError ITEM_UNKNOWN for a number or reference that no item has: it says nothing about the work.
 */
export function findItem(project: LocalProject, wanted: string): FoundItem | null {
  const found = resolveItem(wanted, itemsFolder(project), backlogFile(project));
  if (found === null && isReference(wanted)) throw new ProblemError({ code: "ITEM_UNKNOWN", reference: wanted });
  if (found === null || !("multiple" in found)) return found;
  const unbuilt = found.matches.filter((item) => !isBuilt(item));
  if (unbuilt.length < 2) return unbuilt[0] ?? found.matches.at(-1) ?? null; // what is built is nobody's next work
  const options = unbuilt.map(({ slug }) => slug);
  const about = ["Several items match:", ...options.map((slug) => `  ${plainLine(slug)}`)];
  throw new ChoiceNeeded({ kind: "item", options, flag: "one of these names instead", about });
}

export const isBuilt = ({ meta }: FoundItem): boolean => typeof meta?.["build_completed_at"] === "string";

export type NewItem = {
  readonly description: string;
  readonly folder: string;
  /** True for one that has its line in the backlog already. */
  readonly isListed?: boolean;
};

/** Whether an item was created, and what of it could not be written. */
export type Creation = { readonly created: boolean; readonly warnings: readonly string[] };

/** Creates an item's folder, draft, meta and line in the backlog. One that is there already stays as it is. */
export const createItem = (project: LocalProject, item: NewItem): Promise<Creation> =>
  alone(project.folders.state, () => writeItem(project, item), project.files);

function writeItem(project: LocalProject, { description, folder, isListed = false }: NewItem): Creation {
  const dir = join(itemsFolder(project), folder);
  if (folderExists(project.files, dir) && !isUnfinished(project, dir)) return { created: false, warnings: [] };
  const { source, source_id, description: text } = detectSource(description);
  const title = plainLine(text, 200);
  // The line first and the meta last: whoever is killed in between is found out, and nothing is written twice.
  const line = backlogDescription(title, { reference: source_id, folder: `${ITEMS_ROOT}/${folder}` });
  const backlog = backlogFile(project);
  const isLinked = readItems(backlog).some((item) => item.folder === folder);
  const listed = isListed || isLinked || appendToBacklog(backlog, nextNumber(project), line);
  project.projections.makeFolder(`${ITEMS_ROOT}/${folder}`);
  const warnings = [writeDraft(dir, `# ${title}\n\n${text}\n`)];
  const meta = writeMetaJson(dir, {
    description: title,
    source,
    source_id,
    slug: folder,
    created_at: systemClock.now(),
    analysis_status: "raw",
    phases_completed: [],
    codebase_hash: readHead(project.root)?.hash ?? null,
  });
  warnings.push(
    meta.written ? null : meta.warning,
    listed ? null : "BACKLOG.md is no plain file, or cannot be written.",
  );
  return { created: true, warnings: warnings.filter((warning) => warning !== null) };
}

/** A folder in which nothing but a draft is, if that: whoever made it was stopped before the rest. */
const isUnfinished = ({ files }: LocalProject, dir: string): boolean =>
  files.readdirSync(dir).every((name) => name === "draft.md");

/** True for an item that has its line in the backlog. */
export const isInBacklog = (project: LocalProject, folder: string): boolean =>
  hasBacklogLine(backlogFile(project), folder);

/** Sets fields of an item's record; what keeps them from being written, or null. The work goes on without. */
export function recordFields(project: LocalProject, folder: string, fields: MetaFields): string | null {
  if (Object.keys(fields).length === 0) return null;
  const written = mergeMeta(join(itemsFolder(project), folder), fields);
  return written.written ? null : written.warning;
}

function writeDraft(dir: string, text: string): string | null {
  try {
    const file = join(dir, "draft.md");
    if (readDocument(file) === null) replaceDocument(file, text, null);
    return null;
  } catch (error) {
    return `draft.md was not written: ${messageOf(error)}`;
  }
}

/** The same for work that is begun now: says what was added, and what of it could not be written. */
export async function putOnRecord(io: Io, project: LocalProject, item: NewItem): Promise<void> {
  const { created, warnings } = await createItem(project, item);
  if (created) io.err(`Added ${ITEMS_ROOT}/${item.folder}`);
  for (const warning of warnings) io.err(`warning: ${warning}`);
}

/** An item as people call it: by its record, else by its line in the backlog, else as they just did. */
export function itemTitle(project: LocalProject, found: FoundItem | null, words: string): string {
  if (found === null) return words;
  return found.dir === null ? (readBacklogItem(found.backlogLine)?.title ?? words) : titleOfItem(project, found.slug);
}

/** The item's own title, where its record has one. */
function titleOfItem(project: LocalProject, folder: string): string {
  const description = readMetaJson(join(itemsFolder(project), folder))?.["description"];
  return typeof description === "string" && description !== "" ? description : folder;
}

/** One more than the last number of the newest section: after 16.2 comes 16.3. */
function nextNumber(project: LocalProject): string {
  const numbers = readItems(backlogFile(project)).flatMap(({ itemNumber }) => {
    const [, section, item] = /^([0-9]+)\.([0-9]+)$/.exec(itemNumber ?? "") ?? [];
    return section === undefined || item === undefined ? [] : [{ section: Number(section), item: Number(item) }];
  });
  const section = Math.max(1, ...numbers.map((number) => number.section));
  const items = numbers.filter((number) => number.section === section).map((number) => number.item);
  return `${section}.${Math.max(0, ...items) + 1}`;
}
