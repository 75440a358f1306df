import { detectSource } from "../../core/items/item-source.ts";
import type { NewItem } from "../../ports/items.ts";
import { plainLine } from "../../views/plain-text.ts";

/** An item as it is put on record, from a person's words about it. */
export function newItem(description: string, folder: string, isListed = false): NewItem {
  const { source, source_id: reference, description: text } = detectSource(description);
  return { folder, title: plainLine(text, 200), text, source, reference, isListed };
}
