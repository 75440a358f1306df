import { basename, join } from "node:path";
import { deriveBacklogMarker } from "../../core/items/analysis-status.ts";
import type { Items } from "../../ports/items.ts";
import type { FileSystem } from "../file-system/file-system.ts";
import { updateBacklogMarker } from "./backlog-file.ts";
import { unsafeParent } from "./create-item-records.ts";
import { alone } from "./items-lock.ts";
import { readMetaJson, takeOutCompletion } from "./meta-file.ts";

/** The items of a working tree. `state`: the user's own folder, where the lock is that everybody takes. */
export function createItems(root: string, state: string, files: FileSystem): Items {
  const folderOf = (item: string): string => join(root, ...item.split("/"));
  return {
    builtAt(item) {
      if (unsafeParent(root, item.split("/")) !== null) return null;
      const at = readMetaJson(folderOf(item))?.["build_completed_at"];
      return typeof at === "string" ? at : null;
    },
    unmarkBuilt: (item, at) => alone(state, () => unmark(root, item, at), files),
    unmarkBuiltIn: unmark,
  };
}

function unmark(root: string, item: string, at: string): void {
  const dir = join(root, ...item.split("/"));
  takeOutCompletion(dir, at);
  const marker = deriveBacklogMarker(readMetaJson(dir)?.analysis_status);
  updateBacklogMarker(join(root, "BACKLOG.md"), basename(dir), marker);
}
