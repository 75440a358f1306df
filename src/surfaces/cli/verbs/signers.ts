import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileInHistory } from "../../../adapters/attestation/resolve-commit.ts";
import { signersFile, type SigningSettings } from "../../../adapters/attestation/signing-settings.ts";
import { errorCode } from "../../../adapters/files/file-system.ts";
import type { Git } from "../../../adapters/git/process/git.ts";
import { inTemporaryFolder } from "../../../adapters/files/temporary-folder.ts";
import { ProblemError } from "../../../core/problem.ts";
import { type Invocation, text } from "../invocation/verb.ts";

type SignersSource = {
  /** Reads `<commit>:<path>`. */
  readonly isolated: Git;
  readonly settings: SigningSettings;
};

/** Calls `use` with the named list of signers, otherwise with the one from git's settings, or null. */
export function withSigners<T>(
  invocation: Invocation,
  { isolated, settings }: SignersSource,
  use: (signers: string | null) => Promise<T>,
): Promise<T> {
  const named = text(invocation.values, "signers");
  return inTemporaryFolder(async (folder) => {
    if (named === undefined) return use(signersFile(settings));
    const file = join(folder, "allowed_signers");
    await writeFile(file, await namedContent(invocation, isolated, named), { mode: 0o600 });
    return use(file);
  });
}

/**
 * Reads a file, or its content in a commit (`origin/main:ci/policy.json`), which the verified commits cannot change. A
 * name with a colon never means a file of the working tree: write `./a:b` for such a file.
 */
export async function namedContent({ cwd, verb }: Invocation, git: Git, named: string): Promise<Buffer> {
  const missing = (detail: string, cause?: unknown): ProblemError =>
    new ProblemError({ code: "USAGE", detail, usage: verb.usage }, { cause });
  if (isInHistory(named)) {
    const content = await fileInHistory(git, named);
    if (content === null)
      throw missing(`There is no file ${JSON.stringify(named)}: the commit or the path is missing.`);
    return content;
  }
  try {
    return readFileSync(resolve(cwd, named));
  } catch (error) {
    if (errorCode(error) === null) throw error;
    throw missing(`The file ${JSON.stringify(named)} cannot be read.`, error);
  }
}

const isInHistory = (named: string): boolean => named.indexOf(":") > 0 && !/^(?:\.{0,2}\/|[A-Za-z]:[\\/])/.test(named);
