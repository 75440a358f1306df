import type { TreeId } from "../../../schema/ids.ts";
import { hardenedGit } from "../process/git.ts";
import { isObjectId } from "./ref-name.ts";

/** Bytes. Larger files are not returned. */
const LIMIT = 2 * 1024 * 1024;

type TreeFile = { readonly tree: TreeId; readonly path: string };

/** Reads the text of a file in a snapshot; null if it is missing or too large. Filters of the repository do not run. */
export async function readTreeFile(root: string, at: TreeFile, env: NodeJS.ProcessEnv): Promise<string | null> {
  if (!isObjectId(at.tree) || at.path === "" || at.path.startsWith("/")) return null;
  const result = await hardenedGit(root, env)(["cat-file", "blob", `${at.tree}:${at.path}`]).catch(() => null);
  if (result === null || result.status !== 0 || result.stdout.length > LIMIT) return null;
  return result.stdout.toString("utf8");
}
