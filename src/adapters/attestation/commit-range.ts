import { ProblemError } from "../../core/problem.ts";
import { type Git, must } from "../git/process/git.ts";
import { commitsUnknown } from "./history-git.ts";
import { parseCommit } from "./parse-commit.ts";
import { resolveCommit } from "./resolve-commit.ts";
import { readObjects } from "./verified-objects.ts";
import type { SeenCommit } from "../../core/attestation/history.ts";

export type CommitRange = {
  /** Range as given by the caller, for messages. */
  readonly named: string;
  /** Last commit, even of an empty range. */
  readonly head: string;
  /** Commit outside the range, like its ancestors. Null without a base. */
  readonly base: string | null;
  /** Commits that were read: those of the range, and those of the base that the head does not have. */
  readonly known: ReadonlyMap<string, SeenCommit>;
  /** Oldest first. */
  readonly commits: readonly SeenCommit[];
};

/**
 * Reads the commits of `a..b`, the commits of a branch since the default branch, or one commit.
 * @throws ProblemError COMMITS_UNKNOWN, COMMITS_AMBIGUOUS, RANGE_NEEDED, HISTORY_INCOMPLETE
 */
export async function commitRange(git: Git, named: string): Promise<CommitRange> {
  const ends = await findEnds(git, named);
  return { named, head: ends.tip, base: ends.base, ...(await readRange(git, ends)) };
}

type RangeEnds = {
  readonly tip: string;
  /** Commit outside the range, like its ancestors. Null without a base. */
  readonly base: string | null;
  /** True if the range consists of the tip only. */
  readonly isSingle: boolean;
};

async function findEnds(git: Git, named: string): Promise<RangeEnds> {
  const range = /^(.*?)(\.\.\.?)(.*)$/.exec(named);
  if (range !== null) return endsOfRange(git, named, [range[1] || "HEAD", range[3] || "HEAD"]);
  const found = await resolveCommit(git, named);
  if (found === null) throw commitsUnknown(named);
  const { commit: tip, ref } = found;
  const isBranch = ref !== null && /^refs\/(?:heads|remotes)\//.test(ref);
  return isBranch
    ? { tip, base: await defaultBranch(git, named, ref), isSingle: false }
    : { tip, base: null, isSingle: true };
}

async function endsOfRange(git: Git, named: string, [from, to]: readonly [string, string]): Promise<RangeEnds> {
  const tip = await resolveCommit(git, to);
  if (tip === null) throw commitsUnknown(named);
  // For a push of a new branch, build servers write zeros as the commit before it.
  if (/^0{40,64}$/.test(from)) return { tip: tip.commit, base: null, isSingle: false };
  const base = await resolveCommit(git, from);
  if (base === null) throw commitsUnknown(named);
  return { tip: tip.commit, base: base.commit, isSingle: false };
}

