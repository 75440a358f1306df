import { readHead } from "../../../adapters/git/read/git-head.ts";
import { codeMovedOn } from "../../../adapters/git/read/git-moved-on.ts";
import { itemsFolder } from "../../../adapters/items/items-folder.ts";
import { listItems } from "../../../adapters/items/resolve-item.ts";
import type { FoundItem } from "../../../ports/items.ts";
import type { ItemMeta } from "../../../core/items/item-meta.ts";
import { checkStaleness } from "../../../core/items/staleness.ts";
import { type ItemRow, itemsTable } from "../../../views/items-table.ts";
import { findProject, systemClock } from "../../../compose/place.ts";
import type { LocalProject } from "../../../compose/project.ts";
import { done, type Run } from "../grammar/verb.ts";

/** Every item, how far its analysis is, and whether the code moved on since. */
export const items: Run = async ({ cwd, env }) => {
  const rows = await itemRows(findProject(cwd, env));
  return done([itemsTable(rows, systemClock.now())], { items: rows });
};

export async function itemRows(project: Pick<LocalProject, "root" | "files">): Promise<ItemRow[]> {
  const found = listItems(itemsFolder(project));
  const isStale = await stalenessOf(project, found);
  return found.map((item): ItemRow => {
    const { slug, meta } = item;
    return {
      slug,
      status: meta?.analysis_status ?? "raw",
      createdAt: meta?.created_at ?? null,
      isBuilt: isBuilt(meta),
      isStale: isStale(item),
    };
  });
}

/** Other commits alone make nothing stale; what they changed is asked once, for all items together. */
async function stalenessOf(
  project: Pick<LocalProject, "root">,
  found: readonly FoundItem[],
): Promise<(item: FoundItem) => boolean | null> {
  const head = readHead(project.root)?.hash ?? null;
  if (head === null) return () => null;
  const older = new Map<FoundItem, string>();
  for (const item of found)
    if (awaitsBuild(item.meta) && checkStaleness(item.meta, head).stale)
      older.set(item, String(item.meta["codebase_hash"]));
  const moved = older.size === 0 ? new Map<string, boolean>() : await codeMovedOn(project.root, older.values());
  return (item) => {
    if (!awaitsBuild(item.meta)) return null;
    const hash = older.get(item);
    return hash === undefined ? false : (moved.get(hash) ?? null);
  };
}

/** Only then does it matter whether the code moved on. */
const awaitsBuild = (meta: ItemMeta | null): meta is ItemMeta =>
  meta !== null && meta.analysis_status !== "raw" && !isBuilt(meta);

const isBuilt = (meta: ItemMeta | null): boolean => typeof meta?.["build_completed_at"] === "string";
