import type { VcsRead } from "../../ports/vcs.ts";
import { plainLine } from "../../views/plain-text.ts";
import { ask } from "./ask.ts";
import { ChoiceNeeded } from "./choice.ts";
import { flag, type Invocation } from "./verb.ts";

export type Repository = { readonly base: string | null; readonly commit: string };

/** Folders whose changes are the work's own, and never in its way. */
const OWN_FOLDERS = ["docs/requirements", "docs/features", "BACKLOG.md", ".isdlc"];

/** The repository a run starts from; null when the person agreed to work without. */
export async function settleRepository(
  invocation: Invocation,
  git: VcsRead,
  { mayBeDirty }: { mayBeDirty: boolean },
): Promise<Repository | null> {
  const { values } = invocation;
  if (flag(values, "no-git")) return null;
  const facts = await git.facts();
  if (facts === null || facts.head === null) {
    await confirmWithoutGit(
      invocation,
      facts === null ? "There is no git repository here" : "The repository has no commit yet",
    );
    return null;
  }
  if (!mayBeDirty && !flag(values, "allow-dirty")) await confirmDirty(invocation, git);
  return { base: facts.branch, commit: facts.head };
}

async function confirmWithoutGit(invocation: Invocation, why: string): Promise<void> {
  const about = [`${why}. Without git there is no branch, no commit, no diff and no undo.`];
  const agreed = flag(invocation.values, "yes") || (await ask(invocation.io, "Work in place, without git?", about));
  if (!agreed) throw new ChoiceNeeded({ kind: "confirm", options: ["no-git"], flag: "--no-git", about });
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
  if (!agreed) throw new ChoiceNeeded({ kind: "dirty", options: ["allow-dirty"], flag: "--allow-dirty", about });
}