/** Returns the commit of the default branch: as set by the remote, otherwise by common names. */
async function defaultBranch(git: Git, named: string, branch: string): Promise<string> {
  const rangeNeeded = (detail: string): ProblemError => new ProblemError({ code: "RANGE_NEEDED", named, detail });
  const answer = await git(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
  const remote = answer.stdout.toString("utf8").trim();
  const usual = ["refs/heads/main", "refs/heads/master", "refs/remotes/origin/main", "refs/remotes/origin/master"];
  for (const name of remote === "" ? usual : [remote]) {
    const found = await resolveCommit(git, name);
    if (found?.ref === branch) throw rangeNeeded("it is the default branch itself");
    if (found !== null) return found.commit;
  }
  throw rangeNeeded("the default branch is unknown");
}

/**
 * Walks the history through objects with verified ids. Git's own list is only a hint: a commit missing from it is read
 * anyway, unless a verified commit of the base leads to it.
 */
async function readRange(git: Git, ends: RangeEnds): Promise<Pick<CommitRange, "commits" | "known">> {
  const { known, forks } = await readListed(git, ends);
  const before = ends.base === null ? new Set<string>() : await readBefore(git, known, { base: ends.base, forks });
  const range = ends.isSingle ? [ends.tip] : await walk(git, { from: ends.tip, known, before });
  return { commits: oldestFirst(range.map((commit) => known.get(commit) ?? missing(commit))), known };
}

type KnownCommits = Map<string, SeenCommit>;

type RangeListing = {
  readonly known: KnownCommits;
  /** Commits at which the range leaves the history of the base, as git lists them. */
  readonly forks: readonly string[];
};

async function readListed(git: Git, { tip, base, isSingle }: RangeEnds): Promise<RangeListing> {
  const known: KnownCommits = new Map();
  const listed = base === null ? [tip] : ["--boundary", `${base}...${tip}`];
  const args = isSingle ? ["--max-count=1", tip] : listed;
  const output = await must(git(["rev-list", ...args, "--"]), "rev-list");
  const lines = output.toString("latin1").split("\n");
  const ids = lines.map((line) => line.replace(/^-/, "")).filter((id) => id !== "");
  await readInto(git, known, [tip, ...(base === null ? [] : [base]), ...ids]);
  return { known, forks: lines.filter((line) => line.startsWith("-")).map((line) => line.slice(1)) };
}

/** With more forks, the whole history of the base is read. */
const MAX_FORKS = 500;

/** Reads commits of the base down to the forks. Returns the base and its ancestors read so far. */
async function readBefore(
  git: Git,
  known: KnownCommits,
  { base, forks }: { readonly base: string; readonly forks: readonly string[] },
): Promise<ReadonlySet<string>> {
  const before = ancestorsIn(known, base);
  const open = forks.filter((fork) => !before.has(fork));
  if (open.length === 0) return before;
  const oldest = open.length > MAX_FORKS ? null : await git(["merge-base", "--octopus", ...open]);
  const until = oldest?.status === 0 ? [`^${oldest.stdout.toString("latin1").trim()}`] : [];
  const output = await must(git(["rev-list", base, ...until, "--"]), "rev-list");
  const ids = output.toString("latin1").split("\n");
  await readInto(
    git,
    known,
    ids.filter((id) => id !== ""),
  );
  return ancestorsIn(known, base);
}

async function readInto(git: Git, known: KnownCommits, ids: readonly string[]): Promise<void> {
  const unread = ids.filter((id) => !known.has(id));
  for (const [id, { type, content }] of await readObjects(git, unread)) {
    const commit = type === "commit" ? parseCommit(id, content) : null;
    if (commit !== null) known.set(id, commit);
  }
}

/** Returns the commit and all of its ancestors in `known`. */
function ancestorsIn(known: KnownCommits, from: string): ReadonlySet<string> {
  const found = new Set<string>();
  const left = [from];
  for (let commit = left.pop(); commit !== undefined; commit = left.pop()) {
    if (found.has(commit)) continue;
    found.add(commit);
    left.push(...(known.get(commit)?.parents ?? []));
  }
  return found;
}

async function walk(
  git: Git,
  { from, known, before }: { from: string; known: KnownCommits; before: ReadonlySet<string> },
): Promise<string[]> {
  const range = new Set<string>();
  let next = before.has(from) ? [] : [from];
  while (next.length > 0) {
    await readInto(git, known, next);
    const parents = next.flatMap((commit) => {
      range.add(commit);
      return (known.get(commit) ?? missing(commit)).parents;
    });
    next = [...new Set(parents)].filter((parent) => !range.has(parent) && !before.has(parent));
  }
  return [...range];
}

/** Sorts parents before children. */
function oldestFirst(commits: readonly SeenCommit[]): SeenCommit[] {
  const byId = new Map(commits.map((commit) => [commit.commit, commit]));
  const ordered = new Set<SeenCommit>();
  for (const first of commits.toReversed()) {
    const stack = [first];
    for (let commit = stack.at(-1); commit !== undefined; commit = stack.at(-1)) {
      const parent = commit.parents.flatMap((id) => byId.get(id) ?? []).find((one) => !ordered.has(one));
      if (parent === undefined) {
        ordered.add(commit);
        stack.pop();
      } else stack.push(parent);
    }
  }
  return [...ordered];
}

function missing(commit: string): never {
  throw new ProblemError({
    code: "HISTORY_INCOMPLETE",
    detail: `the commit ${commit.slice(0, 12)} is missing or malformed`,
  });
}
