import type { CommitMap, HistoryCommit, SeenCommit } from "../../core/attestation/history.ts";
import { ProblemError } from "../../core/problem.ts";
import type { Git } from "../git/process/git.ts";
import { parseCommit } from "./parse-commit.ts";
import { readObjects } from "./verified-objects.ts";

export type HistoryTips = {
  /** Commit with all ancestors required. */
  readonly head: string;
  /** Commits read as far as the repository has them. */
  readonly others: readonly string[];
};

/**
 * Reads commits and all of their ancestors, and compares each with its id. Git's own list is only a hint.
 * @throws ProblemError HISTORY_INCOMPLETE if an ancestor of the head is missing
 */
export async function readHistory(git: Git, { head, others }: HistoryTips): Promise<CommitMap> {
  const known = new Map<string, HistoryCommit>();
  const seen = new Set<string>();
  await readInto(git, known, await listCommits(git, [head]));
  await readMissing(git, { known, seen }, head);
  const missing = [...seen].find((id) => !known.has(id));
  if (missing !== undefined)
    throw new ProblemError({
      code: "HISTORY_INCOMPLETE",
      detail: `the commit ${missing.slice(0, 12)} is missing or malformed`,
    });
  await readInto(
    git,
    known,
    others.filter((id) => !known.has(id)),
  );
  const tips = others.filter((id) => known.has(id) && !seen.has(id));
  if (tips.length > 0) await readInto(git, known, await listCommits(git, [...tips, `^${head}`]));
  for (const tip of tips) await readMissing(git, { known, seen }, tip);
  return known;
}

/** Returns an empty list if git cannot list all commits: they are then read parent by parent. */
async function listCommits(git: Git, tips: readonly string[]): Promise<string[]> {
  const answer = await git(["rev-list", ...tips, "--"]);
  if (answer.status !== 0) return [];
  return answer.stdout
    .toString("latin1")
    .split("\n")
    .filter((id) => id !== "");
}

type KnownCommits = Map<string, HistoryCommit>;

async function readInto(git: Git, known: KnownCommits, ids: readonly string[]): Promise<void> {
  for (const [id, { type, content }] of await readObjects(git, ids)) {
    const commit: SeenCommit | null = type === "commit" ? parseCommit(id, content) : null;
    if (commit !== null) known.set(id, { tree: commit.tree, parents: commit.parents, committedAt: commit.committedAt });
  }
}

type Reading = { readonly known: KnownCommits; readonly seen: Set<string> };

/** Walks from a commit through all parents, and reads those not listed by git. */
async function readMissing(git: Git, { known, seen }: Reading, from: string): Promise<void> {
  for (let next = [from].filter((id) => !seen.has(id)); next.length > 0;) {
    const unread = next.filter((id) => !known.has(id));
    if (unread.length > 0) await readInto(git, known, unread);
    for (const id of next) seen.add(id);
    next = [...new Set(next.flatMap((id) => known.get(id)?.parents ?? []))].filter((id) => !seen.has(id));
  }
}
