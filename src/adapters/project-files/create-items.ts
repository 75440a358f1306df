import { basename, join } from "node:path";
import { deriveBacklogMarker } from "../../core/items/analysis-status.ts";
import { backlogDescription } from "../../core/items/backlog-line.ts";
import type { ItemMeta } from "../../core/items/item-meta.ts";
import { OWN, ownPath } from "../../core/own-folder.ts";
import { type Creation, ITEMS_ROOT, type Items, type NewItem, type Removal } from "../../ports/items.ts";
import { folderExists } from "../files/file-system.ts";
import { readHead } from "../git/read/git-head.ts";
import { appendToBacklog, hasBacklogLine, readItems, removeFromBacklog, updateBacklogMarker } from "./backlog-file.ts";
import { unsafeParent } from "./create-item-records.ts";
import { errorMessage, readDocument, replaceDocument } from "./document-file.ts";
import { itemsFolder, type ItemsLocation, alone } from "./items-folder.ts";
import {
  inspectMeta,
  mergeMeta,
  readMetaJson,
  replaceDamaged,
  withdrawCompletion,
  writeMetaJson,
} from "./meta-file.ts";
import { listItems, resolveItem } from "./resolve-item.ts";
import type { Clock } from "../../ports/processes.ts";

export type ItemsOptions = ItemsLocation & {
  /** The user's own folder, with the shared lock. */
  readonly state: string;
  readonly clock: Clock;
  /** Creates a folder under the working tree. */
  readonly makeFolder: (path: string) => void;
};

function readTitle(meta: ItemMeta | null): string | null {
  const description = meta?.["description"];
  return typeof description === "string" && description !== "" ? description : null;
}

/** Creates access to the items of a working tree. */
export function createItems(options: ItemsOptions): Items {
  const { root, state, files } = options;
  const folderOf = (item: string): string => join(root, ...item.split("/"));
  const inItems = (folder: string): string => join(itemsFolder(options), folder);
  return {
    find: (words) => resolveItem(words, itemsFolder(options), backlogFile(options)),
    titles: () =>
      listItems(itemsFolder(options)).map((item) => ({ ...item, title: readTitle(item.meta) ?? item.slug })),
    inspect: ({ dir }) => inspectMeta(dir),
    title: (folder) => readTitle(readMetaJson(inItems(folder))) ?? folder,
    isListed: (folder) => hasBacklogLine(backlogFile(options), folder),
    create: (item) => alone(state, () => writeItem(options, item), files),
    remove: (folder) => alone(state, () => removeItem(options, folder), files),
    setFields(folder, fields) {
      if (Object.keys(fields).length === 0) return null;
      const written = mergeMeta(inItems(folder), fields);
      return written.written ? null : written.warning;
    },
    replaceDamaged(folder, damaged, meta) {
      try {
        return replaceDamaged(inItems(folder), damaged, { ...meta });
      } catch {
        return null;
      }
    },
    builtAt(item) {
      if (unsafeParent(root, item.split("/")) !== null) return null;
      const at = readMetaJson(folderOf(item))?.["build_completed_at"];
      return typeof at === "string" ? at : null;
    },
    unmarkBuilt: (item, at) => alone(state, () => unmarkBuiltIn(root, item, at), files),
    unmarkBuiltIn,
  };
}

const backlogFile = ({ root }: ItemsLocation): string => join(root, "BACKLOG.md");

function unmarkBuiltIn(root: string, item: string, at: string): void {
  const dir = join(root, ...item.split("/"));
  withdrawCompletion(dir, at);
  const marker = deriveBacklogMarker(readMetaJson(dir)?.analysis_status);
  updateBacklogMarker(join(root, "BACKLOG.md"), basename(dir), marker);
}

function writeItem(
  options: ItemsOptions,
  { folder, title, text, source, reference, url = null, isListed = false }: NewItem,
): Creation {
  const dir = join(itemsFolder(options), folder);
  if (folderExists(options.files, dir) && !isUnfinished(options, dir)) return { created: false, warnings: [] };
  // Writes the line first and the meta last: an interruption in between is detected, and nothing is written twice.
  const line = backlogDescription(title, { reference, folder: `${ITEMS_ROOT}/${folder}` });
  const backlog = backlogFile(options);
  const isLinked = readItems(backlog).some((item) => item.folder === folder);
  const listed = isListed || isLinked || appendToBacklog(backlog, nextNumber(options), line);
  options.makeFolder(`${ITEMS_ROOT}/${folder}`);
  const warnings = [writeDraft(dir, `# ${title}\n\n${text}\n`)];
  const meta = writeMetaJson(dir, {
    description: title,
    source,
    source_id: reference,
    ...(url === null ? {} : { source_url: url }),
    slug: folder,
    created_at: options.clock.now(),
    analysis_status: "raw",
    phases_completed: [],
    codebase_hash: readHead(options.root)?.hash ?? null,
  });
  warnings.push(
    meta.written ? null : meta.warning,
    listed ? null : "BACKLOG.md is not a plain file, or cannot be written.",
  );
  return { created: true, warnings: warnings.filter((warning) => warning !== null) };
}

/** Folder of removed items, relative to the working tree. */
const REMOVED = ownPath(OWN.removed);

function removeItem(options: ItemsOptions, folder: string): Removal {
  const dir = join(itemsFolder(options), folder);
  const kept = folderExists(options.files, dir) ? keepFolder(options, dir, folder) : null;
  return { kept, wasListed: removeFromBacklog(backlogFile(options), folder) };
}

function keepFolder({ root, files, makeFolder }: ItemsOptions, dir: string, folder: string): string {
  makeFolder(REMOVED);
  for (let number = 1; ; number++) {
    const place = `${REMOVED}/${folder}${number === 1 ? "" : `-${number}`}`;
    if (folderExists(files, join(root, place))) continue;
    files.renameSync(dir, join(root, place));
    return place;
  }
}

/** True if the folder contains at most a draft: its creation was interrupted. */
const isUnfinished = ({ files }: ItemsOptions, dir: string): boolean =>
  files.readdirSync(dir).every((name) => name === "draft.md");

function writeDraft(dir: string, text: string): string | null {
  try {
    const file = join(dir, "draft.md");
    if (readDocument(file) === null) replaceDocument(file, text, null);
    return null;
  } catch (error) {
    return `draft.md was not written: ${errorMessage(error)}`;
  }
}

/** Returns the next number of the newest section: 16.3 after 16.2. */
function nextNumber(options: ItemsLocation): string {
  const numbers = readItems(backlogFile(options)).flatMap(({ itemNumber }) => {
    const [, section, item] = /^([0-9]+)\.([0-9]+)$/.exec(itemNumber ?? "") ?? [];
    return section === undefined || item === undefined ? [] : [{ section: Number(section), item: Number(item) }];
  });
  const section = Math.max(1, ...numbers.map((number) => number.section));
  const items = numbers.filter((number) => number.section === section).map((number) => number.item);
  return `${section}.${Math.max(0, ...items) + 1}`;
}
