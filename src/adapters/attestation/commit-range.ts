import type { SeenCommit } from "../../core/attestation/seen-commit.ts";
import { type Git, must } from "../git/process/git.ts";
import { splitFields } from "../git/process/git-path.ts";
import { commitNamed, commitsUnknown } from "./history-git.ts";

const FIELDS = ["%H", "%T", "%P", "%ct", "%an <%ae>", "%cn <%ce>", "%s", "%(trailers:only,unfold)", "%b"];

export type CommitRange = {
  /** What stood before the range, for messages. */
  readonly named: string;
  /** Oldest first. */
  readonly commits: readonly SeenCommit[];
  /** Trees of the commits that the range builds on, by commit. */
  readonly trees: ReadonlyMap<string, string>;
};

/** The commits of `a..b`; of a branch what it has beyond the default branch; of a commit itself alone. */
export async function commitRange(git: Git, named: string): Promise<CommitRange> {
  const revisions = await revisionsOf(git, named);
  const commits = await readCommits(git, revisions);
  const seen = new Set(commits.map(({ commit }) => commit));
  const before = [...new Set(commits.flatMap(({ parents }) => parents))].filter((parent) => !seen.has(parent));
  return { named, commits, trees: await treesOf(git, before) };
}

/** Arguments for `git rev-list`. */
async function revisionsOf(git: Git, named: string): Promise<readonly string[]> {
  const range = /^(.*?)(\.\.\.?)(.*)$/.exec(named);
  if (range !== null) return rangeOf(git, named, [range[1] || "HEAD", range[3] || "HEAD"]);
  const tip = await commitNamed(git, named);
  if (tip === null) throw commitsUnknown(named);
  const isBranch = (await git(["show-ref", "--verify", "--quiet", `refs/heads/${named}`])).status === 0;
  const isTracked = !isBranch && (await git(["show-ref", "--verify", "--quiet", `refs/remotes/${named}`])).status === 0;
  const base = isBranch || isTracked ? await defaultBranch(git, tip) : null;
  return base === null ? ["--max-count=1", tip] : [tip, `^${base}`];
}

async function rangeOf(git: Git, named: string, [from, to]: readonly [string, string]): Promise<readonly string[]> {
  // A push of a new branch has no commit before it, and build servers write that as zeros.
  const tip = await commitNamed(git, to);
  if (tip === null) throw commitsUnknown(named);
  if (/^0{40,64}$/.test(from)) return [tip];
  const base = await commitNamed(git, from);
  if (base === null) throw commitsUnknown(named);
  return [tip, `^${base}`];
}

/** Where work is merged into: as the remote says, else by its usual names; null when that is the branch itself. */
async function defaultBranch(git: Git, tip: string): Promise<string | null> {
  const told = await git(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
  const names = [told.stdout.toString("utf8").trim(), "main", "master", "origin/main", "origin/master"];
  for (const name of names) {
    const commit = await commitNamed(git, name);
    if (commit !== null) return commit === tip ? null : commit;
  }
  return null;
}

async function readCommits(git: Git, revisions: readonly string[]): Promise<SeenCommit[]> {
  // Two NULs end a commit: no field can hold one.
  const format = `--format=tformat:${FIELDS.join("%x00")}%x00`;
  const args = [
    "log",
    "-z",
    "--reverse",
    "--topo-order",
    "--no-show-signature",
    "--no-notes",
    format,
    ...revisions,
    "--",
  ];
  const fields = splitFields(await must(git(args), "log"));
  const size = FIELDS.length + 1;
  return Array.from({ length: Math.floor(fields.length / size) }, (_, index) =>
    commitOf(fields.slice(index * size, (index + 1) * size).map((field) => field.toString("utf8"))),
  );
}

function commitOf(fields: readonly string[]): SeenCommit {
  const [
    commit = "",
    tree = "",
    parents = "",
    seconds = "0",
    author = "",
    committer = "",
    subject = "",
    trailers = "",
    body = "",
  ] = fields;
  return {
    commit,
    tree,
    parents: parents.split(" ").filter((parent) => parent !== ""),
    committedAt: Number(seconds) * 1000,
    author,
    committer,
    subject,
    trailers: trailers.split("\n").filter((line) => line !== ""),
    attempts: attemptsIn(`${body}\n${trailers}`),
  };
}

/** Also in the middle of a message: a platform that squashes puts the messages of all commits into one. */
const attemptsIn = (message: string): string[] => [
  ...new Set([...message.matchAll(/^\s*Isdlc-Attempt: (\S+)\s*$/gm)].map(([, attempt = ""]) => attempt)),
];

async function treesOf(git: Git, commits: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (commits.length === 0) return new Map();
  const args = [
    "log",
    "-z",
    "--no-walk=unsorted",
    "--no-show-signature",
    "--no-notes",
    "--format=tformat:%H %T",
    "--stdin",
  ];
  const answer = await git(args, { input: Buffer.from(`${commits.join("\n")}\n`) });
  const lines = answer.status === 0 ? splitFields(answer.stdout).map((line) => line.toString("latin1").split(" ")) : [];
  return new Map(lines.map(([commit = "", tree = ""]) => [commit, tree]));
}
