import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { SpecMeta } from "../../core/spec/spec-meta.ts";
import { SPEC_FILES } from "../../core/spec/spec-phases.ts";
import { isSafeName } from "../../schema/ids.ts";
import { folderExists, nodeFiles, OPEN, openPlain, readRange } from "../files/file-system.ts";
import { readSpecMeta, SPEC_META } from "./spec-meta-file.ts";

export type Feature = {
  /** Name of its folder: `001-login`. */
  readonly folder: string;
  readonly dir: string;
  readonly meta: SpecMeta;
  /** Existing, non-blank documents of phases. */
  readonly files: readonly string[];
};

/** `changed`: time of the last write to its `.meta.json`, in milliseconds. */
export type ActiveFeature = Feature & { readonly changed: number };

/** Returns the current feature: the active one with the newest `.meta.json`. */
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

/** Returns a feature by folder name, or null if it is missing or its file is unreadable. */
export function featureAt(featuresDir: string, folder: string): Feature | null {
  if (!isSafeName(folder) || !featureFolders(featuresDir).includes(folder)) return null;
  const dir = join(featuresDir, folder);
  const meta = readSpecMeta(dir);
  return meta === null ? null : { folder, dir, meta, files: filesIn(dir) };
}

/** Lists the names of real folders (no links), highest last. Never throws. */
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

/** Returns true for a directory in the feature's worktree. `worktree` is relative to `root`. */
export function isInWorktree(root: string, worktree: string, directory: string): boolean {
  const path = relative(realPath(resolve(root, worktree)), realPath(directory));
  return path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

function filesIn(dir: string): string[] {
  return SPEC_FILES.map(([, file]) => file).filter((file) => saysSomething(join(dir, file)));
}

/** Bytes. A document with more leading blanks counts as blank. */
const BEGINNING = 64 * 1024;

/** Returns true for a plain, non-blank file. */
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

/** Resolves links, which users may have on the path to a worktree. Returns a missing path unchanged. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
