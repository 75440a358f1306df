import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileInHistory } from "../../../adapters/attestation/history-git.ts";
import { signersFile, signingSettings } from "../../../adapters/attestation/signing-settings.ts";
import { errorCode } from "../../../adapters/file-system/file-system.ts";
import type { Git } from "../../../adapters/git/process/git.ts";
import { inTemporaryFolder } from "../../../adapters/file-system/temporary-folder.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type Invocation, text } from "../grammar/verb.ts";

/** The list of signers that was named, else the one git uses; null when there is neither. */
export function withSigners<T>(
  invocation: Invocation,
  git: Git,
  use: (signers: string | null) => Promise<T>,
): Promise<T> {
  const named = text(invocation.values, "signers");
  return inTemporaryFolder(async (folder) => {
    if (named === undefined) return use(signersFile(await signingSettings(git)));
    const file = join(folder, "allowed_signers");
    await writeFile(file, await namedContent(invocation, git, named), { mode: 0o600 });
    return use(file);
  });
}

/** A file, or one as a commit has it (`origin/main:ci/policy.json`), which the commits that are judged cannot change. */
export async function namedContent({ cwd, verb }: Invocation, git: Git, named: string): Promise<Buffer> {
  const inHistory = await fileInHistory(git, named);
  if (inHistory !== null) return inHistory;
  try {
    return readFileSync(resolve(cwd, named));
  } catch (error) {
    if (errorCode(error) === null) throw error;
    const detail = `There is no file ${JSON.stringify(named)} that can be read, and no commit has one.`;
    throw new ProblemError({ code: "USAGE", detail, usage: verb.usage }, { cause: error });
  }
}
