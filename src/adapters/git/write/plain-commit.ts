import type { CommitRequest } from "../../../ports/vcs.ts";
import { repositoryStore } from "../snapshot/repository-store.ts";
import { type Git, must } from "../process/git.ts";
import { hasHooks } from "../read/personal-git.ts";
import { gitFailed } from "../process/run-git.ts";
import type { Repository } from "../read/repository.ts";
import { repositorySettings } from "../read/repository-settings.ts";
import { commitIdentity, commitTime } from "../snapshot/commit-object.ts";

/** Settings that add more to a commit than tree, parent, identities and message. */
const ADDS = /^(?:commit\.gpgsign|i18n\.commitencoding)$/;

/** Returns true if `git commit` would only create the commit: no hook runs, and nothing is signed. */
export async function isPlainCommit(repository: Repository): Promise<boolean> {
  const settings = await repositorySettings(repository.top, repository.env);
  return !settings.some(({ key }) => ADDS.test(key)) && !(await hasHooks(repository.top, repository));
}

type PlainCommit = Pick<CommitRequest, "tree" | "parent"> & { readonly person: Git; readonly message: string };

/** Commits a tree as `git commit` does, without writing an index first. HEAD moves only from the parent. */
export async function makePlainCommit(repository: Repository, commit: PlainCommit): Promise<void> {
  const id = (await writtenHere(repository, commit)) ?? (await writtenByGit(commit));
  await repositoryStore(repository).setRef("HEAD", id, commit.parent ?? "0".repeat(id.length));
}

/**
 * Writes the commit through a long-running git. Returns null if the settings do not clearly identify the committer, or
 * the message contains a NUL.
 */
async function writtenHere(repository: Repository, { tree, parent, message }: PlainCommit): Promise<string | null> {
  const identity = commitIdentity(await repositorySettings(repository.top, repository.env), repository.env);
  if (identity === null || message.includes("\0")) return null;
  const { objects, write } = repositoryStore(repository);
  if (!(await objects.has(tree))) throw gitFailed("commit", `the tree ${tree} is gone`);
  const time = commitTime(new Date());
  const headers = [
    `tree ${tree}`,
    ...(parent === null ? [] : [`parent ${parent}`]),
    `author ${identity.author} ${time}`,
    `committer ${identity.committer} ${time}`,
  ];
  return write.commit(`${headers.join("\n")}\n\n${withoutNeedlessSpace(message)}`);
}

async function writtenByGit({ person, tree, parent, message }: PlainCommit): Promise<string> {
  const args = ["commit-tree", tree, ...(parent === null ? [] : ["-p", parent]), "-F", "-"];
  const made = await must(person(args, { input: Buffer.from(withoutNeedlessSpace(message)) }), "commit-tree");
  return made.toString("latin1").trim();
}

/**
 * Cleans a message like `--cleanup=whitespace`: no space at the end of lines, at most one empty line in a row, none at
 * either end.
 */
const withoutNeedlessSpace = (message: string): string =>
  `${message
    .replaceAll(/[ \t\r\f\v]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/^\n+|\n+$/g, "")}\n`;
