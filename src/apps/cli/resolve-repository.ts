import type { VcsRead } from "../../ports/vcs.ts";
import { plainLine } from "../../views/plain-text.ts";
import { ask, askAbout } from "./terminal/ask.ts";
import { ChoiceNeeded } from "./grammar/choice.ts";
import { flag, type Invocation } from "./grammar/verb.ts";

export type Repository = { readonly base: string | null; readonly commit: string };

/** Folders whose changes are the work's own, and never in its way. */
const OWN_FOLDERS = ["docs/requirements", "docs/features", "BACKLOG.md", ".isdlc"];

/** The repository a run starts from; null when the person agreed to work without. */
export async function resolveRepository(
  invocation: Invocation,
  git: VcsRead,
  { mayBeDirty }: { mayBeDirty: boolean },
): Promise<Repository | null> {
  const { values } = invocation;
  if (flag(values, "no-git")) return null;
  const facts = await git.facts();
  if (facts === null || facts.head === null) {
    await confirmWithoutGit(invocation, facts === null ? NO_REPOSITORY : NO_COMMIT);
    return null;
  }
  if (!mayBeDirty && !flag(values, "allow-dirty")) await confirmDirty(invocation, git);
  return { base: facts.branch, commit: facts.head };
}

type Lack = { readonly why: string; readonly instead: string };

const NO_REPOSITORY: Lack = {
  why: "There is no git repository here",
  instead: 'Better make one first ("git init") and commit once.',
};
const NO_COMMIT: Lack = {
  why: "The repository has no commit yet",
  instead: 'Better commit once first ("git add --all", "git commit").',
};

async function confirmWithoutGit(invocation: Invocation, { why, instead }: Lack): Promise<void> {
  if (flag(invocation.values, "yes")) return;
  const lost = `${why}. Without git there is no branch, no commit, no diff and no undo.`;
  // A key of its own, and none by default: Enter must not give up the undo.
  const key = await askAbout(invocation.io, [lost, "[Y] Yes, work in place without git  [N] No"], ["y", "n"]);
  if (key === "y") return;
  const about = [lost, instead];
  throw new ChoiceNeeded({ kind: "confirm", options: ["no-git"], flag: "--no-git", about, instead });
}

async function confirmDirty(invocation: Invocation, git: VcsRead): Promise<void> {
  const dirty = await git.dirty(OWN_FOLDERS);
  if (dirty.length === 0) return;
  const shown = dirty.slice(0, 10).map(({ path, change }) => `  ${change} ${plainLine(path)}`);
  const more = dirty.length > 10 ? [`  … and ${dirty.length - 10} more`] : [];
  const about = [
    "There are uncommitted changes. They would be carried to the branch and stay uncommitted:",
    ...shown,
    ...more,
  ];
  const agreed = flag(invocation.values, "yes") || (await ask(invocation.io, "Carry them along?", about));
  if (agreed) return;
  const instead = "Commit or stash the changes, then say it again.";
  throw new ChoiceNeeded({ kind: "dirty", options: ["allow-dirty"], flag: "--allow-dirty", about, instead });
}
