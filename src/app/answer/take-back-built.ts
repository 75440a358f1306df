import type { EndedRun } from "../../core/run.ts";
import { endOfWork } from "../../engine/steps/item-record.ts";
import type { Head } from "../../ports/journal.ts";
import { treeAt } from "../../schema/ids.ts";
import type { Project } from "../project/project.ts";

/**
 * Removes the built mark of an item on its branch, if the run was cancelled while it ended, for example after a failed
 * merge. Returns write failures as warnings; the decision stays recorded.
 */
export async function takeBackBuilt(project: Project, run: EndedRun, head: Head): Promise<readonly string[]> {
  // Only a mark of this run: an earlier build stays recorded.
  if (run.how !== "cancelled" || project.items.builtAt(run.run.item) !== endOfWork(run)) return [];
  try {
    if (!(await isOnBranch(project, run))) return []; // other branches have another record, or got it by the merge
    await project.items.unmarkBuilt(run.run.item, endOfWork(run));
    await commit(project, run, head);
    return [];
  } catch (error) {
    return [`The item's record may still say that it is built: ${error instanceof Error ? error.message : ""}`];
  }
}

async function isOnBranch({ vcs }: Project, { run }: EndedRun): Promise<boolean> {
  const branch = run.git?.branch ?? null;
  return branch === null || (await vcs.facts())?.branch === branch;
}

/** Commits the removal on the same branch, to leave no uncommitted changes. */
async function commit({ vcsWrite, items }: Project, ended: EndedRun, head: Head): Promise<void> {
  const { run } = ended;
  if (run.git === null || run.options.commits === "none") return;
  const tip = await vcsWrite.head();
  if (tip === null) return;
  const paths = [`${run.item}/meta.json`, "BACKLOG.md"];
  const documents = { paths, edit: (folder: string) => items.unmarkBuiltIn(folder, run.item, endOfWork(ended)) };
  const files = treeAt(tip);
  const { tree } = await vcsWrite.compose({ onto: tip, from: files, to: files, include: [run.item], documents });
  await vcsWrite.commit({
    message: "Item record: not built, the run was cancelled",
    attempt: `${run.run}/cancelled`,
    journal: `${head.seq}:${head.hash.slice(0, 16)}`,
    branch: run.git.branch,
    parent: tip,
    tree,
    at: ended.endedAt,
    keep: { run: run.run, name: "cancelled-commit" },
  });
}
