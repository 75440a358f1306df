import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { gitFailed } from "../process/run-git.ts";

/** @throws ProblemError GIT_FAILED if the content of an object of `snapshot`, but not of `from`, has another id */
export async function verifyObjects(git: Git, from: string | null, snapshot: string): Promise<void> {
  const range = [snapshot, ...(from === null ? [] : [`^${from}`])];
  const args = ["rev-list", "--quiet", "--objects", "--verify-objects", ...range];
  const answer = git(args, { timeoutMs: wholeTreeTimeoutMs });
  await must(answer, "rev-list");
  const { stderr } = await answer; // git reports a damaged object, but succeeds
  const id = /mismatch ([0-9a-f]{40,64})/.exec(stderr)?.[1];
  if (id === undefined) return;
  const file = `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
  const detail = `the object ${id} is damaged: something else was stored under that id. Delete ${file} and try again`;
  throw gitFailed("rev-list", detail);
}
