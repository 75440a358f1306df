import { randomBytes } from "node:crypto";
import { copyFile, constants, lstat, mkdir, readlink, rename, rmdir, symlink, unlink } from "node:fs/promises";
import type { Stats } from "node:fs";
import { ProblemError } from "../../../core/problem.ts";
import { exportTree } from "./export-tree.ts";
import { withoutFilters } from "../read/content-filters.ts";
import { hardenedGit, must } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { decodePath, inTree, isTreePath, joinFields, splitFields } from "../process/git-path.ts";
import type { Repository } from "../read/repository.ts";
import { gitFailed } from "../process/run-git.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";
import { SUBMODULE } from "../objects/tree-entries.ts";

export type RestoreRequest = { readonly from: string; readonly paths: readonly string[] };

/**
 * Restores files from a snapshot and deletes those that it lacks. The index and all other files stay. Submodules,
 * folders, and files with a content filter of the repository (such as LFS) are left unchanged.
 * @throws ProblemError GIT_FAILED after all other files are restored, with the names of the unchanged ones.
 */
export async function restorePaths(repository: Repository, request: RestoreRequest): Promise<void> {
  const git = hardenedGit(repository.top, repository.env);
  const unsafe = request.paths.find((path) => !isTreePath(path));
  if (unsafe !== undefined) throw unsafePath(unsafe, "it is not a path inside the tree");
  const modes = await readModes(git, request.from);
  const filtered = await filteredPaths(git, request.paths);
  const left = request.paths.filter((path) => modes.get(path) === SUBMODULE || filtered.has(path));
  const wanted = request.paths.filter((path) => !left.includes(path));
  for (const path of wanted.filter((path) => !modes.has(path))) {
    if (!(await removeFile(repository.top, path))) left.push(path);
  }
  const present = wanted.filter((path) => modes.has(path));
  if (present.length > 0) {
    await inTemporaryFolder(async (folder) => {
      await exportTree(git, { commit: request.from, into: folder, paths: present });
      for (const path of present) if (!(await putBack(folder, repository.top, path))) left.push(path);
    });
  }
  if (left.length > 0) throw gitFailed("restore", `left as they are: ${left.join(", ")}`);
}

async function readModes(git: Git, commit: string): Promise<Map<string, string>> {
  const output = await must(git(["ls-tree", "-r", "-z", "--full-tree", commit]), "ls-tree");
  return new Map(
    splitFields(output).map((field) => {
      const tab = field.indexOf(0x09);
      return [decodePath(field.subarray(tab + 1)), field.toString("latin1", 0, 6)];
    }),
  );
}

async function filteredPaths(git: Git, paths: readonly string[]): Promise<Set<string>> {
  const filters = Object.values(await withoutFilters(git)).flatMap(
    (key) => /^filter\.(.*)\.clean$/s.exec(key)?.[1] ?? [],
  );
  if (filters.length === 0) return new Set();
  const output = await must(git(["check-attr", "-z", "--stdin", "filter"], { input: joinFields(paths) }), "check-attr");
  const fields = splitFields(output);
  const found = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path, value] = [fields[at], fields[at + 2]];
    if (path && value && filters.includes(value.toString("utf8"))) found.add(decodePath(path));
  }
  return found;
}

/** Returns false if the path is a folder. */
async function removeFile(top: string, path: string): Promise<boolean> {
  const parents = parentFolders(path);
  for (const parent of parents) if (!(await look(top, parent))?.isDirectory()) return true; // no such file in the working tree
  const found = await look(top, path);
  if (!found) return true;
  if (found.isDirectory()) return false;
  await unlink(inTree(top, path));
  for (const parent of parents.toReversed()) {
    const isGone = await rmdir(inTree(top, parent)).then(
      () => true,
      () => false,
    );
    if (!isGone) break;
  }
  return true;
}

/** Returns false if the path is a folder with content. */
async function putBack(source: string, top: string, path: string): Promise<boolean> {
  await makeParents(top, path);
  const fresh = inTree(
    top,
    `${path.slice(0, path.lastIndexOf("/") + 1)}.isdlc-restore-${randomBytes(6).toString("hex")}`,
  );
  const stored = inTree(source, path);
  if ((await lstat(stored)).isSymbolicLink()) await symlink(await readlink(stored, "buffer"), fresh);
  else await copyFile(stored, fresh, constants.COPYFILE_EXCL);
  if ((await look(top, path))?.isDirectory()) await rmdir(inTree(top, path)).catch(() => undefined);
  return rename(fresh, inTree(top, path)).then(
    () => true,
    async () => {
      await unlink(fresh);
      return false;
    },
  );
}

/**
 * Creates the parent folders. A linked folder is rejected: it would lead out of the working tree, and git never has
 * files behind a link.
 */
async function makeParents(top: string, path: string): Promise<void> {
  for (const parent of parentFolders(path)) {
    const found = await look(top, parent);
    if (!found) await mkdir(inTree(top, parent));
    else if (!found.isDirectory()) throw unsafePath(path, `${parent} is not a folder of the tree`);
  }
}

/** Returns `a` and `a/b` for `a/b/c`. */
function parentFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

const look = (top: string, path: string): Promise<Stats | null> => lstat(inTree(top, path)).catch(() => null);

const unsafePath = (path: string, detail: string) => new ProblemError({ code: "UNSAFE_PATH", path, detail });
