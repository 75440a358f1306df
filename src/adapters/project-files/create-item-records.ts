import { basename, join } from "node:path";
import type { ItemRecords } from "../../ports/item-records.ts";
import { folderExists, nodeFiles } from "../files/file-system.ts";
import { updateBacklogMarker } from "./backlog-file.ts";
import { errorMessage } from "./document-file.ts";
import { mergeMeta } from "./meta-file.ts";
import { aloneAtOnce } from "./items-folder.ts";

/**
 * Creates access to the item documents of a working tree. Failed writes are reported to `warn` and do not stop the
 * run. `state` is the user's own folder, with the lock for all changes of a backlog.
 */
export function createItemRecords(root: string, state: string, warn: (warning: string) => void): ItemRecords {
  return {
    merge(item, fields) {
      const names = item.split("/");
      const unsafe = unsafeParent(root, names);
      if (unsafe !== null) return warn(`meta.json was not written: ${unsafe}`);
      const written = mergeMeta(join(root, ...names), fields);
      if (!written.written) warn(written.warning);
    },
    mark(item, marker) {
      const written = aloneAtOnce(
        state,
        () => void updateBacklogMarker(join(root, "BACKLOG.md"), basename(item), marker),
      );
      if (!written) warn("BACKLOG.md was not marked: another process kept it locked.");
    },
  };
}

/**
 * Returns why a path under the working tree is unsafe: the path is not plain, or one of its folders is a link or
 * another file. Null if it is safe.
 */
export function unsafeParent(root: string, names: readonly string[]): string | null {
  if (names.some((name) => ["", ".", ".."].includes(name))) return "the item's folder is not a plain path";
  try {
    for (let depth = 1; depth <= names.length; depth++) folderExists(nodeFiles, join(root, ...names.slice(0, depth)));
    return null;
  } catch (error) {
    return errorMessage(error);
  }
}
