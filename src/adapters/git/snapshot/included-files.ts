import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { decodePath, encodePath, inTree, isTreePath } from "../process/git-path.ts";

/** Lists every file under the included paths, ignored or not. Links count as files; repositories are omitted. */
export async function includedFiles(top: string, include: readonly string[]): Promise<string[]> {
  const paths = include.map((path) => path.replace(/\/+$/, "")).filter(isTreePath);
  const found = await Promise.all(
    paths.map(async (path) => {
      const kind = await lstat(inTree(top, path)).catch(() => null); // no such file
      if (kind?.isDirectory() === true) return filesBelow(top, encodePath(path));
      return kind?.isFile() === true || kind?.isSymbolicLink() === true ? [path] : [];
    }),
  );
  return found.flat();
}

async function filesBelow(top: string, path: Buffer): Promise<string[]> {
  const folder = inTree(top, path);
  const entries = await readdir(folder, { withFileTypes: true, encoding: "buffer" }).catch(() => []); // no permission
  const named = (entries as unknown as Dirent<Buffer>[]).map((entry) => ({
    entry,
    below: Buffer.concat([path, Buffer.from("/"), entry.name]),
  }));
  if (named.some(({ entry }) => entry.name.toString("latin1").toLowerCase() === ".git")) return [];
  const found = await Promise.all(
    named.map(async ({ entry, below }) => {
      if (entry.isDirectory()) return filesBelow(top, below);
      return entry.isFile() || entry.isSymbolicLink() ? [decodePath(below)] : [];
    }),
  );
  return found.flat();
}
