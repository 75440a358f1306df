import type { EndedRun } from "../../core/run.ts";
import { endOfWork } from "../../engine/steps/item-record.ts";
import type { Head } from "../../ports/journal.ts";
import { treeAt } from "../../schema/ids.ts";
import type { Project } from "../project/project.ts";

/**
 * A run that is cancelled while it ends, after a merge that failed for instance, has its item marked as built on its
 * branch: that is taken back. Tells what could not be written; the decision stands.
 */
export async function takeBackBuilt(project: Project, run: EndedRun, head: Head): Promise<readonly string[]> {
  // By this run: an earlier build of the item stays what it was.
  if (run.how !== "cancelled" || project.items.builtAt(run.run.item) !== endOfWork(run)) return [];
  try {
    if (!(await isOnBranch(project, run))) return []; // elsewhere the record is another, or came with the merge
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

/** On the branch like what it takes back, so that the person finds nothing uncommitted. */
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
    keep: { run: run.run, name: "cancelled-hooked" },
  });
}
