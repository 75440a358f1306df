import type { ItemMeta } from "../../core/items/item-meta.ts";
import { checkStaleness } from "../../core/items/staleness.ts";
import type { FoundItem, SeenItems } from "../../ports/items.ts";
import type { ItemList, ItemRow } from "../../schema/api-project.ts";
import type { CommitId } from "../../schema/ids.ts";

/** Lists every item, its analysis status, and if its analysis is stale. */
export async function lookAtItems(seen: SeenItems): Promise<ItemList> {
  const found = seen.all();
  const isStale = await createStalenessCheck(seen, found);
  const items = found.map((item): ItemRow => {
    const { slug, meta } = item;
    return {
      slug,
      status: meta?.analysis_status ?? "raw",
      createdAt: meta?.created_at ?? null,
      isBuilt: isBuilt(meta),
      isStale: isStale(item),
    };
  });
  return { items };
}

/** Commits alone make no item stale. Asks git once, for all items together, for the changed files. */
async function createStalenessCheck(
  seen: SeenItems,
  found: readonly FoundItem[],
): Promise<(item: FoundItem) => boolean | null> {
  const head = seen.head();
  if (head === null) return () => null;
  const older = new Map<FoundItem, CommitId>();
  for (const item of found)
    if (awaitsBuild(item.meta) && checkStaleness(item.meta, head).stale)
      older.set(item, String(item.meta["codebase_hash"]));
  const moved = older.size === 0 ? new Map<CommitId, boolean>() : await seen.movedOn([...older.values()]);
  return (item) => {
    if (!awaitsBuild(item.meta)) return null;
    const hash = older.get(item);
    return hash === undefined ? false : (moved.get(hash) ?? null);
  };
}

/** Staleness matters only for analysed items without a build. */
const awaitsBuild = (meta: ItemMeta | null): meta is ItemMeta =>
  meta !== null && meta.analysis_status !== "raw" && !isBuilt(meta);

const isBuilt = (meta: ItemMeta | null): boolean => typeof meta?.["build_completed_at"] === "string";
