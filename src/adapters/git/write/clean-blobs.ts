import { must, hardenedGit, personalGit } from "../process/git.ts";
import { withoutFilters } from "../process/content-filters.ts";
import { decodePath, joinFields, splitFields } from "../process/git-path.ts";
import type { Repository } from "../read/repository.ts";
import type { TreeEntry } from "./tree-entry.ts";

/**
 * Snapshots hold files as they are in the working tree; a commit holds them as the person's filters (LFS and the like)
 * make them. Each is given to its filter from the snapshot, not from the tree.
 */
export async function cleanBlobs(
  { top }: Repository,
  entries: ReadonlyMap<string, TreeEntry>,
): Promise<ReadonlyMap<string, TreeEntry>> {
  const git = hardenedGit(top);
  const filters = filterNames(await withoutFilters(git));
  const files = [...entries].filter(([, { mode }]) => mode.startsWith("100")).map(([path]) => path);
  if (filters.size === 0 || files.length === 0) return entries;
  const input = joinFields(files);
  const output = await must(git(["check-attr", "-z", "--stdin", "filter"], { input }), "check-attr");
  const fields = splitFields(output);
  const cleaned = new Map(entries);
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const path = decodePath(fields[at] ?? Buffer.alloc(0));
    const entry = entries.get(path);
    if (entry === undefined || !filters.has(fields[at + 2]?.toString("utf8") ?? "")) continue;
    const raw = await must(git(["cat-file", "blob", entry.id], { timeoutMs: 60_000 }), "cat-file");
    const id = await must(
      personalGit(top)(["hash-object", "-w", "--stdin", `--path=${path}`], { input: raw }),
      "hash-object",
    );
    cleaned.set(path, { ...entry, id: id.toString("latin1").trim() });
  }
  return cleaned;
}

const filterNames = (filterless: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set(Object.values(filterless).flatMap((key) => /^filter\.(.*)\.clean$/s.exec(key)?.[1] ?? []));
