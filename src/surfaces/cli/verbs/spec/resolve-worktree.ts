import { createWorktree } from "../../../../adapters/git/worktree/worktree-create.ts";
import { findMainTree, worktreePath } from "../../../../adapters/git/worktree/worktree-location.ts";
import { ChoicesNeeded } from "../../../../app/choice.ts";
import type { RunRequest } from "../../../../app/start/run-request.ts";
import { ProblemError } from "../../../../core/problem.ts";
import type { Mode } from "../../../../schema/plan.ts";
import { plainLine } from "../../../../views/plain-text.ts";
import { askAbout } from "../../terminal/ask.ts";
import { openProject, type LocalProject } from "../../../../compose/project.ts";
import { createGitCaller } from "../../../../compose/trusted-git-programs.ts";
import { flag, type Invocation } from "../../invocation/verb.ts";

export type NewWorktree = {
  readonly branch: string;
  /** Folder of the item. It also names the worktree. */
  readonly folder: string;
  readonly base: string;
};

export type WorktreeChoice = {
  readonly project: LocalProject;
  /** Path in the feature's file, relative to the main working tree; null for work in place. */
  readonly worktree: string | null;
};

/** When each mode uses a separate worktree: never, on request, if the user agrees, or always. */
const WISH: Readonly<Record<Mode, "never" | "asked" | "recommended" | "always">> = {
  hotfix: "never",
  quick: "asked",
  standard: "recommended",
  full: "always",
};

type WorktreeWishes = {
  readonly mode: Mode;
  /** Branch or commit to start from; null without git. */
  readonly base: string | null;
  readonly wanted: RunRequest;
  /** Resolves all choices before the worktree is created. */
  readonly resolveFirst: () => Promise<RunRequest>;
  /** Reserves the name of the item's folder. */
  readonly drawName: () => Promise<string>;
};

/**
 * Chooses the location of a new feature: this working tree, or a new worktree.
 * @throws ProblemError WORKTREE_REFUSED with a fix, before any file is written.
 */
export async function resolveWorktree(
  invocation: Invocation,
  project: LocalProject,
  { base, mode, resolveFirst, drawName, wanted }: WorktreeWishes,
): Promise<WorktreeChoice & { readonly request: RunRequest; readonly folder: string | null }> {
  if (base === null || !(await isWanted(invocation, mode)))
    return { project, worktree: null, request: wanted, folder: null };
  const request = await resolveFirst();
  const folder = await drawName();
  return {
    ...(await makeWorktree(invocation, project, { branch: `feature/${folder}`, folder, base })),
    request,
    folder,
  };
}

/** Creates a worktree next to the main one, with the settings and trust of the current one. */
export async function makeWorktree(
  { io }: Invocation,
  project: LocalProject,
  { branch, folder, base }: NewWorktree,
): Promise<WorktreeChoice> {
  const main = findMainTree(project.root) ?? project.root;
  const [id = "", ...slug] = folder.split("-");
  const path = worktreePath(main, { id, slug: slug.join("-") });
  const made = await createWorktree(project.root, { branch, path, base }, createGitCaller(project));
  if (!made.ok) throw new ProblemError({ code: "WORKTREE_REFUSED", why: made.why, fix: made.fix });
  const there = openProject(made.path, project.env);
  for (const digest of project.trust.trusted()) there.trust.trust(digest);
  io.err(`Working tree: ${plainLine(made.path)} on ${made.branch}`);
  return { project: there, worktree: made.stored };
}

/** @throws ProblemError USAGE for a hotfix, which is done in place. */
export function refuseHotfixTree({ values, verb }: Invocation, mode: Mode): void {
  if (!flag(values, "worktree") || WISH[mode] !== "never") return;
  const detail = "A hotfix is done in place, without a working tree of its own.";
  throw new ProblemError({ code: "USAGE", detail, usage: verb.usage });
}

/** True for a mode that is never done in place. */
export const needsWorktree = (mode: Mode): boolean => WISH[mode] === "always";

async function isWanted(invocation: Invocation, mode: Mode): Promise<boolean> {
  refuseHotfixTree(invocation, mode);
  const { values, io } = invocation;
  if (flag(values, "worktree")) return true;
  const wish = WISH[mode];
  return wish === "recommended" ? askWhere(io) : wish === "always";
}

/**
 * Asks for Y or N without a default, because either answer starts the work.
 * @throws ChoicesNeeded if the user cancels.
 */
async function askWhere(io: Invocation["io"]): Promise<boolean> {
  if (!io.interactive) return false;
  const about = ["Use a separate worktree?", "[Y] Yes, next to this one  [N] No, in this one"];
  const key = await askAbout(io, about, { keys: ["y", "n"] });
  if (key !== null) return key === "y";
  const instead = "To use a separate worktree: --worktree.";
  throw new ChoicesNeeded([{ id: "worktree", kind: "place", options: ["worktree"], about: [], instead }]);
}
