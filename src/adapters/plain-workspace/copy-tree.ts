import { copyFile, mkdir, readdir, readlink, symlink } from "node:fs/promises";
import type { Dirent } from "node:fs";
import { OWN, OWN_FOLDER } from "../../core/own-folder.ts";
import type { ThrowAwayCopy } from "../../ports/workspace.ts";
import { makeTemporaryFolder, removeFolder } from "../file-system/temporary-folder.ts";

/** Copies a folder as it is, less what git, package managers and isdlc keep in it; `.isdlc/work` comes along. */
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

/** Names stay bytes, so that any of them can be copied. Links stay links; sockets, pipes and devices are left out. */
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
