import { join } from "node:path";
import type { Git } from "../process/git.ts";
import { hardenedGit } from "../process/git.ts";
import { isBranchName } from "../process/ref-name.ts";
import { nodeFiles, readSmall } from "../../files/file-system.ts";
import { gitFolders } from "../process/working-trees.ts";

export type BranchFolder = {
  /** Last part of `feature/<folder>`. */
  readonly folder: string;
  /** Text of the requested file in that folder on the branch. */
  readonly text: string;
  /** Names of the files next to it. */
  readonly names: readonly string[];
};

/** More branches than a team works on at once. */
const MAX_BRANCHES = 30;
const PREFIX = "feature/";
const MAX_PACKED_REFS_BYTES = 32 * 1024 * 1024;

type FeatureFile = { readonly root: string; readonly file: string };

/**
 * Reads `<root>/<folder>/<file>` from local branches `feature/<folder>`, with the newest commit first. Branches
 * without the file are omitted. Never throws.
 */
export async function foldersOnFeatureBranches(
  top: string,
  { root, file }: FeatureFile,
  env: NodeJS.ProcessEnv,
): Promise<BranchFolder[]> {
  if (!mayHaveFeatureBranches(top)) return [];
  const git = hardenedGit(top, env);
  try {
    const folders = await branchNames(git);
    const found = await Promise.all(
      folders.map((folder) => folderOn(git, { folder, path: `${root}/${folder}`, file })),
    );
    return found.filter((one) => one !== null);
  } catch {
    return []; // no git, or a timeout
  }
}

async function branchNames(git: Git): Promise<string[]> {
  const format = "--format=%(refname:lstrip=3)";
  const args = ["for-each-ref", "--sort=-committerdate", `--count=${MAX_BRANCHES}`, format, `refs/heads/${PREFIX}`];
  const { status, stdout } = await git(args);
  const names = status === 0 ? stdout.toString("utf8").split("\n") : [];
  return names.filter((name) => name !== "" && !name.includes("/") && isBranchName(name));
}

type FeatureFileRequest = { readonly folder: string; readonly path: string; readonly file: string };

async function folderOn(git: Git, { folder, path, file }: FeatureFileRequest): Promise<BranchFolder | null> {
  const tree = `refs/heads/${PREFIX}${folder}:${path}`;
  const [text, listing] = await Promise.all([
    git(["cat-file", "blob", `${tree}/${file}`]),
    git(["ls-tree", "--name-only", "-z", tree]),
  ]);
  if (text.status !== 0 || listing.status !== 0) return null;
  const names = listing.stdout.toString("utf8").split("\0");
  return { folder, text: text.stdout.toString("utf8"), names: names.filter((name) => name !== "") };
}

/** Checks without starting git. Returns true if only git could answer. */
function mayHaveFeatureBranches(top: string): boolean {
  try {
    const folders = gitFolders(top);
    if (folders === null) return false;
    const loose = nodeFiles.lstatSync(join(folders.common, "refs", "heads", "feature"), { throwIfNoEntry: false });
    if (loose !== undefined) return true;
    const packed = join(folders.common, "packed-refs");
    if (nodeFiles.lstatSync(packed, { throwIfNoEntry: false }) === undefined) return false;
    return readSmall(nodeFiles, packed, MAX_PACKED_REFS_BYTES)?.includes("refs/heads/feature/") ?? true;
  } catch {
    return true;
  }
}
