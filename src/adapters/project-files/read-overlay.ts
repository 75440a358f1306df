import { createHash } from "node:crypto";
import { join } from "node:path";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Overlay } from "../../schema/overlay.ts";
import { type FileSystem, folderExists, readSmall } from "../files/file-system.ts";
import { parseOverlay } from "./parse-overlay.ts";

/** An overlay file, read once: `parse` uses the same bytes as the digest. */
export type OverlayFile = {
  readonly file: string;
  /** Key under which the user's trust is stored. */
  readonly digest: string;
  /** @throws ProblemError `OVERLAY_INVALID` */
  readonly parse: () => Overlay;
};

const MAX_OVERLAY_BYTES = 256 * 1024; // bytes

/**
 * Reads `workflows.json` of a folder. Returns null if it does not exist.
 * @throws ProblemError if the file or its folder is a link, or if the file is too large.
 */
export function readOverlayFile(files: FileSystem, folder: string): OverlayFile | null {
  if (!folderExists(files, folder)) return null;
  const file = join(folder, OWN.workflows);
  const bytes = readSmall(files, file, MAX_OVERLAY_BYTES);
  if (bytes === null) {
    if (files.lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
    const detail = `it is larger than ${MAX_OVERLAY_BYTES / 1024} kB`;
    throw new ProblemError({ code: "OVERLAY_INVALID", file, place: "", detail, valid: [] });
  }
  const digest = createHash("sha256").update(bytes).digest("hex");
  return { file, digest: `overlay:${digest}`, parse: () => parseOverlay(bytes.toString("utf8"), file) };
}
