import { join } from "node:path";
import { nodeFiles } from "../../files/file-system.ts";
import { ProblemError } from "../../../core/problem.ts";
import { repositoryStore } from "../snapshot/repository-store.ts";
import { hardenedGit, must } from "../process/git.ts";
import type { Git } from "../process/git.ts";
import { gitFailed } from "../process/run-git.ts";
import { otherTrees } from "../process/working-trees.ts";
import { isObjectId } from "../process/ref-name.ts";
import type { ReservedIds } from "../../../ports/items.ts";

const FOLDER = "refs/isdlc/ids";
const NAME = /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/;

/**
 * Reserves ids as refs, which all working trees of a repository share. They are permanent: a freed number is not used
 * again.
 */
export function createReservedIds(root: string, env: NodeJS.ProcessEnv): ReservedIds {
  const git = hardenedGit(root, env);
  return {
    async names() {
      const output = await must(git(["for-each-ref", "--format=%(refname)", FOLDER]), "for-each-ref");
      const refs = output.toString("utf8").split("\n");
      return refs.flatMap((ref) => (ref.startsWith(`${FOLDER}/`) ? [ref.slice(FOLDER.length + 1)] : []));
    },
    async reserve(name) {
      if (!NAME.test(name)) throw gitFailed("update-ref", `${JSON.stringify(name)} is not a name to reserve`);
      const target = await emptyBlob(git);
      const ref = `${FOLDER}/${name}`;
      const { setRef } = repositoryStore({ top: root, env });
      const refusal = await setRef(ref, target, "0".repeat(target.length)).then(() => null, toRefusal);
      if (refusal === null) return true;
      const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", ref]);
      if (found.status === 0) return false;
      throw refusal; // it names a lock left by a killed git
    },
    inOtherTrees: (folder) => otherTrees(root).flatMap((tree) => foldersIn(join(tree, ...folder.split("/")))),
  };
}

function foldersIn(folder: string): string[] {
  try {
    const isFolder = nodeFiles.lstatSync(folder).isDirectory();
    return isFolder ? nodeFiles.readdirSync(folder) : [];
  } catch {
    return []; // no such folder
  }
}

function toRefusal(error: unknown): ProblemError {
  if (error instanceof ProblemError && error.problem.code === "GIT_FAILED") return error;
  throw error;
}

/** Writes a target for the refs, because a ref needs one. It keeps no history. */
async function emptyBlob(git: Git): Promise<string> {
  const output = await must(git(["hash-object", "-w", "--stdin"], { input: Buffer.alloc(0) }), "hash-object");
  const id = output.toString("latin1").trim();
  if (!isObjectId(id)) throw gitFailed("hash-object", "git gave no object");
  return id;
}
