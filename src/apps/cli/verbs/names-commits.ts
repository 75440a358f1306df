import { commitNamed, historyGit } from "../../../adapters/attestation/history-git.ts";
import { orNull, repositoryAt } from "../../../adapters/git/read/repository.ts";
import { featureFolders } from "../../../adapters/spec/features.ts";
import { isSpecPhase } from "../../../core/spec/spec-phases.ts";
import type { Invocation } from "../grammar/verb.ts";
import { verifyOptions } from "../grammar/options.ts";
import { featuresIn } from "./spec/active-feature.ts";
import { isNamedBy } from "./spec/find-feature.ts";

/**
 * True if `isdlc verify <word>` is about commits: with an option that only commits have, for a range, and for any name
 * known to git. A phase, a number or the name of a feature here belongs to the spec workflow.
 */
export async function namesCommits({ words, values, cwd, env }: Invocation): Promise<boolean> {
  const [word = ""] = words;
  if (Object.keys(verifyOptions).some((name) => values[name] !== undefined)) return true;
  if (words.length !== 1 || isSpecPhase(word) || /^[0-9]{1,6}$/.test(word)) return false;
  if (word.includes("..")) return true;
  const repository = await orNull(repositoryAt(cwd, { env }));
  const folders = repository === null ? [] : featureFolders(featuresIn(repository.top));
  if (folders.some((folder) => isNamedBy(folder, "", word))) return false;
  return repository !== null && (await commitNamed(await historyGit(cwd, env), word)) !== null;
}
