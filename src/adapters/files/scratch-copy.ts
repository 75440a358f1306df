import { lstat, readdir, readFile, copyFile, mkdir, readlink, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ThrowAwayCopy, ScratchCopy } from "../../ports/workspace.ts";
import { writeContained } from "./contained-file.ts";
import type { Dirent } from "node:fs";
import { OWN, OWN_FOLDER } from "../../core/own-folder.ts";
import { makeTemporaryFolder, removeFolder } from "./temporary-folder.ts";

export type Home = {
  readonly root: string;
  /** The only folder that is copied back, relative to the root, with forward slashes. */
  readonly folder: string;
};

/** Creates a copy to work in. Only files below `folder` are copied back; all other changes are discarded. */
export async function createScratchCopy(copy: ThrowAwayCopy, { root, folder }: Home): Promise<ScratchCopy> {
  const before = await entriesBelow(copy.dir, "");
  return {
    ...copy,
    async copyBack() {
      const after = await entriesBelow(copy.dir, "");
      const changed = [...after].filter(([path, entry]) => before.get(path) !== entry);
      const [home, left] = [changed.filter(isHome), changed.filter((entry) => !isHome(entry) && !isOnTheWay(entry))];
      for (const [path] of home) writeContained(root, path, await readFile(join(copy.dir, path)));
      return outermost(left.map(([path]) => path));
    },
  };

  function isHome([path, entry]: CopiedEntry): boolean {
    const [kind, , size] = entry.split(" ");
    return path.startsWith(`${folder}/`) && kind === "file" && Number(size) <= MAX_COPIED_BYTES;
  }

  function isOnTheWay([path, entry]: CopiedEntry): boolean {
    return entry === "folder" && (`${path}/`.startsWith(`${folder}/`) || folder.startsWith(`${path}/`));
  }
}

/** In bytes. Documents are smaller than this. */
const MAX_COPIED_BYTES = 32 * 1024 * 1024;

type CopiedEntry = readonly [path: string, entry: string];

/** Returns kind and stat data of each entry by path, parents first. Equal values count as unchanged. */
async function entriesBelow(root: string, path: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(join(root, path), { withFileTypes: true })) {
    const inner = path === "" ? entry.name : `${path}/${entry.name}`;
    const stats = await lstat(join(root, inner), { bigint: true }).catch(() => null); // the name is not valid UTF-8
    if (stats === null) found.set(inner, "unreadable");
    else if (!stats.isDirectory())
      found.set(inner, `${stats.isFile() ? "file" : "other"} ${stats.mtimeNs} ${stats.size} ${stats.mode}`);
    else {
      found.set(inner, "folder");
      for (const [below, state] of await entriesBelow(root, inner)) found.set(below, state);
    }
  }
  return found;
}

/** Omits entries inside of other listed folders. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return paths.filter((path) => !all.has(dirname(path)));
}

/** Copies a folder without `.git`, `node_modules` and `.isdlc`. Of `.isdlc`, only `work` is copied. */
export async function copyTree(from: string): Promise<ThrowAwayCopy> {
  const dir = await makeTemporaryFolder();
  const dispose = () => removeFolder(dir);
  try {
    await copyFolder({ from: Buffer.from(from), to: Buffer.from(dir), isOwn: false });
  } catch (error) {
    await dispose();
    throw error;
  }
  return { dir, dispose };
}

const leftOut = new Set([".git", "node_modules"]);

type FolderCopy = { readonly from: Buffer; readonly to: Buffer; readonly isOwn: boolean };

/** Handles names as bytes, as some are not valid UTF-8. Links stay links; sockets, pipes and devices are omitted. */
async function copyFolder({ from, to, isOwn }: FolderCopy): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true, encoding: "buffer" });
  for (const entry of entries as unknown as Dirent<Buffer>[]) {
    const name = entry.name.toString("latin1");
    if (leftOut.has(name) || (isOwn && name !== OWN.work)) continue;
    const [source, target] = [below(from, entry.name), below(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target);
      await copyFolder({ from: source, to: target, isOwn: !isOwn && name === OWN_FOLDER });
    } else if (entry.isSymbolicLink()) {
      await symlink(await readlink(source, "buffer"), target);
    } else if (entry.isFile()) {
      await copyFile(source, target);
    }
  }
}

const below = (folder: Buffer, name: Buffer): Buffer => Buffer.concat([folder, Buffer.from("/"), name]);
