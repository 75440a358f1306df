import type { FileChange } from "../schema/facts.ts";
import { isBookkeeping } from "../core/items/item-meta.ts";

export type ArtifactRow = { readonly path: string; readonly status: string };

const STATUS_WORDS: { readonly [C in FileChange["change"]]: string } = {
  added: "Created",
  modified: "Modified",
  deleted: "Deleted",
  renamed: "Renamed",
  typechange: "Modified",
};

type ArtifactList = { readonly artifacts: readonly string[]; readonly changed: readonly FileChange[] | null };

/** Lists the artifacts with their git status. If the phase named none, lists all changed files except isdlc's own records. */
export function artifactRows({ artifacts, changed }: ArtifactList): readonly ArtifactRow[] {
  const statuses = new Map(changed?.map(({ path, change }) => [path, STATUS_WORDS[change]]));
  const paths = artifacts.length > 0 ? artifacts : [...statuses.keys()].filter((path) => !isBookkeeping(path));
  const otherwise = changed === null ? "Unknown" : "Unchanged";
  return paths.map((path) => ({ path, status: statuses.get(path) ?? otherwise }));
}
