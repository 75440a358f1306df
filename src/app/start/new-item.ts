import type { IssueLink } from "../../core/items/issue-link.ts";
import { detectSource } from "../../core/items/item-source.ts";
import type { NewItem } from "../../ports/items.ts";
import { plainLine } from "../../views/plain-text.ts";

export type ItemNaming = { readonly folder: string; readonly isListed?: boolean; readonly issue?: IssueLink | null };

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
