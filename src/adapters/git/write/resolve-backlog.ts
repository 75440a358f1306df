import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { mergeBacklog } from "../../../core/items/merge-backlog.ts";
import { type Git, must } from "../process/git.ts";
import { decodePath, encodePath } from "../process/git-path.ts";
import { inTemporaryFolder } from "../../file-system/temporary-folder.ts";

const BACKLOG = "BACKLOG.md";

export type ResolvedMerge = {
  /** The tree of the merge, with the backlog as it should be. */
  readonly tree: string;
  readonly text: Buffer;
};

type Conflict = {
  readonly onto: string;
  readonly commit: string;
  /** What git made of the two, with marks of conflicts in it. */
  readonly tree: string;
  readonly files: readonly string[];
};

/** A merge in which nothing but the backlog conflicts: its lines are items, and are merged as such. */
export async function resolveBacklog(git: Git, { onto, commit, tree, files }: Conflict): Promise<ResolvedMerge | null> {
  if (files.length !== 1 || files[0] !== BACKLOG) return null;
  const fork = await git(["merge-base", onto, commit]);
  if (fork.status !== 0) return null;
  const versions = [fork.stdout.toString("latin1").trim(), onto, commit];
  const found = await Promise.all(versions.map((version) => git(["cat-file", "blob", `${version}:${BACKLOG}`])));
  const [base = null, ours = null, theirs = null] = found.map(({ status, stdout }) =>
    status === 0 ? decodePath(stdout) : null,
  );
  if (ours === null || theirs === null) return null; // taken away on one side
  const merged = mergeBacklog({ base, ours, theirs });
  if (merged === null) return null;
  const text = encodePath(merged);
  return { text, tree: await treeWithFiles(git, tree, new Map([[BACKLOG, text]])) };
}

/** A tree with other contents of these files, and without those that are null. Needs no working tree. */
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

/** Ends a merge that git left at the backlog's conflict. */
export async function concludeWith(person: Git, top: string, text: Buffer): Promise<void> {
  await writeFile(join(top, BACKLOG), text);
  await must(person(["add", "--", BACKLOG]), "add");
  await must(person(["commit", "--quiet", "--no-edit"]), "commit");
}
