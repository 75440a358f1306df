import { createHash } from "node:crypto";
import { join } from "node:path";
import { OWN } from "../../core/own-folder.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Overlay } from "../../schema/overlay.ts";
import { type FileSystem, folderExists, readSmall } from "../files/file-system.ts";
import { parseOverlay } from "./parse-overlay.ts";

/** A file with overlays as it was read once: what is parsed is what the digest is of. */
export type OverlayFile = {
  readonly file: string;
  /** What a person's trust is kept under. */
  readonly digest: string;
  /** @throws ProblemError `OVERLAY_INVALID` */
  readonly parse: () => Overlay;
};

const MAX_OVERLAY_BYTES = 256 * 1024; // bytes

/**
 * The `workflows.json` of a folder; null where there is none.
 * @throws ProblemError for a link, in place of the file or of its folder, and for a file too large to be one of ours.
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
