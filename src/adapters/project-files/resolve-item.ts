import { join, sep } from "node:path";
import type { BacklogItem } from "../../core/items/backlog-line.ts";
import { itemId, withoutItemId } from "../../core/items/backlog-text.ts";
import { wordSlug } from "../../core/plan.ts";
import { detectSource, generateSlug, MAX_TITLE_LENGTH } from "../../core/items/item-source.ts";
import type { FoundItem, ResolvedItem } from "../../ports/items.ts";
import { isSafeName } from "../../schema/ids.ts";
import { folderExists, nodeFiles } from "../files/file-system.ts";
import { findBacklogItemByNumber, readItems, searchBacklogTitles } from "./backlog-file.ts";
import { readListedMeta, readMetaJson } from "./meta-file.ts";

/**
 * Finds the item a user means: by folder name, the end of a folder name, number, reference, title or description, in
 * this order. If several match, the user chooses. The input is compared with existing names, and never becomes part of
 * a path.
 */
export function resolveItem(input: unknown, requirementsDir: unknown, backlogFile: unknown): ResolvedItem {
  const wanted = typeof input === "string" ? input.trim() : "";
  if (wanted === "") return null;
  const folders = itemFolders(requirementsDir);
  const ways: readonly (() => FoundItem[])[] = [
    () => preferAnalysed(folders.filter((folder) => isSame(folder.slug, wanted))),
    () => preferAnalysed(bySuffix(folders, wanted)),
    () => listed(findBacklogItemByNumber(backlogFile, wanted), folders),
    () => byReference(folders, readItems(backlogFile), wanted),
    () => searchBacklogTitles(backlogFile, wanted).flatMap((item) => listed(item, folders)),
    () => (isPath(wanted) ? [] : fromFolder(folderFor(folders, wanted))),
  ];
  for (const find of ways) {
    const found = distinct(find());
    if (found.length > 1) return { multiple: true, matches: found };
    if (found[0] !== undefined) return found[0];
  }
  return null;
}

/** Finds the items with this reference in their meta: `#42`, `GH-42`, `ABC-12`. */
export function findByExternalRef(requirementsDir: unknown, reference: unknown): FoundItem[] {
  return typeof reference === "string" ? byReference(itemFolders(requirementsDir), [], reference) : [];
}

/** Finds the folder named after a description, with or without a number in front. */
export function findDirForDescription(requirementsDir: unknown, description: unknown): FoundItem | null {
  if (typeof description !== "string" || description.trim() === "") return null;
  return fromFolder(folderFor(itemFolders(requirementsDir), description))[0] ?? null;
}

/** Lists all item folders, sorted by name. */
export function listItems(requirementsDir: unknown): FoundItem[] {
  const now = new Date().toISOString();
  return itemFolders(requirementsDir).map((folder) => ({ ...folder, meta: readListedMeta(folder.dir, now) }));
}

type ItemFolder = { readonly slug: string; readonly dir: string };

/** Lists real folders with safe names. Links are not items. */
function itemFolders(requirementsDir: unknown): ItemFolder[] {
  if (typeof requirementsDir !== "string" || requirementsDir === "" || requirementsDir.includes("\0")) return [];
  try {
    if (!folderExists(nodeFiles, requirementsDir)) return [];
    const entries = nodeFiles.readdirSync(requirementsDir, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isDirectory() && isSafeName(entry.name)).map(({ name }) => name);
    const parent = join(requirementsDir, sep); // joined once: for many items, this takes a tenth of the time
    return names.sort().map((slug) => ({ slug, dir: `${parent}${slug}` }));
  } catch {
    return [];
  }
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** True for a single word with a slash. Several words may contain one without being a path. */
const isPath = (text: string): boolean => /[\\/\p{Cc}]/u.test(text) && !text.includes(" ");

/** Prefers folders named like the input after their number to folders that only end like it. */
function bySuffix(folders: readonly ItemFolder[], wanted: string): ItemFolder[] {
  const ending = `-${wanted.toLowerCase()}`;
  const found = folders.filter(({ slug }) => slug.toLowerCase().endsWith(ending));
  const numbered = found.filter(({ slug }) => isSame(withoutItemId(slug), wanted));
  return numbered.length > 0 ? numbered : found;
}

/** Prefers folders with a meta file. A folder without one is an older item, and counts only if all are without. */
function preferAnalysed(folders: readonly ItemFolder[]): FoundItem[] {
  const found = folders.flatMap(fromFolder);
  const known = found.filter(({ meta }) => meta !== null);
  return known.length > 0 ? known : found;
}

function byReference(folders: readonly ItemFolder[], items: readonly BacklogItem[], wanted: string): FoundItem[] {
  if (/\s/.test(wanted)) return [];
  const numbered = folders.filter(({ slug }) => itemId(slug)?.toLowerCase() === wanted.toLowerCase());
  if (numbered.length > 0) return numbered.flatMap(fromFolder);
  const { source_id: id } = detectSource(wanted);
  if (id === null) return [];
  const referred = folders.flatMap(fromFolder).filter(({ meta }) => meta?.["source_id"] === id);
  if (referred.length > 0) return referred;
  return items.filter(({ reference }) => reference === id).flatMap((item) => listed(item, folders));
}

function folderFor(folders: readonly ItemFolder[], description: string): ItemFolder | undefined {
  const slug = generateSlug(description);
  if (slug === generateSlug("")) return undefined; // such a name does not describe the work
  const slugs = [slug, wordSlug(description.slice(0, MAX_TITLE_LENGTH))];
  const isNamed = (name: string): boolean => slugs.some((one) => isSame(name, one));
  return (
    folders.find((folder) => isNamed(folder.slug)) ?? folders.find((folder) => isNamed(withoutItemId(folder.slug)))
  );
}

const fromFolder = (folder: ItemFolder | undefined): FoundItem[] =>
  folder === undefined ? [] : [{ ...folder, meta: readMetaJson(folder.dir) }];

/** Returns a backlog line with its folder: the linked one, otherwise the one named after its title. */
function listed(item: BacklogItem | null, folders: readonly ItemFolder[]): FoundItem[] {
  if (item === null) return [];
  const { folder: name, title, line, itemNumber } = item;
  const folder = name === null ? folderFor(folders, title) : folders.find(({ slug }) => isSame(slug, name));
  const found = fromFolder(folder)[0] ?? { slug: name ?? generateSlug(title), dir: null, meta: null };
  const slug = isSafeName(found.slug) ? found.slug : generateSlug(title);
  return [{ ...found, slug, backlogLine: line, ...(itemNumber !== null && { itemNumber }) }];
}

/** Removes duplicates with the same folder. */
function distinct(items: readonly FoundItem[]): FoundItem[] {
  return items.filter((item, index) => item.dir === null || items.findIndex(({ dir }) => dir === item.dir) === index);
}
