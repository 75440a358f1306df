import type { CommitId, TreeId } from "../../schema/ids.ts";

export type HistoryCommit = {
  readonly tree: TreeId;
  readonly parents: readonly CommitId[];
  /** Milliseconds since 1970. */
  readonly committedAt: number;
};

export type CommitMap = ReadonlyMap<CommitId, HistoryCommit>;

export type History = {
  find(commit: CommitId): HistoryCommit | undefined;
  /** True if `commit` is `tip` or an ancestor of it. */
  isAncestor(commit: CommitId, tip: CommitId): boolean;
};

export function createHistory(commits: CommitMap): History {
  const levels = new Map<CommitId, number>();
  const answers = new Map<string, boolean>();
  const levelOf = (commit: CommitId): number => levels.get(commit) ?? setLevels(commits, levels, commit);
  return {
    find: (commit) => commits.get(commit),
    isAncestor(commit, tip) {
      if (commit === tip) return true;
      if (!commits.has(commit) || !commits.has(tip)) return false;
      const name = `${commit} ${tip}`;
      const known = answers.get(name);
      if (known !== undefined) return known;
      const lowest = levelOf(commit);
      const seen = new Set<CommitId>();
      const stack = [tip];
      let isFound = false;
      for (let at = stack.pop(); at !== undefined && !isFound; at = stack.pop()) {
        if (seen.has(at)) continue;
        seen.add(at);
        isFound = at === commit;
        // A commit at the same level or lower cannot descend from it.
        if (levelOf(at) > lowest) stack.push(...(commits.get(at)?.parents ?? []));
      }
      answers.set(name, isFound);
      return isFound;
    },
  };
}

/** Sets the level of a commit and its ancestors: 1 + the highest level of its parents; 0 for a missing commit. */
function setLevels(commits: CommitMap, levels: Map<CommitId, number>, from: CommitId): number {
  const stack = [from];
  for (let at = stack.at(-1); at !== undefined; at = stack.at(-1)) {
    const parents = commits.get(at)?.parents;
    const open = (parents ?? []).filter((parent) => !levels.has(parent));
    if (open.length > 0) {
      stack.push(...open);
      continue;
    }
    const highest = (parents ?? []).reduce((level, parent) => Math.max(level, levels.get(parent) ?? 0), 0);
    levels.set(at, parents === undefined ? 0 : highest + 1);
    stack.pop();
  }
  return levels.get(from) ?? 0;
}

/** A commit as a verifier finds it in the repository. */
export type SeenCommit = {
  readonly commit: CommitId;
  readonly tree: TreeId;
  readonly parents: readonly CommitId[];
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  readonly author: string;
  readonly committer: string;
  readonly subject: string;
  /** Lines such as `Co-authored-by: …`, anywhere in the message. */
  readonly trailers: readonly string[];
  readonly message: string;
  /** Attempts named in the message. Not trusted: anyone can write them. */
  readonly attempts: readonly string[];
};
