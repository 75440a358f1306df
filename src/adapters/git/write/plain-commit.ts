import type { CommitRequest } from "../../../ports/vcs.ts";
import { repositoryStore } from "../objects/repository-store.ts";
import { type Git, must } from "../process/git.ts";
import { hasHooks } from "../process/personal-git.ts";
import { gitFailed } from "../process/run-git.ts";
import { commitIdentity, commitTime } from "../read/commit-identity.ts";
import type { Repository } from "../read/repository.ts";
import { repositorySettings } from "../read/repository-settings.ts";

/** Settings by which a commit gets more than tree, parent, people and message. */
const ADDS = /^(?:commit\.gpgsign|i18n\.commitencoding)$/;

/** Whether `git commit` would do nothing but make the commit: no hook of anybody runs, and nothing signs it. */
export async function isPlainCommit(repository: Repository): Promise<boolean> {
  const settings = await repositorySettings(repository.top, repository.env);
  return !settings.some(({ key }) => ADDS.test(key)) && !(await hasHooks(repository.top, repository));
}

type PlainCommit = Pick<CommitRequest, "tree" | "parent"> & { readonly person: Git; readonly message: string };

/** What `git commit` makes of a tree, without an index that has to be written first. HEAD moves only from the parent. */
export async function makePlainCommit(repository: Repository, commit: PlainCommit): Promise<void> {
  const id = (await writtenHere(repository, commit)) ?? (await writtenByGit(commit));
  await repositoryStore(repository).setRef("HEAD", id, commit.parent ?? "0".repeat(id.length));
}

/** Through a git that stays; null where the settings do not plainly say who commits. */
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

/** As `--cleanup=whitespace` has it: no space at the end of lines, no more than one empty line, none at either end. */
const withoutNeedlessSpace = (message: string): string =>
  `${message
    .replaceAll(/[ \t\r\f\v]+$/gm, "")
    .replaceAll(/\n{3,}/g, "\n\n")
    .replaceAll(/^\n+|\n+$/g, "")}\n`;
