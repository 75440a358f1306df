import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mergeBacklog } from "../../../core/items/merge-backlog.ts";
import { type Git, must } from "../process/git.ts";
import { decodePath, encodePath } from "../process/git-path.ts";
import { inTemporaryFolder } from "../../files/temporary-folder.ts";

const BACKLOG = "BACKLOG.md";

export type ResolvedMerge = {
  /** Tree of the merge, with the merged backlog. */
  readonly tree: string;
  readonly text: Buffer;
};

type Conflict = {
  readonly onto: string;
  readonly commit: string;
  /** Git's merge of the two, with conflict markers. */
  readonly tree: string;
  readonly files: readonly string[];
};

/** Resolves a merge with conflicts only in the backlog: its lines are items and are merged as items. */
export async function resolveBacklog(git: Git, { onto, commit, tree, files }: Conflict): Promise<ResolvedMerge | null> {
  if (files.length !== 1 || files[0] !== BACKLOG) return null;
  const fork = await git(["merge-base", onto, commit]);
  if (fork.status !== 0) return null;
  const versions = [fork.stdout.toString("latin1").trim(), onto, commit];
  const found = await Promise.all(versions.map((version) => git(["cat-file", "blob", `${version}:${BACKLOG}`])));
  const [base = null, ours = null, theirs = null] = found.map(({ status, stdout }) =>
    status === 0 ? decodePath(stdout) : null,
  );
  if (ours === null || theirs === null) return null; // deleted on one side
  const merged = mergeBacklog({ base, ours, theirs });
  if (merged === null) return null;
  const text = encodePath(merged);
  return { text, tree: await treeWithFiles(git, tree, new Map([[BACKLOG, text]])) };
}

/** Writes a tree with new contents of these files, and without those that are null. Needs no working tree. */
export function treeWithFiles(git: Git, tree: string, files: ReadonlyMap<string, Buffer | null>): Promise<string> {
  return inTemporaryFolder(async (folder) => {
    const environment = { GIT_INDEX_FILE: join(folder, "index") };
    await must(git(["read-tree", tree], { environment }), "read-tree");
    for (const [path, input] of files) {
      if (input === null)
        await must(git(["update-index", "--force-remove", "--", path], { environment }), "update-index");
      if (input === null) continue;
      const id = (await must(git(["hash-object", "-w", "--stdin"], { input }), "hash-object"))
        .toString("latin1")
        .trim();
      const entry = ["--add", "--cacheinfo", "100644", id, path];
      await must(git(["update-index", ...entry], { environment }), "update-index");
    }
    return (await must(git(["write-tree"], { environment }), "write-tree")).toString("latin1").trim();
  });
}

/** Completes a merge that git left with a conflict in the backlog. */
export async function concludeWith(person: Git, top: string, text: Buffer): Promise<void> {
  await writeFile(join(top, BACKLOG), text);
  await must(person(["add", "--", BACKLOG]), "add");
  await must(person(["commit", "--quiet", "--no-edit"]), "commit");
}
