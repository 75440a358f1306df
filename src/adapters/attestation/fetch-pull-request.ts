import { ProblemError } from "../../core/problem.ts";
import { type Git, must } from "../git/process/git.ts";
import { commitNamed } from "./history-git.ts";
import { remoteGit, type NotesRemote } from "./share-notes.ts";

/** Refs under which code hosts offer the head of a pull or merge request. */
const PLACES = ["refs/pull", "refs/merge-requests"];
const NUMBER = /^[1-9][0-9]{0,8}$/;

/**
 * Fetches the head of a pull request into a ref of its own, and returns its commit. Changes no file and no branch.
 * @throws ProblemError USAGE
 */
export async function fetchPullRequest(history: Git, from: NotesRemote, number: string): Promise<string> {
  const usage = "isdlc adopt --pull-request <number>";
  if (!NUMBER.test(number))
    throw new ProblemError({
      code: "USAGE",
      detail: `"${number.slice(0, 40)}" is no number of a pull request.`,
      usage,
    });
  const git = await remoteGit(from);
  const target = `refs/isdlc/pull/${number}`;
  for (const place of PLACES) {
    const head = `${place}/${number}/head`;
    const listed = await must(git(["ls-remote", from.remote, head]), "ls-remote");
    if (listed.toString("utf8").trim() === "") continue;
    await must(
      git(["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", from.remote, `+${head}:${target}`]),
      "fetch",
    );
    const commit = await commitNamed(history, target);
    if (commit !== null) return commit;
  }
  throw new ProblemError({ code: "USAGE", detail: `${from.remote} has no pull request ${number}.`, usage });
}
