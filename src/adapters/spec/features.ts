import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { SpecMeta } from "../../core/spec/spec-meta.ts";
import { SPEC_FILES } from "../../core/spec/spec-phases.ts";
import { isSafeName } from "../../schema/ids.ts";
import { folderExists, nodeFiles, OPEN, openPlain, readRange } from "../file-system/file-system.ts";
import { readSpecMeta, SPEC_META } from "./spec-meta-file.ts";

export type Feature = {
  /** Name of its folder: `001-login`. */
  readonly folder: string;
  readonly dir: string;
  readonly meta: SpecMeta;
  /** Documents of phases that are there and say something. */
  readonly files: readonly string[];
};

/** With the time its `.meta.json` was written, in milliseconds. */
export type ActiveFeature = Feature & { readonly changed: number };

/** The feature people are at: of those whose status is active, the one whose `.meta.json` was written last. */
export function activeFeature(featuresDir: unknown): ActiveFeature | null {
  const dated = featureFolders(featuresDir).flatMap((folder) => {
    const dir = join(String(featuresDir), folder);
    const found = nodeFiles.lstatSync(join(dir, SPEC_META), { throwIfNoEntry: false });
    return found?.isFile() === true ? [{ folder, dir, changed: found.mtimeMs }] : [];
  });
  for (const { folder, dir, changed } of dated.sort((one, other) => other.changed - one.changed)) {
    const meta = readSpecMeta(dir);
    if (meta?.status === "active") return { folder, dir, meta, files: filesIn(dir), changed };
  }
  return null;
}

/** A feature by the name of its folder; null where there is none, or its file cannot be read. */
export function featureAt(featuresDir: string, folder: string): Feature | null {
  if (!isSafeName(folder) || !featureFolders(featuresDir).includes(folder)) return null;
  const dir = join(featuresDir, folder);
  const meta = readSpecMeta(dir);
  return meta === null ? null : { folder, dir, meta, files: filesIn(dir) };
}

/** Names of real folders below, the highest last: a link is no feature. Never throws. */
export function featureFolders(featuresDir: unknown): string[] {
  if (typeof featuresDir !== "string" || featuresDir === "" || featuresDir.includes("\0")) return [];
  try {
    if (!folderExists(nodeFiles, featuresDir)) return [];
    const entries = nodeFiles.readdirSync(featuresDir, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory() && isSafeName(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

/** True for a directory in the feature's worktree, which is written relative to the root of the tree that tells of it. */
export function isInWorktree(root: string, worktree: string, directory: string): boolean {
  const path = relative(realPath(resolve(root, worktree)), realPath(directory));
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function filesIn(dir: string): string[] {
  return SPEC_FILES.map(([, file]) => file).filter((file) => saysSomething(join(dir, file)));
}

/** Bytes; whoever begins a document with more blanks than this has not begun it. */
const BEGINNING = 64 * 1024;

/** A plain file that is not blank. */
function saysSomething(path: string): boolean {
  try {
    const fd = openPlain(nodeFiles, path, OPEN.read);
    if (fd === null) return false;
    try {
      const to = Math.min(nodeFiles.fstatSync(fd).size, BEGINNING);
      return readRange(nodeFiles, fd, { from: 0, to }).toString("utf8").trim() !== "";
    } finally {
      nodeFiles.closeSync(fd);
    }
  } catch {
    return false; // a link, a folder, a pipe, no permission
  }
}

/** Links on the way to a worktree are the person's own; one that is not there is itself. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
