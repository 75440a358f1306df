import type { CommitId, RunId } from "../../../schema/ids.ts";
import { hardenedGit, must } from "../process/git.ts";
import { personalGit } from "../read/personal-git.ts";
import { gitFailed } from "../process/run-git.ts";
import type { Repository } from "../read/repository.ts";
import { isObjectId, requireBranchName } from "../process/ref-name.ts";

/** Remote shared by a team's workers and users. */
const REMOTE = "origin";

export type ShownRun = { readonly run: RunId; readonly base: string; readonly branch: string };

/**
 * Fetches a team's run from the remote without creating a ref, only to display it. Returns the commit where the run's
 * branch left its base.
 * @throws ProblemError GIT_FAILED if the remote does not have the run.
 */
export async function fetchShown(repository: Repository, { run, base, branch }: ShownRun): Promise<CommitId | null> {
  for (const name of [base, branch]) requireBranchName(name, "fetch");
  const git = personalGit(repository.top, repository);
  const heads = [base, branch].map((name) => `refs/heads/${name}`);
  const listed = await must(git(["ls-remote", "--refs", REMOTE, ...heads, `refs/isdlc/${run}/*`]), "ls-remote");
  const refs = new Map(listed.toString("utf8").split("\n").map(parseEntry));
  refs.delete("");
  const [baseTip, tip] = heads.map((name) => refs.get(name));
  if (baseTip === undefined || tip === undefined) throw gitFailed("fetch", `${REMOTE} has no ${branch} of this run`);
  const options = ["--quiet", "--no-tags", "--no-write-fetch-head", "--refmap="];
  await must(git(["fetch", ...options, REMOTE, ...refs.keys()]), "fetch");
  const fork = await hardenedGit(repository.top, repository.env)(["merge-base", baseTip, tip]);
  return fork.status === 0 ? fork.stdout.toString("latin1").trim() : null;
}

/** Parses a line of `git ls-remote`: object id, tab, name of the ref. */
function parseEntry(line: string): readonly [string, string] {
  const [id = "", name = ""] = line.split("\t");
  return isObjectId(id) ? [name, id] : ["", ""];
}
