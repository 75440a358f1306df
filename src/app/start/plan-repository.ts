import { OWN_FOLDER } from "../../core/own-folder.ts";
import type { VcsRead, GitProgram, TrustedGitPrograms } from "../../ports/vcs.ts";
import type { CommitId } from "../../schema/ids.ts";
import { plainLine } from "../../views/plain-text.ts";
import type { Choices } from "./choices.ts";
import type { PlanningContext } from "./planning.ts";

export type StartRepository = { readonly base: string | null; readonly commit: CommitId };

export type RepositoryWish = {
  /** False to work without git. */
  readonly git: boolean;
  /** True if uncommitted changes do not matter. */
  readonly mayBeDirty: boolean;
};

/** Paths that belong to the work: their changes never block a start. */
const OWN_FOLDERS = ["docs/requirements", "docs/features", "BACKLOG.md", OWN_FOLDER];
const MAX_NAMED_FILES = 10;

/** Returns the repository state to start from; null if the user agreed to work without git. */
export async function planRepository(
  { choices, notes, project: { vcs } }: PlanningContext,
  wish: RepositoryWish,
): Promise<StartRepository | null> {
  if (!wish.git) return null;
  const facts = await vcs.facts();
  if (facts === null || facts.head === null) {
    const { why, instead } = facts === null ? NO_REPOSITORY : NO_COMMIT;
    const about = [`${why}. Without git there is no branch, no commit, no diff and no undo.`, instead];
    choices.resolve({ id: "git", kind: "confirm", options: ["no-git"], about, instead }, "no-git");
    return null;
  }
  if (!wish.mayBeDirty) await planDirty(choices, vcs);
  if (facts.branch === null) notes.push(DETACHED);
  return { base: facts.branch, commit: facts.head };
}

const DETACHED =
  "No branch is checked out (detached HEAD): the run starts at this commit, and its branch cannot be merged at the end. To merge it, check out a branch first.";

type Lack = { readonly why: string; readonly instead: string };

const NO_REPOSITORY: Lack = {
  why: "There is no git repository here",
  instead: 'Create one first ("git init") and commit once.',
};
const NO_COMMIT: Lack = {
  why: "The repository has no commit yet",
  instead: 'Make a first commit ("git add --all", "git commit").',
};

async function planDirty(choices: Choices, vcs: VcsRead): Promise<void> {
  const dirty = await vcs.dirty(OWN_FOLDERS);
  if (dirty.length === 0) return;
  const shown = dirty.slice(0, MAX_NAMED_FILES).map(({ path, change }) => `  ${change} ${plainLine(path)}`);
  const about = [
    "There are uncommitted changes. They would be carried to the branch and stay uncommitted:",
    ...shown,
    ...(dirty.length > MAX_NAMED_FILES ? [`  … and ${dirty.length - MAX_NAMED_FILES} more`] : []),
  ];
  const instead = "Commit or stash the changes, then run the command again.";
  choices.resolve({ id: "dirty", kind: "dirty", options: ["allow-dirty"], about, instead }, "allow-dirty");
}

/**
 * Lists untrusted repository commands that git would start at commits and merges. They are trusted when the run opens.
 */
export async function planHooks(choices: Choices, trust: TrustedGitPrograms): Promise<readonly GitProgram[]> {
  const found = await trust.untrusted();
  if (found.length === 0) return [];
  const about = aboutHooks(found);
  const instead = "To work without running them: --hooks without.";
  const choice = { id: "hooks", kind: "trust", options: ["trust", "without"], about, instead } as const;
  return choices.resolve(choice, "trust") === "trust" ? found : [];
}

export const aboutHooks = (found: readonly GitProgram[]): string[] => [
  "Commits and merges here would start programs, or sign with a key, that this repository names. An agent could have written this:",
  ...found.map(({ name }) => `  ${plainLine(name)}`),
  "They run with your rights, outside of every sandbox, and so does what they call in the project.",
  "The question comes again only if one of them changes.",
];
