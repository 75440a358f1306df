import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { gitFailed, lastWords } from "../process/run-git.ts";

/** Lines of git that are not about the content of an object. */
const HARMLESS = /^(?:warning|hint): /;

/**
 * @throws ProblemError GIT_FAILED if an object of `snapshot`, but not of `from`, is damaged, has another type, or has
 *   content with another id
 */
export async function verifyObjects(git: Git, from: string | null, snapshot: string): Promise<void> {
  const range = from === null ? ["--missing=allow-promisor", `${snapshot}^{tree}`] : [snapshot, `^${from}`];
  const args = ["rev-list", "--quiet", "--objects", "--verify-objects", ...range];
  const answer = await git(args, { timeoutMs: wholeTreeTimeoutMs });
  // Git reports content with another id, but succeeds. Its wording differs between versions.
  const errors = answer.stderr.split("\n").filter((line) => line.trim() !== "" && !HARMLESS.test(line));
  const id = errors.flatMap((line) => /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/.exec(line)?.[0] ?? [])[0];
  if (id !== undefined) {
    const file = `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
    const detail = `the object ${id} is damaged or missing. Delete ${file} if it exists, and try again`;
    throw gitFailed("rev-list", detail);
  }
  await must(Promise.resolve(answer), "rev-list");
  if (errors.length > 0) throw gitFailed("rev-list", lastWords(answer));
}
