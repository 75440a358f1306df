import type { Files } from "./repository-model.ts";
import type { SeenCommit } from "../../../src/core/attestation/history.ts";

type Commits = ReadonlyMap<string, SeenCommit>;

/** Merges whole files on the only merge base. Null: a conflict. Undefined: a commit is missing. */
export function mergeFiles(
  { commits, filesOf }: { readonly commits: Commits; readonly filesOf: (commit: string) => Files },
  first: string,
  second: string,
): Files | null | undefined {
  if (!commits.has(first) || !commits.has(second)) return undefined;
  const [base, ...more] = mergeBases(commits, first, second);
  if (base === undefined || more.length > 0) return null;
  const [old, ours, theirs] = [filesOf(base), filesOf(first), filesOf(second)];
  const merged: Record<string, string> = {};
  for (const path of new Set([...Object.keys(old), ...Object.keys(ours), ...Object.keys(theirs)])) {
    const [was, mine, other] = [old[path], ours[path], theirs[path]];
    const result = mine === other || other === was ? mine : mine === was ? other : null;
    if (result === null) return null;
    if (result !== undefined) merged[path] = result;
  }
  return merged;
}

function mergeBases(commits: Commits, first: string, second: string): string[] {
  const ours = ancestors(commits, first);
  const common = [...ancestors(commits, second)].filter((commit) => ours.has(commit));
  const below = new Set(
    common.flatMap((commit) =>
      (commits.get(commit)?.parents ?? []).flatMap((parent) => [...ancestors(commits, parent)]),
    ),
  );
  return common.filter((commit) => !below.has(commit));
}

export function ancestors(commits: Commits, from: string): Set<string> {
  const found = new Set<string>();
  const left = [from];
  for (let commit = left.pop(); commit !== undefined; commit = left.pop()) {
    if (found.has(commit)) continue;
    found.add(commit);
    left.push(...(commits.get(commit)?.parents ?? []));
  }
  return found;
}
