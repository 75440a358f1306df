import { type Git, hardenedGit, withEnvironment } from "../../../src/adapters/git/process/git.ts";
import { isObjectId } from "../../../src/adapters/git/process/ref-name.ts";
import { readTreeTexts } from "../../../src/adapters/git/objects/tree-texts.ts";
import { toTreePair, patchBetween } from "../../../src/adapters/git/snapshot/tree-diff.ts";
import type { RunId, TreeId } from "../../../src/schema/ids.ts";
import type { SeenItems } from "../../../src/ports/items.ts";
import { createMirrors, type MirrorOptions, type Mirror } from "../worker/mirror.ts";
import { itemsAt } from "./items-at.ts";

/** A run, and the remote that its workers push to. */
export type PushedRun = { readonly run: RunId; readonly remote: string };

/** Files and diffs of runs, read from a copy of the team's remote. Workers push before they record. */
export type PageTrees = {
  /** Returns the text of a file, or null if it is missing or too large to read at once. */
  file(pushed: PushedRun, path: string, tree: TreeId): Promise<Buffer | null>;
  /** Returns the texts of files in a tree. Missing files are omitted. */
  texts(pushed: PushedRun, tree: TreeId | null, paths: readonly string[]): Promise<ReadonlyMap<string, string>>;
  patch(pushed: PushedRun, from: TreeId | null, to: TreeId | null): Promise<string>;
  /** Returns the items at the tip of the main branch, or null if the remote has no commit yet. */
  items(remote: string): Promise<SeenItems | null>;
};

/** Milliseconds before fetched branches are fetched again. */
const FRESH = 5000;

export function createPageTrees(keeping: MirrorOptions): PageTrees {
  const mirrors = createMirrors(keeping);
  const mains = new Map<string, { readonly at: number; readonly branch: string }>();
  const gitIn = ({ folder }: Mirror): Git => withEnvironment(hardenedGit(folder, keeping.env), { GIT_DIR: folder });
  /** Returns git for the copy, after fetching these trees if any is missing. */
  const gitWith = async ({ run, remote }: PushedRun, trees: readonly TreeId[]): Promise<Git> => {
    const mirror = await mirrors.open(remote);
    const git = gitIn(mirror);
    const isThere = async (tree: TreeId): Promise<boolean> => (await git(["cat-file", "-e", tree])).status === 0;
    if (!(await Promise.all(trees.map(isThere))).every(Boolean)) await mirror.fetch(run);
    return git;
  };
  return {
    async file(pushed, path, tree) {
      if (!isObjectId(tree) || path === "" || path.startsWith("/")) return null;
      const found = await (await gitWith(pushed, [tree]))(["cat-file", "blob", `${tree}:${path}`]);
      return found.status === 0 ? found.stdout : null;
    },
    async patch(pushed, from, to) {
      const pair = toTreePair(from, to);
      return pair === null ? "" : patchBetween(await gitWith(pushed, [pair.from, pair.to]), pair);
    },
    async texts(pushed, tree, paths) {
      return tree === null || paths.length === 0
        ? new Map()
        : readTreeTexts(await gitWith(pushed, [tree]), { tree, paths });
    },
    async items(remote) {
      const mirror = await mirrors.open(remote);
      const known = mains.get(remote);
      if (known === undefined || performance.now() - known.at >= FRESH) {
        await mirror.fetch(null);
        mains.set(remote, { at: performance.now(), branch: await mirror.mainBranch() });
      }
      const tip = mirror.tip(mains.get(remote)?.branch ?? "");
      return tip === null ? null : itemsAt(gitIn(mirror), tip);
    },
  };
}
