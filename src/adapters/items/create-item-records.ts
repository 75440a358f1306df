import { basename, join } from "node:path";
import type { ItemRecords } from "../../ports/item-records.ts";
import { updateBacklogMarker } from "./backlog-file.ts";
import { mergeMeta } from "./meta-file.ts";

/** The item documents of a working tree. What cannot be written is told to `warn`; the run does not stop for it. */
export function createItemRecords(root: string, warn: (warning: string) => void): ItemRecords {
  return {
    merge(item, fields) {
      const written = mergeMeta(join(root, ...item.split("/")), fields);
      if (!written.written) warn(written.warning);
    },
    mark: (item, marker) => void updateBacklogMarker(join(root, "BACKLOG.md"), basename(item), marker),
  };
}
