import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { nodeFiles, readSmall, removeFile, replaceFile } from "../../adapters/file-system/file-system.ts";
import type { DraftList, SavedDraft } from "../../schema/api-drafts.ts";
import type { RunId } from "../../schema/ids.ts";

const MAX_FILE_BYTES = 4 * 1024 * 1024;
const Drafts = z.record(z.string(), z.string());

/**
 * Unsent comments, one file per run in the user's state folder, to be available on other ports and in other browsers.
 */
export type DraftFiles = {
  read(run: RunId): DraftList["drafts"];
  save(run: RunId, draft: SavedDraft): void;
};

export function createDraftFiles(stateFolder: string): DraftFiles {
  const folder = join(stateFolder, "drafts");
  const pathOf = (run: RunId): string => join(folder, `${run}.json`);
  const read = (run: RunId): DraftList["drafts"] => {
    const bytes = readSmall(nodeFiles, pathOf(run), MAX_FILE_BYTES);
    return bytes === null ? {} : parseDrafts(bytes.toString("utf8"));
  };
  return {
    read,
    save(run, { wait, text }) {
      const { [wait]: _before, ...others } = read(run);
      const next = text === null ? others : { ...others, [wait]: text };
      if (Object.keys(next).length === 0) return removeFile(nodeFiles, pathOf(run));
      const bytes = Buffer.from(JSON.stringify(next));
      if (bytes.length > MAX_FILE_BYTES) return; // the browser still has them
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFile(nodeFiles, pathOf(run), bytes);
    },
  };
}

/** Returns no drafts for a damaged file: the browser that wrote them still has them. */
function parseDrafts(text: string): DraftList["drafts"] {
  try {
    return z.parse(Drafts, JSON.parse(text));
  } catch {
    return {};
  }
}
