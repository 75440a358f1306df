import { existsSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../adapters/file-lock/file-calls.ts";
import { readHead } from "../../adapters/git/git-head.ts";
import { appendToBacklog, readItems } from "../../adapters/items/backlog-file.ts";
import { readMetaJson, writeMetaJson } from "../../adapters/items/meta-file.ts";
import { type FoundItem, resolveItem } from "../../adapters/items/resolve-item.ts";
import { backlogDescription } from "../../core/items/backlog-line.ts";
import { detectSource } from "../../core/items/item-source.ts";
import { plainLine } from "../../views/plain-text.ts";
import { ChoiceNeeded } from "./choice.ts";
import { type Project, systemClock } from "./project.ts";
import { deskOf } from "./desk-of.ts";

export const ITEMS_ROOT = "docs/requirements";

export const itemsFolder = ({ root }: Project): string => join(root, ...ITEMS_ROOT.split("/"));
const backlogFile = ({ root }: Project): string => join(root, "BACKLOG.md");

/** The one item a person means; null when there is none. Several are a choice for the person. */
export function findItem(project: Project, wanted: string): FoundItem | null {
  const found = resolveItem(wanted, itemsFolder(project), backlogFile(project));
  if (found === null || !("multiple" in found)) return found;
  const options = found.matches.map(({ slug }) => slug);
  const about = ["Several items match:", ...options.map((slug) => `  ${plainLine(slug)}`)];
  throw new ChoiceNeeded({ kind: "item", options, flag: "one of these names instead", about });
}

export type NewItem = { readonly description: string; readonly folder: string };

/** Creates an item's folder, draft, meta and line in the backlog. False when it is there already, which stays as it is. */
export function createItem(project: Project, { description, folder }: NewItem): boolean {
  const dir = join(itemsFolder(project), folder);
  if (existsSync(dir)) return false;
  deskOf(project).makeFolder(`${ITEMS_ROOT}/${folder}`);
  const { source, source_id, description: text } = detectSource(description);
  const title = plainLine(text, 200);
  replaceFile(project.files, join(dir, "draft.md"), Buffer.from(`# ${title}\n\n${text}\n`));
  writeMetaJson(dir, {
    description: title,
    source,
    source_id,
    slug: folder,
    created_at: systemClock.now(),
    analysis_status: "raw",
    phases_completed: [],
    codebase_hash: readHead(project.root)?.hash ?? null,
  });
  const line = backlogDescription(title, { reference: source_id, folder: `${ITEMS_ROOT}/${folder}` });
  appendToBacklog(backlogFile(project), nextNumber(project), line);
  return true;
}

/** The item's own title, where its record has one. */
export function titleOfItem(project: Project, folder: string): string {
  const description = readMetaJson(join(itemsFolder(project), folder))?.["description"];
  return typeof description === "string" && description !== "" ? description : folder;
}

/** One more than the last number of the newest section: after 16.2 comes 16.3. */
function nextNumber(project: Project): string {
  const numbers = readItems(backlogFile(project)).flatMap(({ itemNumber }) => {
    const [, section, item] = /^([0-9]+)\.([0-9]+)$/.exec(itemNumber ?? "") ?? [];
    return section === undefined || item === undefined ? [] : [{ section: Number(section), item: Number(item) }];
  });
  const section = Math.max(1, ...numbers.map((number) => number.section));
  const items = numbers.filter((number) => number.section === section).map((number) => number.item);
  return `${section}.${Math.max(0, ...items) + 1}`;
}
