import { ProblemError } from "../../core/problem.ts";
import type { SeenCommit } from "../../core/attestation/history.ts";
import type { Git } from "../git/process/git.ts";
import { isObjectId } from "../git/process/ref-name.ts";
import { commitRange } from "./commit-range.ts";
import { commitsUnknown } from "./history-git.ts";
import { type ResolvedName, resolveCommit } from "./resolve-commit.ts";

/** Commits to adopt, as the repository has them now. */
export type RangeToAdopt = {
  /** Last commit before the work. */
  readonly from: string;
  readonly head: string;
  /** Oldest first. */
  readonly commits: readonly SeenCommit[];
  /** Local branch into which the work can be merged. Null if a merge would bring other commits, too. */
  readonly base: { readonly branch: string; readonly commit: string } | null;
};

/**
 * Reads `<from>..<to>`, the commits since `<from>`, or by default those since the main branch.
 * @throws ProblemError COMMITS_UNKNOWN, COMMITS_AMBIGUOUS, ADOPTION_UNCLEAR
 */
export async function readRangeToAdopt(git: Git, named: string | null, branch: string | null): Promise<RangeToAdopt> {
  const [, start = named ?? "", to = "HEAD"] = /^(.*?)\.\.\.?(.*)$/.exec(named ?? "") ?? [];
  const head = await required(git, to === "" ? "HEAD" : to);
  const main = await mainBranch(git);
  const since = start === "" ? await mainPoint(git, branch, { main, head }) : await required(git, start);
  const from = since === null ? head : await forkPoint(git, since, head);
  const { commits } = await commitRange(git, `${from}..${head}`);
  return { from, head, commits, base: await mergeTarget(git, main, from) };
}

const HEADS = "refs/heads/";

/** Returns the main branch: as set by the remote, otherwise by its usual names. Local branches come first. */
async function mainBranch(git: Git): Promise<ResolvedName | null> {
  const answer = await git(["symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"]);
  const remote = answer.stdout.toString("utf8").trim();
  const [, named] = /^refs\/remotes\/origin\/(.+)$/.exec(remote) ?? [];
  const names = named === undefined ? ["main", "master"] : [named];
  for (const place of [HEADS, "refs/remotes/origin/"])
    for (const name of names) {
      const found = await resolveCommit(git, `${place}${name}`);
      if (found?.ref != null) return found;
    }
  return null;
}

type RangeEnd = { readonly main: ResolvedName | null; readonly head: string };

/** On the main branch itself, the work starts at the remote's version; without a remote, only files count. */
async function mainPoint(git: Git, branch: string | null, { main, head }: RangeEnd): Promise<string | null> {
  if (main === null) throw rangeNeeded("the main branch is unknown");
  if (main.ref !== `${HEADS}${branch ?? ""}` || main.commit !== head) return main.commit;
  return (await resolveCommit(git, `refs/remotes/origin/${branch ?? ""}`))?.commit ?? null;
}

async function forkPoint(git: Git, one: string, other: string): Promise<string> {
  const answer = await git(["merge-base", one, other]);
  const fork = answer.stdout.toString("latin1").trim();
  if (!isObjectId(fork)) throw rangeNeeded("it has no commit in common with its start");
  return fork;
}

async function mergeTarget(git: Git, main: ResolvedName | null, from: string): Promise<RangeToAdopt["base"]> {
  if (main?.ref?.startsWith(HEADS) !== true) return null;
  const { commit, ref } = main;
  const isWhole = (await git(["merge-base", "--is-ancestor", from, commit])).status === 0;
  return isWhole ? { branch: ref.slice(HEADS.length), commit } : null;
}

async function required(git: Git, name: string): Promise<string> {
  const found = await resolveCommit(git, name);
  if (found === null) throw commitsUnknown(name);
  return found.commit;
}

const rangeNeeded = (detail: string): ProblemError => new ProblemError({ code: "ADOPTION_UNCLEAR", detail });
