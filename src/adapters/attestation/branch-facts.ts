import type { AttestedCommit, BranchFacts, GitPoint } from "../../core/attestation/statement.ts";
import type { Head } from "../../ports/journal.ts";
import type { RunEvent } from "../../schema/event.ts";
import type { StartPoint } from "../../schema/facts.ts";
import type { Git } from "../git/process/git.ts";
import { commitRange } from "./commit-range.ts";
import { commitNamed } from "./history-git.ts";
import type { SeenCommit } from "../../core/attestation/history.ts";

export type RunHistory = {
  readonly run: string;
  /** The branch is null if the run works in place. */
  readonly start: Pick<StartPoint, "commit" | "branch" | "adopts">;
  readonly merged: string | null;
  readonly events: readonly RunEvent[];
  /** All heads of the journal, oldest first. */
  readonly heads: readonly Head[];
};

/**
 * Returns the commits of a run's branch, and which of them the run made. Null if it made none, or the branch is
 * missing.
 */
export async function branchFacts(git: Git, history: RunHistory): Promise<BranchFacts | null> {
  const recorded = recordedCommits(history);
  const tip = await readTip(git, history, recorded);
  const start = tip === null ? null : await readPoint(git, history.start.commit);
  if (tip === null || start === null) return null;
  const { commits } = await commitRange(git, `${history.start.commit}..${tip}`);
  const adopted = adoptedCommits(history, commits);
  const made = commits.flatMap((commit) => adopted.get(commit.commit) ?? madeBy(history, recorded, commit) ?? []);
  const merge = history.merged === null || history.merged === tip ? null : await commitRange(git, history.merged);
  const [merged] = merge?.commits ?? [];
  if (merged !== undefined && !made.some(({ commit }) => commit === merged.commit))
    made.push({ ...pointOfCommit(merged), attempt: `${history.run}/merge` });
  const known = new Set(made.map(({ commit }) => commit));
  const others = commits.filter(({ commit }) => !known.has(commit)).map(({ commit, tree }) => ({ commit, tree }));
  const forks = await readForks(git, { start, commits: made, others });
  if (made.length === 0) return null;
  return { start, commits: made, others: [...others, ...forks], merge: await mergeFacts(git, merged) };
}

/**
 * Returns the adopted commits, by id: the first parents of the last one, without merges. A verifier judges merges by
 * itself. Commits of side branches are covered by nothing.
 */
function adoptedCommits(
  { run, start: { adopts } }: RunHistory,
  commits: readonly SeenCommit[],
): Map<string, AttestedCommit> {
  const known = new Map(commits.map((commit) => [commit.commit, commit]));
  const found = new Map<string, AttestedCommit>();
  for (let at = known.get(adopts?.head ?? ""); at !== undefined; at = known.get(at.parents[0] ?? ""))
    if (at.parents.length === 1) found.set(at.commit, { ...pointOfCommit(at), attempt: `${run}/adopted` });
  return found;
}

/** Returns parents of adopted commits before the start, where the main branch was merged into the work. */
async function readForks(git: Git, { start, commits, others }: Omit<BranchFacts, "merge">): Promise<GitPoint[]> {
  const known = new Set([start, ...commits, ...others].map(({ commit }) => commit));
  const first = commits.filter(({ attempt }) => attempt.endsWith("/adopted")).flatMap(({ parents }) => parents);
  const missing = [...new Set(first)].filter((commit) => !known.has(commit));
  return (await Promise.all(missing.map((commit) => readPoint(git, commit)))).filter((point) => point !== null);
}

/** Maps each commit in the journal to its attempt. */
function recordedCommits({ run, events }: RunHistory): ReadonlyMap<string, string> {
  const recorded = new Map<string, string>();
  let attempt = `${run}/start`;
  for (const event of events) {
    if (event.type === "attempt.started") attempt = `${run}/${event.phase}#${event.attempt}`;
    if (event.type === "phase.committed" && event.commit !== null) recorded.set(event.commit, attempt);
    if (event.type === "run.rewound" && event.commit !== null) recorded.set(event.commit, `${run}/back`);
  }
  return recorded;
}

async function readTip(git: Git, history: RunHistory, recorded: ReadonlyMap<string, string>): Promise<string | null> {
  const { start, merged } = history;
  const tip = start.branch === null ? null : await commitNamed(git, `refs/heads/${start.branch}`);
  if (tip !== null) return tip;
  const mergedIn = merged === null ? null : await commitNamed(git, `${merged}^2`);
  return mergedIn ?? [...recorded.keys()].at(-1) ?? start.adopts?.head ?? null;
}

async function readPoint(git: Git, commit: string): Promise<GitPoint | null> {
  const answer = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${commit}^{tree}`]);
  const tree = answer.stdout.toString("latin1").trim();
  return answer.status === 0 && tree !== "" ? { commit, tree } : null;
}

async function mergeFacts(git: Git, merged: SeenCommit | undefined): Promise<BranchFacts["merge"]> {
  const [first] = merged?.parents ?? [];
  const base = first === undefined ? null : await readPoint(git, first);
  if (merged === undefined || base === null) return null;
  const { commit, tree, parents } = merged;
  return { base, result: { commit, tree }, parents: parents.length };
}

const pointOfCommit = ({ commit, tree, parents }: SeenCommit) => ({ commit, tree, parents });

/**
 * Identifies a commit of the run: by the journal, or by the commit's own trailers if it was made after the last
 * execution ended.
 */
function madeBy(
  { run, events, heads }: RunHistory,
  recorded: ReadonlyMap<string, string>,
  { commit, tree, parents, attempts, trailers }: SeenCommit,
): AttestedCommit | null {
  const known = recorded.get(commit);
  if (known !== undefined) return { commit, tree, parents, attempt: known };
  const ended = events.findLast(({ type }) => type === "execution.ended")?.seq ?? 0;
  const attempt = attempts.find((name) => name.startsWith(`${run}/`));
  const told = /^Isdlc-Journal: (\d+):([0-9a-f]{16})$/.exec(
    trailers.find((line) => line.startsWith("Isdlc-Journal: ")) ?? "",
  );
  const fits = heads.some(
    ({ seq, hash }) => seq > ended && told?.[1] === String(seq) && hash.startsWith(told[2] ?? "?"),
  );
  return attempt !== undefined && fits ? { commit, tree, parents, attempt } : null;
}
