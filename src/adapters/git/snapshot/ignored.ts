import { type Git, must, wholeTreeTimeoutMs } from "../process/git.ts";
import { decodePath, joinFields, splitFields } from "../process/git-path.ts";

/** Those of the paths that git is told to ignore. */
export async function ignoredOf(git: Git, paths: readonly string[]): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const found = await git(["check-ignore", "--no-index", "-z", "--stdin"], { input: joinFields(paths) });
  if (found.status > 1) await must(Promise.resolve(found), "check-ignore");
  return new Set(splitFields(found.stdout).map(decodePath));
}

/** Everything that git is told to ignore; a folder that is ignored as a whole ends in a slash. */
export async function ignoredPaths(git: Git): Promise<string[]> {
  const args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  return splitFields(await must(git(args, { timeoutMs: wholeTreeTimeoutMs }), "ls-files")).map(decodePath);
}
