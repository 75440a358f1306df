import { hardenedGit, must } from "../process/git.ts";

/** Further tags are not compared. */
const MAX_TAGS = 10_000;

/** Returns the object id of each tag, by its name. */
export async function tagIds(root: string, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const args = ["for-each-ref", `--count=${MAX_TAGS}`, "--format=%(objectname) %(refname:lstrip=2)", "refs/tags"];
  const lines = (await must(hardenedGit(root, env)(args), "for-each-ref")).toString("utf8").split("\n");
  const tags = lines
    .filter((line) => line !== "")
    .map((line) => [line.slice(line.indexOf(" ") + 1), line.split(" ")[0]]);
  return Object.fromEntries(tags);
}
